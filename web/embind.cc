// SPDX-License-Identifier: Apache-2.0
// The engine's face in JavaScript: reading, compiling and running models through Embind.
//
// Every function gives JSON: its result, or {"failure": {code, message, ...}}, which js/src/error.ts makes an
// Error of; no exception leaves a function here. (Embind's classes and emscripten::val would say the same
// with 10 KB more of JavaScript, and what embind.js leaves out of Embind is another 8 KB.) Bytes cross as
// addresses in wasm memory, for the caller to copy from or to; an address is valid until the next call that
// may run the engine.
#include <emscripten/bind.h>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ir/reader.h"
#include "ops/common/registry.h"
#include "runtime/compiled_model.h"
#include "runtime/thread_pool.h"
#if WASMVINO_THREADS
#include <emscripten/eventloop.h>

#include "runner.h"
#endif

// web/library.js
extern "C" {
void wasmvino_read_weights(uint32_t weights, double offset, double count, uint8_t* to);
void wasmvino_release_weights(uint32_t weights);
}

namespace wasmvino {
namespace {

using ops::registry;

class CallersBytes final : public ByteSource {
 public:
  CallersBytes(uint32_t weights, double size) : weights_(weights), size_(static_cast<size_t>(size)) {}
  ~CallersBytes() override { wasmvino_release_weights(weights_); }
  size_t size() const override { return size_; }
  void read(size_t offset, size_t count, void* to) const override {
    wasmvino_read_weights(weights_, static_cast<double>(offset), static_cast<double>(count),
                          static_cast<uint8_t*>(to));
  }

 private:
  uint32_t weights_;
  size_t size_;
};

// `weights` is 0 where there are none.
std::shared_ptr<const ByteSource> byte_source(uint32_t weights, double size) {
  return weights == 0 ? nullptr : std::make_shared<CallersBytes>(weights, size);
}

[[gnu::noinline]] std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += cat("\\u00", c >> 4 == 0 ? '0' : '1', kDigits[c & 15]);
    } else {
      out += c;
    }
  }
  return out + '"';
}

// An object or an array of JSON, as it grows.
class Json {
 public:
  explicit Json(char open) : close_(open == '{' ? '}' : ']') { text_ += open; }
  [[gnu::noinline]] Json& add(std::string_view json) {
    if (text_.size() > 1) text_ += ',';
    text_ += json;
    return *this;
  }
  [[gnu::noinline]] Json& put(std::string_view key, std::string_view json) {
    return add(cat('"', key, "\":", json));
  }
  [[gnu::noinline]] Json& put_text(std::string_view key, std::string_view value) {
    return put(key, quoted(value));
  }
  [[gnu::noinline]] std::string done() const { return text_ + close_; }

 private:
  std::string text_;
  char close_;
};

template <typename List, typename ToJson>
std::string array_of(const List& list, ToJson to_json) {
  Json array('[');
  for (const auto& item : list) array.add(to_json(item));
  return array.done();
}

std::string numbers(std::span<const int64_t> values) {
  return array_of(values, [](int64_t value) { return cat(value); });
}

std::string describe(const Error& error);

std::string describe(const std::vector<Error>& errors) {
  return array_of(errors, [](const Error& error) { return describe(error); });
}

Json failure(const Error& error) {
  Json object('{');
  object.put_text("code", name(error.code())).put_text("message", error.what());
  if (error.has_layer()) {
    object.put_text("layer", error.layer()).put_text("layerType", error.layer_type());
    if (error.layer_id() >= 0) object.put("layerId", cat(error.layer_id()));
    if (error.line() > 0) object.put("line", cat(error.line()));
  }
  if (!error.port().empty()) object.put_text("port", error.port());
  if (!error.expected().empty()) object.put_text("expected", error.expected());
  if (!error.actual().empty()) object.put_text("actual", error.actual());
  return object;
}

std::string describe(const Error& error) { return failure(error).done(); }

// What the exception being handled was; to be called in a catch block only.
std::string current_failure() {
  std::string object;
  try {
    throw;
  } catch (const ir::ReadError& error) {
    object = failure(error).put("problems", describe(error.problems())).done();
  } catch (const Error& error) {
    object = describe(error);
  } catch (const std::bad_alloc&) {
    object = R"({"code":"OUT_OF_MEMORY","message":"the engine is out of memory"})";
  } catch (const std::exception& error) {
    object = describe(Error(ErrorCode::kInternal, error.what()));
  }
  return Json('{').put("failure", object).done();
}

