// SPDX-License-Identifier: Apache-2.0
// Runs a model or a body. Keeps plans for earlier input shapes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/op.h"
#include "runtime/explanation.h"
#include "runtime/plan.h"

namespace wasmvino::runtime {

class Executor final : public model::Subgraph {
 public:
  // `path`: names of the layers around the model, outermost first. `parameters`: what is known of them; a
  // parameter with a value is never read from memory.
  Executor(const model::Model& model, std::vector<std::string> path, std::string layer,
           std::vector<model::ValueInfo> parameters, RunState& state);
  ~Executor() override;

  void bind_parameter(size_t i, const TensorView& tensor) override;
  void bind_result(size_t i, void* memory) override;
  // In bodies, variables have their new values afterwards.
  void run(int64_t iteration) override;
  // Gives the variables of the model itself their new values, all at once. Until then, the run can still
  // fail.
  void store_variables();
  const TensorView& result(size_t i) const override;

  void prepare() override;
  // Plans before inputs have values, if no shape depends on one.
  void prepare_ahead();
  const TensorView* planned_result(size_t i) const override;
  // Result i of the last run, if it is in memory of the executor; otherwise an empty tensor. The executor
  // writes to that memory again only after all other holders have released the tensor.
  Tensor kept_result(size_t i) const;
  size_t memory_bytes() const;
  // Adds a description of the active plan.
  void explain(Explanation& explanation) const;

 private:
  bool fits(const Plan& plan) const;
  void make();
  std::unique_ptr<Plan> begin_plan(const PlanKey& key);
  model::Inference infer(std::vector<model::ValueInfo>& parameters, Plan& earlier) const;
  bool collect_parameters(const model::Inference& inference, model::Source source, size_t& budget,
                          std::vector<char>& wanted) const;
  void activate(Plan& plan);
  void place_result(size_t i);
  void place_own_result(size_t i);
  void place_output(Plan::Output& output, void* memory);
  void run_steps();
  // Reports to the progress listener that `node` was computed; nullptr: that an iteration ended.
  void report(const model::Node* node, size_t done);
  void observe(size_t observed_value);
  void copy_assignments();

  const model::Model& model_;
  std::vector<std::string> path_;
  std::string layer_;  // "TensorIterator 'decoder'", for errors; empty for the model itself
  std::vector<model::ValueInfo> known_;
  RunState& state_;

  std::vector<TensorView> parameters_;  // as bound
  std::vector<void*> result_memory_;    // as bound; nullptr: own_results_
  std::vector<Tensor> own_results_;
  std::vector<Tensor> next_variables_;  // by Plan::assignments

  std::vector<std::unique_ptr<Plan>> plans_;  // most recently used first
  Plan* active_ = nullptr;
  bool checked_ = false;  // nothing was bound since the active plan was found to fit
  Tensor arena_;
  int value_misses_ = 0;
};

}  // namespace wasmvino::runtime
