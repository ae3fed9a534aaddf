// SPDX-License-Identifier: Apache-2.0
#include "models.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "core/work.h"
#include "extensions.h"
#include "frontends/common/extensions.h"
#include "frontends/frontends.h"
#include "model/contract_text.h"
#include "objects.h"
#include "ops/registry.h"
#include "passes/smart_reshape.h"
#include "preprocess/layout.h"
#include "preprocess/recipe.h"

// Implemented in web/library.js.
extern "C" {
bool wasmvino_read_weights(uint32_t weights, double offset, double count, uint8_t* to);
void wasmvino_keep_weights(uint32_t weights, double offset, double count);
void wasmvino_release_weights(uint32_t weights);
bool wasmvino_write_weights(const uint8_t* bytes, double count);
}

namespace wasmvino::web {
namespace {

using ops::registry;

// The part of the module that a front end is in, or an empty text.
std::string_view part_of(const frontends::Frontend& frontend) {
  if (frontend.name() == "ONNX") return "onnx";
  return frontend.name() == "PNNX" ? "pnnx" : "";
}

class CallersBytes final : public ByteSource {
 public:
  explicit CallersBytes(LentBytes lent) : weights_(lent.id), size_(static_cast<size_t>(lent.size)) {}
  ~CallersBytes() override { wasmvino_release_weights(weights_); }
  size_t size() const override { return size_; }
  void read(size_t offset, size_t count, void* to) const override {
    // In pieces, between which the call is polled.
    constexpr size_t kPiece = size_t{1} << 24, kBytesPerStep = 16;
    for (size_t done = 0; done < count; done += kPiece) {
      const size_t some = std::min(kPiece, count - done);
      if (!wasmvino_read_weights(weights_, static_cast<double>(offset + done), static_cast<double>(some),
                                 static_cast<uint8_t*>(to) + done)) {
        fail(ErrorCode::kUnreadable,
             "the buffer of the model or its weights was transferred or made smaller while the model is in "
             "use");
      }
      count_work(some / kBytesPerStep);
    }
  }
  void keep(size_t offset, size_t count) const override {
    wasmvino_keep_weights(weights_, static_cast<double>(offset), static_cast<double>(count));
  }

 private:
  uint32_t weights_;
  size_t size_;
};

std::shared_ptr<const ByteSource> byte_source(LentBytes lent) {
  return lent.id == 0 ? nullptr : std::make_shared<CallersBytes>(lent);
}

// A range of a source.
class Part final : public ByteSource {
 public:
  Part(std::shared_ptr<const ByteSource> whole, size_t offset, size_t size)
      : whole_(std::move(whole)), offset_(offset), size_(size) {}
  size_t size() const override { return size_; }
  void read(size_t offset, size_t count, void* to) const override {
    whole_->read(offset_ + offset, count, to);
  }
  void keep(size_t offset, size_t count) const override { whole_->keep(offset_ + offset, count); }

 private:
  std::shared_ptr<const ByteSource> whole_;
  size_t offset_, size_;
};

// The weights, or the files that follow one another in them: `parts` has the path and the size of each.
frontends::Companions companions_of(LentBytes lent, Texts parts) {
  std::shared_ptr<const ByteSource> weights = byte_source(lent);
  if (parts.size() == 0) return {std::move(weights)};
  std::map<std::string, std::shared_ptr<const ByteSource>> files;
  for (size_t i = 0, offset = 0; i + 1 < parts.size(); i += 2) {
    const std::string path = parts.next(), digits = parts.next();
    size_t size = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (weights == nullptr || size > weights->size() - offset)
      fail(ErrorCode::kInvalidArgument, "'", path, "' has ", size, " bytes, more than were given");
    files.emplace(path, std::make_shared<Part>(weights, offset, size));
    offset += size;
  }
  return {nullptr, [files = std::move(files)](const std::string& path) {
            const auto found = files.find(path);
            return found == files.end() ? nullptr : found->second;
          }};
}

PartialShape shape_from(const std::string& text) {
  const auto shape = parse_partial_shape(text);
  if (!shape) fail(ErrorCode::kInvalidArgument, "'", text, "' is not a shape");
  return *shape;
}

// Sets the shape of every ReadValue of a variable, in bodies too. Returns true if there is one.
bool declare_variable(model::Model& model, std::string_view variable, const PartialShape& shape) {
  bool found = false;
  for (const auto& node : model.nodes) {
    for (const model::Body& body : node->bodies) {
      if (declare_variable(*body.model, variable, shape)) found = true;
    }
    if (node->op == nullptr || node->op->reads_variable() != variable) continue;
    if (std::shared_ptr<model::Op> op = node->op->with_variable_shape(shape)) {
      node->op = std::move(op);
      found = true;
    }
  }
  return found;
}

void reshape_variable(model::Model& model, const std::string& variable, const PartialShape& shape) {
  if (variable.empty() || !declare_variable(model, variable, shape)) {
    fail(ErrorCode::kInvalidArgument, "the model has no variable '", variable, "' with a shape of its own");
  }
}

// JavaScript owns the inputs and copies them here for each run.
runtime::CompileOptions compile_options(const CompileSettings& settings) {
  return {.passes = settings.passes,
          .integers = settings.integers,
          .row_group = settings.row_group,
          .cache_precision = {.keys = static_cast<model::VariablePrecision>(settings.key_precision),
                              .values = static_cast<model::VariablePrecision>(settings.value_precision)},
          .skipped_passes = settings.skipped_passes,
          .last_logits = settings.last_logits,
          .profiling = settings.profiling,
          .threads = settings.threads,
          .overwrites_inputs = true};
}

// {id, inputs, outputs}
val hold_compiled(std::shared_ptr<runtime::CompiledModel> compiled, const AllLimits& limits) {
  Object object;
  object.put("inputs", describe(compiled->inputs())).put("outputs", describe(compiled->outputs()));
  return object.put("id", hold(std::move(compiled), limits)).done();
}

#if WASMVINO_THREADS

class CompileJob final : public GuardedJob {
 public:
  CompileJob(std::shared_ptr<model::Model> model, const runtime::CompileOptions& options,
             const AllLimits& limits)
      : model_(std::move(model)), options_(options), limits_(limits) {}