// One place of landing for all functions, 20 KB less than one in each.
[[gnu::noinline]] std::string run_guarded(std::string (*run)(const void*), const void* body) {
  try {
    return run(body);
  } catch (...) {
    return current_failure();
  }
}

template <typename Body>
std::string guarded(const Body& body) {
  return run_guarded([](const void* opaque) -> std::string { return (*static_cast<const Body*>(opaque))(); },
                     &body);
}

template <typename Port>
std::string describe(const std::vector<Port>& ports) {
  return array_of(ports, [](const Port& port) {
    return Json('{')
        .put("names", array_of(port.names, quoted))
        .put_text("friendlyName", port.friendly_name)
        .put_text("type", name(port.type))
        .put_text("shape", to_string(port.shape))
        .done();
  });
}

// {type, shape, address, bytes}; for strings {type, shape, strings}.
std::string describe(const TensorView& tensor) {
  Json object('{');
  object.put_text("type", name(tensor.type))
      .put("shape", numbers({tensor.shape.data(), tensor.shape.size()}));
  if (tensor.type == ElementType::kString) {
    object.put("strings", array_of(std::span(tensor.data<std::string>(), tensor.size()), quoted));
  } else {
    object.put("address", cat(reinterpret_cast<uintptr_t>(tensor.memory)))
        .put("bytes", cat(tensor.byte_size()));
  }
  return object.done();
}

// A list of texts as JavaScript gives it: their lengths in bytes ("3,5") and all of them in a row.
class Texts {
 public:
  Texts(const std::string& lengths, const std::string& joined)
      : lengths_(shape_of(lengths)), joined_(joined) {}
  size_t size() const { return lengths_.size(); }
  // The texts one after another.
  std::string next() {
    const size_t length = static_cast<size_t>(lengths_[taken_++]);
    at_ += length;
    return joined_.substr(at_ - length, length);
  }

  static Shape shape_of(const std::string& sizes) {
    const auto shape = parse_partial_shape(sizes);
    if (!shape || !shape->is_static()) fail(ErrorCode::kInvalidShape, "'", sizes, "' is no shape");
    return shape->to_shape();
  }

 private:
  Shape lengths_;
  const std::string& joined_;
  size_t taken_ = 0;
  size_t at_ = 0;
};

ElementType element_type(const std::string& type) {
  const auto parsed = parse_element_type(type);
  if (!parsed) fail(ErrorCode::kInvalidType, "there is no element type '", type, "'");
  return *parsed;
}

// A tensor with the given strings, if it is one of strings; else with undefined values.
Tensor make_tensor(ElementType type, Shape shape, Texts strings) {
  Tensor tensor(type, std::move(shape));
  if (type == ElementType::kString) {
    if (strings.size() != tensor.size())
      fail(ErrorCode::kInvalidShape, "there are ", strings.size(), " strings for shape ", tensor.shape());
    for (size_t i = 0, count = tensor.size(); i < count; ++i)
      tensor.mutable_data<std::string>()[i] = strings.next();
  }
  return tensor;
}

// A request, and the tensors that JavaScript fills.
struct Request {
  std::unique_ptr<runtime::InferRequest> request;
  std::vector<Tensor> given;
  bool running = false;  // on the runner's thread

  runtime::InferRequest& idle() const {
    if (running) fail(ErrorCode::kInvalidState, "the request is running: await inferAsync() first");
    return *request;
  }
};

// Objects that JavaScript holds, by numbers. None is given twice, so that an old one is recognised.
using Object = std::variant<std::shared_ptr<model::Model>, std::shared_ptr<runtime::CompiledModel>,
                            std::shared_ptr<Request>>;

struct Objects {
  std::unordered_map<uint32_t, Object> all;
  uint32_t last = 0;
};

Objects& objects() {
  static Objects* const made = new Objects;
  return *made;
}

std::string hold(Object object) {
  Objects& held = objects();
  held.all.emplace(++held.last, std::move(object));
  return cat(held.last);
}

template <typename T>
[[gnu::noinline]] std::shared_ptr<T> get(uint32_t id) {
  const auto& all = objects().all;
  const auto found = all.find(id);
  const auto* object = found == all.end() ? nullptr : std::get_if<std::shared_ptr<T>>(&found->second);
  if (object == nullptr) fail(ErrorCode::kInvalidState, "this object was disposed");
  return *object;
}

