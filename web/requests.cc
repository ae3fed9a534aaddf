// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "core/call.h"
#include "json.h"
#include "objects.h"
#include "runtime/explanation.h"
#include "runtime/progress.h"
#if WASMVINO_THREADS
#include <emscripten/threading.h>
#endif

// Implemented in web/library.js. Takes JSON, which it frees, and returns whether to end the run. If `pending`
// is not null, it is set to 0 in a later turn of the event loop.
extern "C" bool wasmvino_progress(char* json, std::atomic<int32_t>* pending);

namespace wasmvino::web {
namespace {

[[gnu::noinline]] runtime::InferRequest& request_of(uint32_t id) { return get<Request>(id)->idle(); }

// As guarded(), within the limits of a request.
template <typename Body>
val of_request(uint32_t id, const Body& body) {
  return guarded([&] {
    runtime::InferRequest& request = request_of(id);
    return within(limits_of(id), [&] { return body(request); });
  });
}

val observed_value(const runtime::Observation& observation) {
  return Object()
      .put("observed", static_cast<double>(observation.observed))
      .put("iterations", numbers(observation.iterations))
      .put("value", describe(observation.value.view()))
      .done();
}

val texts(std::span<const std::string> list) {
  return array_of(list, [](const std::string& each) { return text(each); });
}

void send(const std::string& text, std::atomic<int32_t>* pending) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) fail(ErrorCode::kOutOfMemory, "no memory for a progress report");
  std::memcpy(copy, text.c_str(), text.size() + 1);
  if (wasmvino_progress(copy, pending)) fail(ErrorCode::kCancelled, "the run was ended by onProgress");
}

// Passes progress reports from the computing thread to the main thread.
class Reporter final : public runtime::ProgressListener {
 public:
#if WASMVINO_THREADS
  // Sends the remaining reports after a successful run.
  void finish() {
    if (!batch_.empty()) flush();
  }
#endif

  void progressed(const runtime::Progress& progress) override {
    json::Json object('{');
    object.put("path", json::array_of(progress.path, json::quoted));
    if (progress.node != nullptr) {
      object.put_text("layer", progress.node->name).put_text("type", progress.node->type);
    }
    const auto observed = [](const runtime::Observation& observation) {
      return json::Json('{')
          .put("observed", cat(observation.observed))
          .put("iterations", json::numbers(observation.iterations))
          .put("value", json::describe(observation.value.view()))
          .done();
    };
    const std::string report = object.put("iterations", json::numbers(progress.iterations))
                                   .put("done", cat(progress.done))
                                   .put("total", cat(progress.total))
                                   .put("observed", json::array_of(progress.observed, observed))
                                   .done();
#if WASMVINO_THREADS
    add(report);
#else
    send(report, nullptr);
#endif
  }

#if WASMVINO_THREADS

 private:
  // The main thread takes one batch per turn of its event loop, so it can also handle aborts and other calls.
  // A run that reports faster waits, unless the main thread waits for the run.
  void add(const std::string& report) {
    constexpr size_t kMostBytes = size_t{1} << 20;
    batch_ += batch_.empty() ? '[' : ',';
    batch_ += report;
    while (pending_.load() != 0 && batch_.size() > kMostBytes && !Runner::shared().awaited()) {
      emscripten_thread_sleep(1);
      current_call().poll();
    }
    if (pending_.load() == 0) flush();
  }

  void flush() {
    pending_.store(1);
    send(std::exchange(batch_, std::string()) + ']', &pending_);
  }

  std::string batch_;
  // Static, because JavaScript may answer after the end of the run. Only one run reports at a time.
  static inline std::atomic<int32_t> pending_ = 0;
#endif
};

#if WASMVINO_THREADS

class InferJob final : public GuardedJob {
 public:
  InferJob(std::shared_ptr<Request> request, const AllLimits& limits, bool progress)
      : request_(std::move(request)), limits_(limits), progress_(progress) {
    request_->running = true;
  }
  ~InferJob() override { request_->running = false; }

 protected:
  void compute() override {
    Reporter reporter;
    const MemoryScope memory(&limits_.memory);
    request_->request->infer(limits_.limits, progress_ ? &reporter : nullptr);
    reporter.finish();
  }
  val succeed() override { return val::undefined(); }

 private:
  std::shared_ptr<Request> request_;
  AllLimits limits_;
  bool progress_;
};

#endif

}  // namespace

val create_infer_request(uint32_t id) {
  return guarded([&] {
    const AllLimits limits = limits_of(id);
    return within(limits, [&] {
      const auto compiled = get<runtime::CompiledModel>(id);
      auto request = std::make_shared<Request>();
      request->request = compiled->create_infer_request();
      request->given.resize(compiled->inputs().size());
      return hold(std::move(request), limits);
    });
  });
}

val set_input(uint32_t id, size_t i, const std::string& type, const std::string& sizes,
              const CallLimits& limits) {
  return guarded([&] {
    return within(to_limits(limits), [&] {
      const auto request = get<Request>(id);
      runtime::InferRequest& idle = request->idle();
      if (i >= request->given.size()) fail(ErrorCode::kInvalidArgument, "there is no input ", i);
      Tensor& given = request->given[i];
      const ElementType wanted = require_element_type(type);
      Shape shape = shape_of(sizes);
      if (!given || wanted == ElementType::kString || given.type() != wanted || !(given.shape() == shape)) {
        Tensor made = make_tensor(wanted, std::move(shape));
        idle.set_input(i, made);
        given = std::move(made);
      }
      return describe(given.view());
    });
  });
}

