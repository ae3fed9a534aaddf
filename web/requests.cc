// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include <optional>

#include "objects.h"

namespace wasmvino::web {
namespace {

[[gnu::noinline]] runtime::InferRequest& request_of(uint32_t id) { return get<Request>(id)->idle(); }

#if WASMVINO_THREADS

class InferJob final : public GuardedJob {
 public:
  InferJob(std::shared_ptr<Request> request, const Limits& limits)
      : request_(std::move(request)), limits_(limits) {
    request_->running = true;
  }
  ~InferJob() override { request_->running = false; }

 protected:
  void compute() override { request_->request->infer(limits_); }
  val succeed() override { return val::undefined(); }

 private:
  std::shared_ptr<Request> request_;
  Limits limits_;
};

#endif

}  // namespace

val create_infer_request(uint32_t id) {
  return guarded([&] {
    const auto compiled = get<runtime::CompiledModel>(id);
    auto request = std::make_shared<Request>();
    request->request = compiled->create_infer_request();
    request->given.resize(compiled->inputs().size());
    return hold(std::move(request));
  });
}

val set_input(uint32_t id, size_t i, const std::string& type, const std::string& sizes,
              const CallLimits& given_limits) {
  return guarded([&] {
    const Limits limits = to_limits(given_limits);
    const Call call(limits);
    const CallScope scope(call);
    const auto request = get<Request>(id);
    runtime::InferRequest& idle = request->idle();
    if (i >= request->given.size()) fail(ErrorCode::kInvalidArgument, "there is no input ", i);
    Tensor& given = request->given[i];
    const ElementType wanted = element_type(type);
    Shape shape = shape_of(sizes);
    if (!given || wanted == ElementType::kString || given.type() != wanted || !(given.shape() == shape)) {
      Tensor made = make_tensor(wanted, std::move(shape));
      idle.set_input(i, made);
      given = std::move(made);
    }
    return describe(given.view());
  });
}

val infer(uint32_t id, const CallLimits& limits) {
  return guarded([&] {
    runtime::InferRequest& request = request_of(id);
#if WASMVINO_THREADS
    Runner::shared().exclusive();
    std::optional<runtime::OneThread> alone;
    if (!Runner::shared().may_wait()) alone.emplace();
#endif
    request.infer(to_limits(limits));
  });
}

#if WASMVINO_THREADS

val start_infer(uint32_t id, const CallLimits& limits) {
  return exclusively([&] {
    request_of(id);
    Runner::shared().post(std::make_unique<InferJob>(get<Request>(id), to_limits(limits)));
  });
}

#endif

val output(uint32_t id, size_t i) {
  return guarded([&] { return describe(request_of(id).output(i).view()); });
}

val variables(uint32_t id) {
  return guarded([&] {
    return array_of(request_of(id).variables(), [](const model::Variable* variable) {
      Object object;
      object.put_text("id", variable->id)
          .put_text("type", name(variable->type))
          .put_text("shape", to_string(variable->shape));
      if (variable->value) object.put("value", describe(variable->value.view()));
      return object.done();
    });
  });
}

val set_variable(uint32_t id, size_t i, const std::string& type, const std::string& sizes) {
  return guarded([&] {
    model::Variable& variable = *request_of(id).variables().at(i);
    Tensor made = make_tensor(element_type(type), shape_of(sizes));
    if (variable.type != ElementType::kDynamic && variable.type != made.type()) {
      throw Error(ErrorCode::kInvalidType,
                  cat("variable '", variable.id, "' is of type ", variable.type, ", not ", made.type()))
          .expected(std::string(name(variable.type)))
          .actual(std::string(name(made.type())));
    }
    if (!variable.shape.contains(made.shape())) {
      throw Error(ErrorCode::kInvalidShape,
                  cat("variable '", variable.id, "' is of shape ", variable.shape, ", not ", made.shape()))
          .expected(to_string(variable.shape))
          .actual(to_string(made.shape()));
    }
    variable.value = std::move(made);
    return describe(variable.value.view());
  });
}

val reset_variable(uint32_t id, size_t i) {
  return guarded([&] { request_of(id).variables().at(i)->value = Tensor(); });
}

val reset_state(uint32_t id) {
  return guarded([&] { request_of(id).reset_state(); });
}

val profiling(uint32_t id) {
  return guarded([&] {
    return array_of(request_of(id).profiling(), [](const runtime::ProfilingInfo& node) {
      return Object()
          .put_text("nodeName", node.node_name)
          .put_text("nodeType", node.node_type)
          .put_text("execType", node.exec_type)
          .put_text("status", "EXECUTED")
          .put("realTime", static_cast<double>(node.microseconds))
          .put("cpuTime", static_cast<double>(node.microseconds))
          .put("calls", static_cast<double>(node.calls))
          .done();
    });
  });
}

val observe(uint32_t id) {
  return exclusively([&] {
    Texts texts(take_staged());
    std::vector<runtime::ObservedPort> observed;
    for (size_t taken = 0; taken < texts.size();) {
      runtime::ObservedPort port;
      port.port = shape_of(texts.next())[0];
      for (int64_t names = shape_of(texts.next())[0]; names > 0; --names) port.path.push_back(texts.next());
      taken += 2 + port.path.size();
      observed.push_back(std::move(port));
    }
    request_of(id).observe(std::move(observed));
  });
}

val observations(uint32_t id) {
  return guarded([&] {
    return array_of(request_of(id).observations(), [](const runtime::Observation& observation) {
      return Object()
          .put("observed", static_cast<double>(observation.observed))
          .put("iterations", numbers(observation.iterations))
          .put("value", describe(observation.value.view()))
          .done();
    });
  });
}

val memory_bytes(uint32_t id) {
  return guarded([&] { return val(static_cast<double>(request_of(id).memory_bytes())); });
}

}  // namespace wasmvino::web