// As guarded(), for what may share memory with the job of the runner.
template <typename Body>
std::string exclusively(const Body& body) {
  return guarded([&] {
#if WASMVINO_THREADS
    web::Runner::shared().exclusive();
#endif
    return body();
  });
}

void release(uint32_t id) {
  auto& all = objects().all;
  const auto found = all.find(id);
  if (found == all.end()) return;
#if WASMVINO_THREADS
  std::visit([](const auto& object) { web::Runner::shared().bury(object); }, found->second);
#endif
  all.erase(found);
}

// The model of the bytes of an .xml and of a .bin, which is kept, not copied: its number.
std::string read_model(const std::string& xml, uint32_t weights, double size) {
  return exclusively(
      [&] { return hold(std::shared_ptr(ir::read(xml, byte_source(weights, size), registry()))); });
}

// {name, inputs, outputs}
std::string describe_model(uint32_t id) {
  return guarded([&] {
    const auto model = get<model::Model>(id);
    return Json('{')
        .put_text("name", model->name)
        .put("inputs", describe(runtime::input_ports(*model)))
        .put("outputs", describe(runtime::output_ports(*model)))
        .done();
  });
}

// [{name, type}] in the order of execution; those of bodies are not listed.
std::string model_ops(uint32_t id) {
  return guarded([&] {
    return array_of(get<model::Model>(id)->nodes, [](const auto& node) {
      return Json('{').put_text("name", node->name).put_text("type", node->type).done();
    });
  });
}

std::string copy_model(uint32_t id) {
  return exclusively([&] { return hold(std::shared_ptr(get<model::Model>(id)->clone())); });
}

// Gives inputs new shapes: texts by position, empty for those that stay. On a failure nothing has changed.
std::string reshape_model(uint32_t id, const std::string& lengths, const std::string& joined) {
  return exclusively([&] {
    std::shared_ptr<model::Model> changed = get<model::Model>(id)->clone();
    Texts shapes(lengths, joined);
    for (size_t i = 0; i < shapes.size() && i < changed->parameters.size(); ++i) {
      const std::string wanted = shapes.next();
      if (wanted.empty()) continue;
      const auto shape = parse_partial_shape(wanted);
      if (!shape) fail(ErrorCode::kInvalidArgument, "'", wanted, "' is no shape");
      model::Node& parameter = *changed->parameters[i];
      auto op = std::make_shared<model::ParameterOp>();
      op->type = parameter.outputs[0].type;
      op->shape = *shape;
      parameter.op = std::move(op);
    }
    changed->infer();
    objects().all[id] = std::move(changed);
    return std::string();
  });
}

// {id, inputs, outputs}
std::string hold_compiled(std::shared_ptr<runtime::CompiledModel> compiled) {
  Json object('{');
  object.put("inputs", describe(compiled->inputs())).put("outputs", describe(compiled->outputs()));
  return object.put("id", hold(std::move(compiled))).done();
}

std::string compile_model(uint32_t id, bool passes, bool profiling, size_t threads) {
  return exclusively([&] {
    const auto model = get<model::Model>(id);
    return hold_compiled(runtime::CompiledModel::compile(*model, registry(), {passes, profiling, threads}));
  });
}

std::string create_infer_request(uint32_t id) {
  return guarded([&] {
    const auto compiled = get<runtime::CompiledModel>(id);
    auto request = std::make_shared<Request>();
    request->request = compiled->create_infer_request();
    request->given.resize(compiled->inputs().size());
    return hold(std::move(request));
  });
}

[[gnu::noinline]] runtime::InferRequest& request_of(uint32_t id) { return get<Request>(id)->idle(); }

// Makes input i a tensor of this type and shape and gives {address, ...} for its values. Memory of the last
// call is used again where type and shape are the same.
std::string set_input(uint32_t id, size_t i, const std::string& type, const std::string& sizes,
                      const std::string& lengths, const std::string& joined) {
  return guarded([&] {
    const auto request = get<Request>(id);
    runtime::InferRequest& idle = request->idle();
    if (i >= request->given.size()) fail(ErrorCode::kInvalidArgument, "there is no input ", i);
    Tensor& given = request->given[i];
    const ElementType wanted = element_type(type);
    Shape shape = Texts::shape_of(sizes);
    if (!given || wanted == ElementType::kString || given.type() != wanted || !(given.shape() == shape)) {
      Tensor made = make_tensor(wanted, std::move(shape), Texts(lengths, joined));
      idle.set_input(i, made);
      given = std::move(made);
    }
    return describe(given.view());
  });
}