val infer(uint32_t id, const CallLimits& limits, [[maybe_unused]] bool progress) {
  return guarded([&] {
    runtime::InferRequest& request = request_of(id);
#if WASMVINO_THREADS
    Runner::shared().exclusive();
    std::optional<runtime::OneThread> alone;
    if (!Runner::shared().may_wait()) alone.emplace();
#endif
    const AllLimits all = to_limits(limits);
    const MemoryScope memory(&all.memory);
#if WASMVINO_THREADS
    request.infer(all.limits, nullptr);
#else
    Reporter reporter;
    request.infer(all.limits, progress ? &reporter : nullptr);
#endif
  });
}

#if WASMVINO_THREADS

val start_infer(uint32_t id, const CallLimits& limits, bool progress) {
  return exclusively([&] {
    request_of(id);
    Runner::shared().post(std::make_unique<InferJob>(get<Request>(id), to_limits(limits), progress));
  });
}

#endif

val output(uint32_t id, size_t i) {
  return of_request(id, [&](runtime::InferRequest& request) { return describe(request.output(i).view()); });
}

val variables(uint32_t id) {
  return guarded([&] {
    return array_of(request_of(id).variable_names(), [](const std::string& name) { return text(name); });
  });
}

val variable(uint32_t id, size_t i) {
  return of_request(id, [&](runtime::InferRequest& request) {
    const model::Variable& variable = request.variable(i);
    Object object;
    object.put_text("type", name(variable.type)).put_text("shape", to_string(variable.shape));
    if (variable.value) object.put("value", describe(variable.value.view()));
    return object.done();
  });
}

val set_variable(uint32_t id, size_t i, const std::string& type, const std::string& sizes) {
  return of_request(id, [&](runtime::InferRequest& request) {
    model::Variable& variable = request.variable(i);
    Tensor made = make_tensor(require_element_type(type), shape_of(sizes));
    if (variable.type != ElementType::kDynamic && variable.type != made.type()) {
      throw Error(ErrorCode::kInvalidType, cat("variable '", variable.id, "' is of type ", variable.type,
                                               ", but the tensor is of type ", made.type()))
          .expected(std::string(name(variable.type)))
          .actual(std::string(name(made.type())));
    }
    if (!variable.shape.contains(made.shape())) {
      throw Error(ErrorCode::kInvalidShape, cat("variable '", variable.id, "' is of shape ", variable.shape,
                                                ", but the tensor is of shape ", made.shape()))
          .expected(to_string(variable.shape))
          .actual(to_string(made.shape()));
    }
    variable.value = std::move(made);
    return describe(variable.value.view());
  });
}

val reset_variable(uint32_t id, size_t i) {
  return guarded([&] { request_of(id).reset_variable(i); });
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
    within(limits_of(id), [&] { request_of(id).observe(std::move(observed)); });
  });
}

val observations(uint32_t id) {
  return guarded([&] {
    return array_of(request_of(id).observations(), [](const auto& each) { return observed_value(each); });
  });
}

val explain(uint32_t id) {
  return exclusively([&] {
    runtime::InferRequest& request = request_of(id);
    const runtime::Explanation explanation = within(limits_of(id), [&] { return request.explain(); });
    const auto operations = [](const std::vector<passes::Change::Operation>& list) {
      return array_of(list, [](const passes::Change::Operation& each) {
        return Object().put_text("name", each.name).put_text("type", each.type).done();
      });
    };
    const auto change = [&](const passes::Change& each) {
      return Object()
          .put_text("name", each.pass)
          .put_text("reason", each.reason)
          .put("path", texts(each.path))
          .put("removed", operations(each.removed))
          .put("added", operations(each.added))
          .done();
    };
    const auto number = [](float each) { return val(each); };
    const auto value = [&](const runtime::ExplainedValue& each) {
      Object object;
      object.put_text("type", name(each.type))
          .put_text("shape", to_string(each.shape))
          .put("constant", val(each.constant));
      if (each.quantization != nullptr) {
        object.put("quantization", Object()
                                       .put("scale", array_of(each.quantization->scale, number))
                                       .put("zeroPoint", array_of(each.quantization->zero_point, number))
                                       .done());
      }
      return object.done();
    };
    const auto node = [&](const runtime::ExplainedNode& each) {
      constexpr std::string_view kHow[] = {"computed", "view", "constant", "planned while running"};
      const auto layout = [](model::Layout of) {
        return of == model::Layout::kChannelsLast ? "NHWC" : "NCHW";
      };
      Object object;
      object.put("path", texts(each.path))
          .put_text("name", each.name)
          .put_text("type", each.type)
          .put_text("how", kHow[static_cast<size_t>(each.how)]);
      if (!each.method.empty()) object.put_text("method", each.method);
      if (each.layouts) {
        object.put_text("inputLayout", layout(each.layouts->in))
            .put_text("outputLayout", layout(each.layouts->out));
      }
      return object.put("inputs", array_of(each.inputs, value))
          .put("outputs", array_of(each.outputs, value))
          .put("operations", static_cast<double>(each.operations))
          .put("bytes", static_cast<double>(each.bytes))
          .done();
    };
    const runtime::ExplainedMemory& memory = explanation.memory;
    return Object()
        .put("passes", array_of(request.compiled_model().changes(), change))
        .put("nodes", array_of(explanation.nodes, node))
        .put("memory", Object()
                           .put("weights", static_cast<double>(memory.weights))
                           .put("packed", static_cast<double>(memory.packed))
                           .put("arena", static_cast<double>(memory.arena))
                           .put("tensors", static_cast<double>(memory.tensors))
                           .done())
        .done();
  });
}

val memory_bytes(uint32_t id) {
  return guarded([&] { return val(static_cast<double>(request_of(id).memory_bytes())); });
}

}  // namespace wasmvino::web