 protected:
  void compute() override {
    within(limits_, [&] { compiled_ = runtime::CompiledModel::compile(*model_, registry(), options_); });
  }
  val succeed() override { return hold_compiled(std::move(compiled_), limits_); }

 private:
  std::shared_ptr<model::Model> model_;
  runtime::CompileOptions options_;
  AllLimits limits_;
  std::shared_ptr<runtime::CompiledModel> compiled_;
};

#endif

}  // namespace

val parts_of(LentBytes file) {
  return guarded([&] {
    std::vector<std::string_view> parts;
    const frontends::Frontend* frontend = frontends::find(CallersBytes(file));
    if (frontend != nullptr && !part_of(*frontend).empty()) parts.push_back(part_of(*frontend));
    return array_of(parts, [](std::string_view part) { return text(part); });
  });
}

val read_model(LentBytes file, LentBytes weights, const CallLimits& given) {
  return exclusively([&] {
    const AllLimits limits = to_limits(given);
    const model::Registry& known = registry();  // made at the first call, for all owners
    return within(limits, [&] {
      const frontends::Companions companions = companions_of(weights, Texts(take_staged()));
      return hold(std::shared_ptr(frontends::read(std::make_shared<CallersBytes>(file), companions, known)),
                  limits);
    });
  });
}

val outline(LentBytes file, const CallLimits& given) {
  return exclusively([&] {
    const frontends::Outline found =
        within(to_limits(given), [&] { return frontends::outline(CallersBytes(file)); });
    const auto texts = [](const std::vector<std::string>& list) {
      return array_of(list, [](const std::string& each) { return text(each); });
    };
    const auto port = [&](const frontends::Outline::Port& each) {
      return Object().put_text("name", each.name).put("dimensions", texts(each.dimensions)).done();
    };
    return Object()
        .put("files", texts(found.files))
        .put("inputs", array_of(found.inputs, port))
        .put("outputs", array_of(found.outputs, port))
        .done();
  });
}

val describe_model(uint32_t id) {
  return guarded([&] {
    const auto model = get<model::Model>(id);
    return Object()
        .put_text("name", model->name)
        .put("inputs", describe(runtime::input_ports(*model)))
        .put("outputs", describe(runtime::output_ports(*model)))
        .put(
            "runtimeOptions",
            array_of(model->runtime_options,
                     [](const auto& option) {
                       return Object().put_text("name", option.first).put_text("value", option.second).done();
                     }))
        .done();
  });
}

val model_ops(uint32_t id) {
  return guarded([&] {
    return array_of(get<model::Model>(id)->nodes, [](const auto& node) {
      return Object().put_text("name", node->name).put_text("type", node->type).done();
    });
  });
}

val copy_model(uint32_t id) {
  return exclusively([&] {
    const AllLimits limits = limits_of(id);
    return within(limits, [&] { return hold(std::shared_ptr(get<model::Model>(id)->clone()), limits); });
  });
}

val reshape_model(uint32_t id, const CallLimits& given) {
  return exclusively([&] {
    const AllLimits limits = to_limits(given);
    within(limits, [&] {
      std::shared_ptr<model::Model> changed = get<model::Model>(id)->clone();
      Texts shapes(take_staged());
      passes::smart_reshape(*changed, registry());
      for (model::Node* parameter : changed->parameters) {
        const std::string wanted = shapes.next();
        if (wanted.empty()) continue;
        auto op = std::make_shared<model::ParameterOp>();
        op->type = parameter->outputs[0].type;
        op->shape = shape_from(wanted);
        parameter->op = std::move(op);
      }
      for (size_t i = changed->parameters.size(); i + 1 < shapes.size(); i += 2) {
        const std::string variable = shapes.next();
        reshape_variable(*changed, variable, shape_from(shapes.next()));
      }
      changed->infer();
      replace(id, std::move(changed));
    });
  });
}

val preprocess_model(uint32_t id, const CallLimits& given) {
  return exclusively([&] {
    const AllLimits limits = to_limits(given);
    within(limits, [&] {
      std::shared_ptr<model::Model> changed = get<model::Model>(id)->clone();
      Texts staged(take_staged());
      std::vector<std::string> recipe(staged.size());
      for (std::string& text : recipe) text = staged.next();
      preprocess::apply(*changed, registry(), recipe);
      replace(id, std::move(changed));
    });
  });
}

val write_model(uint32_t id, bool compress_to_f16) {
  return exclusively([&] {
    const auto take = [](const void* bytes, size_t count) {
      if (!wasmvino_write_weights(static_cast<const uint8_t*>(bytes), static_cast<double>(count))) {
        fail(ErrorCode::kInvalidState, "the weights could not be written");
      }
    };
    const std::string xml = within(limits_of(id), [&] {
      return frontends::write(*get<model::Model>(id), take, {.compress_to_f16 = compress_to_f16});
    });
    return Object().put_text("xml", xml).done();
  });
}

val check_layout(const std::string& layout) {
  return guarded([&] { preprocess::Layout{layout}; });
}

val compile_model(uint32_t id, const CompileSettings& settings, const CallLimits& given) {
  return exclusively([&] {
    const AllLimits limits = to_limits(given);
    return within(limits, [&] {
      const auto model = get<model::Model>(id);
      return hold_compiled(runtime::CompiledModel::compile(*model, registry(), compile_options(settings)),
                           limits);
    });
  });
}

#if WASMVINO_THREADS

val start_compile(uint32_t id, const CompileSettings& settings, const CallLimits& limits) {
  return exclusively([&] {
    // Threads take time to start, so start them as early as possible, while this thread continues.
    runtime::make_parallel(settings.threads);
    Runner::shared().post(
        std::make_unique<CompileJob>(get<model::Model>(id), compile_options(settings), to_limits(limits)));
  });
}

#endif

val inspect(LentBytes file, LentBytes weights) {
  return exclusively([&] {
    const frontends::Inspection found =
        frontends::inspect(std::make_shared<CallersBytes>(file), byte_source(weights), registry());
    const auto operation = [](const frontends::Inspection::Operation& each) {
      return Object()
          .put_text("type", each.type)
          .put_text("version", each.version)
          .put("count", static_cast<double>(each.count))
          .put("supported", val(each.supported))
          .done();
    };
    return Object()
        .put_text("name", found.name)
        .put("irVersion", static_cast<double>(found.ir_version))
        .put("inputs", describe(found.inputs))
        .put("outputs", describe(found.outputs))
        .put("operations", array_of(found.operations, operation))
        .put("problems", describe(found.problems))
        .done();
  });
}

val operations(const std::string& parts) {
  std::vector<const frontends::Frontend*> loaded;
  for (const frontends::Frontend* frontend : frontends::all()) {
    if (parts.find(part_of(*frontend)) != std::string::npos) loaded.push_back(frontend);
  }
  return array_of(registry().all(), [&](const model::OpClass& op) {
    Object operators;
    for (const frontends::Frontend* frontend : loaded) {
      const auto names = frontend->operators_for(op.type);
      if (!names) continue;
      operators.put(std::string(frontend->name()).c_str(),
                    array_of(*names, [](std::string_view name) { return text(name); }));
    }
    return Object()
        .put_text("domain", op.domain)
        .put_text("type", op.type)
        .put("since", static_cast<double>(op.since))
        .put("until", static_cast<double>(op.until))
        .put_text("specification", op.specification)
        .put_text("inputs", model::describe(*op.types))
        .put("operators", operators.done())
        .done();
  });
}

val set_extensions() {
  return exclusively([] {
    Texts staged(take_staged());
    std::vector<frontends::Extension> extensions;
    for (size_t i = 0; i + 2 < staged.size(); i += 3) {
      std::string type = staged.next();
      std::string version = staged.next();
      const int number = static_cast<int>(shape_of(staged.next())[0]);
      auto make = [number, version](const model::AttributeTexts& texts) {
        return make_extension(number, version, texts);
      };
      extensions.push_back({std::move(type), std::move(version), std::move(make)});
    }
    frontends::set_extensions(std::move(extensions));
  });
}

}  // namespace wasmvino::web