std::string infer(uint32_t id) {
  return guarded([&] {
    runtime::InferRequest& request = request_of(id);
#if WASMVINO_THREADS
    web::Runner::shared().exclusive();
    std::optional<runtime::OneThread> alone;
    if (!web::Runner::shared().may_wait()) alone.emplace();
#endif
    request.infer();
    return std::string();
  });
}

#if WASMVINO_THREADS

// Called once, before all else. `may_wait`: whether this thread may sleep. One that may not is a page's: the thread
// that computes for it is started now, while the page loads its model.
void set_up(bool may_wait) {
  // Else the first call from another thread is followed by the end of the program, as one without main() is over.
  emscripten_runtime_keepalive_push();
  web::Runner& runner = web::Runner::shared();
  runner.set_may_wait(may_wait);
  if (!may_wait) runner.start();
}

// Jobs keep their failure for result(): exceptions end where they are.
class GuardedJob : public web::Job {
 public:
  void work() final { failure_ = guarded([&] { return compute(), std::string(); }); }
  std::string result() final { return failure_.empty() ? guarded([&] { return succeed(); }) : failure_; }

 protected:
  virtual void compute() = 0;
  virtual std::string succeed() = 0;

 private:
  std::string failure_;
};

class InferJob final : public GuardedJob {
 public:
  explicit InferJob(std::shared_ptr<Request> request) : request_(std::move(request)) {
    request_->running = true;
  }
  ~InferJob() override { request_->running = false; }

 protected:
  void compute() override { request_->request->infer(); }
  std::string succeed() override { return std::string(); }

 private:
  std::shared_ptr<Request> request_;
};

class CompileJob final : public GuardedJob {
 public:
  CompileJob(std::shared_ptr<model::Model> model, const runtime::CompileOptions& options)
      : model_(std::move(model)), options_(options) {}

 protected:
  void compute() override { compiled_ = runtime::CompiledModel::compile(*model_, registry(), options_); }
  std::string succeed() override { return hold_compiled(std::move(compiled_)); }

 private:
  std::shared_ptr<model::Model> model_;
  runtime::CompileOptions options_;
  std::shared_ptr<runtime::CompiledModel> compiled_;
};

// infer() and compileModel() on the runner's thread; finish() gives what they would have given.
std::string start_infer(uint32_t id) {
  return exclusively([&] {
    request_of(id);
    web::Runner::shared().post(std::make_unique<InferJob>(get<Request>(id)));
    return std::string();
  });
}

std::string start_compile(uint32_t id, bool passes, bool profiling, size_t threads) {
  return exclusively([&] {
    // Threads start while this one does something else: the sooner, the better.
    runtime::make_parallel(threads);
    const runtime::CompileOptions options{passes, profiling, threads};
    web::Runner::shared().post(std::make_unique<CompileJob>(get<model::Model>(id), options));
    return std::string();
  });
}

std::string finish() {
  return guarded([] { return web::Runner::shared().finish(); });
}

#endif

std::string output(uint32_t id, size_t i) {
  return guarded([&] { return describe(request_of(id).output(i).view()); });
}

// [{id, type, shape, value}]; value is absent while the variable is unset.
std::string variables(uint32_t id) {
  return guarded([&] {
    return array_of(request_of(id).variables(), [](const model::Variable* variable) {
      Json object('{');
      object.put_text("id", variable->id)
          .put_text("type", name(variable->type))
          .put_text("shape", to_string(variable->shape));
      if (variable->value) object.put("value", describe(variable->value.view()));
      return object.done();
    });
  });
}

// Gives variable i a value of this type and shape; the result is as set_input's.
std::string set_variable(uint32_t id, size_t i, const std::string& type, const std::string& sizes,
                         const std::string& lengths, const std::string& joined) {
  return guarded([&] {
    model::Variable& variable = *request_of(id).variables().at(i);
    Tensor made = make_tensor(element_type(type), Texts::shape_of(sizes), Texts(lengths, joined));
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

std::string reset_variable(uint32_t id, size_t i) {
  return guarded([&] {
    request_of(id).variables().at(i)->value = Tensor();
    return std::string();
  });
}

std::string reset_state(uint32_t id) {
  return guarded([&] {
    request_of(id).reset_state();
    return std::string();
  });
}

std::string profiling(uint32_t id) {
  return guarded([&] {
    return array_of(request_of(id).profiling(), [](const runtime::ProfilingInfo& node) {
      static constexpr const char* kStatus[] = {"NOT_RUN", "OPTIMIZED_OUT", "EXECUTED"};
      return Json('{')
          .put_text("nodeName", node.node_name)
          .put_text("nodeType", node.node_type)
          .put_text("execType", node.exec_type)
          .put_text("status", kStatus[static_cast<size_t>(node.status)])
          .put("realTime", cat(node.microseconds))
          .put("cpuTime", cat(node.microseconds))
          .put("calls", cat(node.calls))
          .done();
    });
  });
}

// The list is of texts: for each port its number, the number of names in its path, and these, outermost
// first.
std::string observe(uint32_t id, const std::string& lengths, const std::string& joined) {
  return exclusively([&] {
    Texts texts(lengths, joined);
    std::vector<runtime::ObservedPort> observed;
    for (size_t taken = 0; taken < texts.size();) {
      runtime::ObservedPort port;
      port.port = Texts::shape_of(texts.next())[0];
      for (int64_t names = Texts::shape_of(texts.next())[0]; names > 0; --names)
        port.path.push_back(texts.next());
      taken += 2 + port.path.size();
      observed.push_back(std::move(port));
    }
    request_of(id).observe(std::move(observed));
    return std::string();
  });
}

// [{observed, iterations, value}]
std::string observations(uint32_t id) {
  return guarded([&] {
    return array_of(request_of(id).observations(), [](const runtime::Observation& observation) {
      return Json('{')
          .put("observed", cat(observation.observed))
          .put("iterations", numbers(observation.iterations))
          .put("value", describe(observation.value.view()))
          .done();
    });
  });
}

std::string memory_bytes(uint32_t id) {
  return guarded([&] { return cat(request_of(id).memory_bytes()); });
}

// What a model is made of, whether or not it can be read: {name, irVersion, inputs, outputs, operations,
// problems}.
std::string inspect(const std::string& xml, uint32_t weights, double size) {
  return exclusively([&] {
    const ir::Inspection found = ir::inspect(xml, byte_source(weights, size), registry());
    const auto operation = [](const ir::Inspection::Operation& each) {
      return Json('{')
          .put_text("type", each.type)
          .put_text("version", each.version)
          .put("count", cat(each.count))
          .put("supported", each.supported ? "true" : "false")
          .done();
    };
    return Json('{')
        .put_text("name", found.name)
        .put("irVersion", cat(found.ir_version))
        .put("inputs", describe(found.inputs))
        .put("outputs", describe(found.outputs))
        .put("operations", array_of(found.operations, operation))
        .put("problems", describe(found.problems))
        .done();
  });
}

// [{type, since, until, specification}] of all operations of this build, sorted.
std::string operations() {
  return array_of(registry().all(), [](const model::OpClass& op) {
    return Json('{')
        .put_text("type", op.type)
        .put("since", cat(op.since))
        .put("until", cat(op.until))
        .put_text("specification", op.specification)
        .done();
  });
}

EMSCRIPTEN_BINDINGS(wasmvino) {
  emscripten::function("readModel", &read_model);
  emscripten::function("inspect", &inspect);
  emscripten::function("operations", &operations);
  emscripten::function("describeModel", &describe_model);
  emscripten::function("modelOps", &model_ops);
  emscripten::function("copyModel", &copy_model);
  emscripten::function("reshapeModel", &reshape_model);
  emscripten::function("compileModel", &compile_model);
  emscripten::function("createInferRequest", &create_infer_request);
  emscripten::function("setInput", &set_input);
  emscripten::function("infer", &infer);
  emscripten::function("output", &output);
  emscripten::function("variables", &variables);
  emscripten::function("setVariable", &set_variable);
  emscripten::function("resetVariable", &reset_variable);
  emscripten::function("resetState", &reset_state);
  emscripten::function("profiling", &profiling);
  emscripten::function("observe", &observe);
  emscripten::function("observations", &observations);
  emscripten::function("memoryBytes", &memory_bytes);
  emscripten::function("release", &release);
#if WASMVINO_THREADS
  emscripten::function("setUp", &set_up);
  emscripten::function("startInfer", &start_infer);
  emscripten::function("startCompile", &start_compile);
  emscripten::function("finish", &finish);
#endif
}

}  // namespace
}  // namespace wasmvino
