// SPDX-License-Identifier: Apache-2.0
// Einsum: products of several tensors, summed over the axes that are missing from the output.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/matrix/einsum-7.html
#include <algorithm>
#include <map>

#include "core/work.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"
#include "ops/matrix/gemm.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::einsum {

// A letter, or an axis under an ellipsis: kEllipsis + its distance from the last axis under the ellipsis.
using Label = int64_t;
using Labels = Ints;
constexpr Label kEllipsis = 256;

bool has(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// ---- the equation

struct Equation {
  std::vector<std::string> inputs;  // subscripts; an ellipsis is a single '.'
  std::string output;
};

[[noreturn]] void refuse(const std::string& equation, const std::string& reason) {
  fail(ErrorCode::kInvalidModel, "attribute 'equation' is '", equation, "': ", reason);
}

std::string parse_subscript(const std::string& equation, std::string_view text) {
  std::string subscript;
  while (!text.empty()) {
    if (text.substr(0, 3) == "...") {
      if (subscript.find('.') != std::string::npos) refuse(equation, "a subscript contains two ellipses");
      subscript += '.';
      text.remove_prefix(3);
    } else if ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z')) {
      subscript += text[0];
      text.remove_prefix(1);
    } else {
      refuse(equation, cat("'", text[0], "' is neither a letter nor part of an ellipsis"));
    }
  }
  return subscript;
}

Equation parse(const std::string& equation) {
  std::string text;
  for (const char c : equation) {
    if (c != ' ') text += c;
  }
  const size_t arrow = text.find("->");
  std::string_view left = std::string_view(text).substr(0, arrow);
  Equation parsed;
  while (true) {
    const size_t comma = left.find(',');
    parsed.inputs.push_back(parse_subscript(equation, left.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  std::string all;
  for (const std::string& subscript : parsed.inputs) all += subscript;
  if (arrow == std::string::npos) {
    // An implicit output: the ellipsis, then all letters that occur once, capitals first.
    if (all.find('.') != std::string::npos) parsed.output = ".";
    for (char c = 'A'; c <= 'z'; ++c) {
      if (std::count(all.begin(), all.end(), c) == 1) parsed.output += c;
    }
    return parsed;
  }
  parsed.output = parse_subscript(equation, std::string_view(text).substr(arrow + 2));
  for (const char c : parsed.output) {
    if (c == '.') continue;
    if (all.find(c) == std::string::npos)
      refuse(equation, cat("no input has the label '", c, "' of the output"));
    if (std::count(parsed.output.begin(), parsed.output.end(), c) > 1) {
      refuse(equation, cat("the output contains '", c, "' twice"));
    }
  }
  return parsed;
}

// The labels of the axes of a tensor, or of the output. An ellipsis stands for `covered` axes.
Labels labels_of(const std::string& subscript, size_t covered) {
  Labels labels;
  for (const char c : subscript) {
    if (c != '.') {
      labels.push_back(c);
    } else {
      for (size_t i = covered; i-- > 0;) labels.push_back(kEllipsis + static_cast<Label>(i));
    }
  }
  return labels;
}

bool has_ellipsis(const std::string& subscript) { return subscript.find('.') != std::string::npos; }
size_t letters(const std::string& subscript) { return subscript.size() - (has_ellipsis(subscript) ? 1 : 0); }

// ---- contractions

// A tensor whose axes have labels, each label once. Strides are in elements.
struct Operand {
  Labels labels;
  Shape sizes;
  Ints strides;
  // The memory that holds it.
  enum class Place { kInput, kScratch, kOutput } place = Place::kInput;
  size_t at = 0;  // index of the input, or offset in the scratch memory in elements

  size_t axis(Label label) const {
    return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  }
  int64_t size(Label label) const { return has(labels, label) ? sizes[axis(label)] : 1; }
  // 0 if the single element along the label is repeated, or if the label is missing.
  int64_t stride(Label label) const { return size(label) == 1 ? 0 : strides[axis(label)]; }
};

Operand operand_of(const Labels& labels, const Shape& shape, size_t input) {
  Operand operand;
  operand.at = input;
  const Ints strides = row_major_strides(shape);
  for (size_t i = 0; i < labels.size(); ++i) {
    const size_t axis = operand.axis(labels[i]);
    if (axis == operand.labels.size()) {
      operand.labels.push_back(labels[i]);
      operand.sizes.push_back(shape[i]);
      operand.strides.push_back(strides[i]);
    } else {
      operand.strides[axis] += strides[i];  // a repeated label steps along the diagonal
    }
  }
  return operand;
}

// Copies the elements of `from` into one block, in the order of `kept`, and sums over `summed`.
struct Gather {
  Operand from, to;
  Shape kept, summed;
  Ints kept_strides, summed_strides;
};

Gather make_gather(const Operand& from, const Labels& kept, const Shape& sizes, const Labels& summed) {
  Gather gather;
  gather.from = from;
  gather.to.labels = kept;
  gather.to.sizes = sizes;
  gather.to.strides = row_major_strides(sizes);
  gather.kept = sizes;
  for (const Label label : kept) gather.kept_strides.push_back(from.stride(label));
  for (const Label label : summed) {
    gather.summed.push_back(from.size(label));
    gather.summed_strides.push_back(from.stride(label));
  }
  return gather;
}

// Whether the elements are already in the order in which a gather would store them.
bool is_block(const Operand& operand, const Labels& order) {
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    if (operand.size(order[i]) == 1) continue;
    if (operand.stride(order[i]) != stride) return false;
    stride *= operand.size(order[i]);
  }
  return true;
}

// A matmul: [count][m][k] times [count][k][n]. Each operand is a block in one of two orders.
struct Product {
  Operand a, b, c;
  size_t count, m, n, k;
  bool a_by_columns;  // A is stored as [count][k][m]
  bool b_by_columns;  // B is stored as [count][n][k]
};

struct Step {  // exactly one of the two is set
  std::optional<Gather> gather;
  std::optional<Product> product;
};

Labels joined(const Labels& a, const Labels& b, const Labels& c) {
  Labels all = a;
  for (const Label label : b) all.push_back(label);
  for (const Label label : c) all.push_back(label);
  return all;
}

// The steps of a run. Operands are processed one after the other: each is copied into a block unless it is
// one, then multiplied.
class Plan {
 public:
  Plan(const std::vector<Operand>& operands, const Labels& output) {
    Operand result = operands[0];
    for (size_t i = 1; i < operands.size(); ++i) {
      Labels wanted = output;
      for (size_t j = i + 1; j < operands.size(); ++j) wanted = joined(wanted, operands[j].labels, {});
      result = multiply(result, operands[i], wanted);
    }
    Labels summed;
    for (const Label label : result.labels) {
      if (!has(output, label) && result.size(label) != 1) summed.push_back(label);
    }
    if (!steps_.empty() && summed.empty() && is_block(result, output)) {
      steps_.back().product->c.place = Operand::Place::kOutput;
      return;
    }
    Gather last = make_gather(result, output, sizes_of(result, output), summed);
    last.to.place = Operand::Place::kOutput;
    steps_.push_back({std::move(last), std::nullopt});
  }

  const std::vector<Step>& steps() const { return steps_; }
  size_t scratch() const { return scratch_.value(); }  // in elements

 private:
  static Shape sizes_of(const Operand& operand, const Labels& labels) {
    Shape sizes;
    for (const Label label : labels) sizes.push_back(operand.size(label));
    return sizes;
  }

  size_t reserve(const Shape& sizes) {
    const size_t at = scratch_.value();
    scratch_ += CheckedSize(element_count(sizes)).rounded_up(16);
    return at;
  }

  // Returns `from` as a block of these sizes, copied if necessary.
  Operand block(const Operand& from, const Labels& order, const Shape& sizes, const Labels& summed) {
    if (summed.empty() && sizes_of(from, order) == sizes && is_block(from, order)) return from;
    Gather gather = make_gather(from, order, sizes, summed);
    gather.to.place = Operand::Place::kScratch;
    gather.to.at = reserve(sizes);
    steps_.push_back({gather, std::nullopt});
    return gather.to;
  }

  // Labels in both operands are batch axes if they are needed later; otherwise the matmul sums over them.
  // Labels in one operand become rows or columns, or are summed at once.
  Operand multiply(const Operand& a, const Operand& b, const Labels& wanted) {
    Labels pairs, depth, rows, columns, a_summed, b_summed;
    for (const Label label : a.labels) {
      if (has(b.labels, label)) {
        (has(wanted, label) ? pairs : depth).push_back(label);
      } else {
        (has(wanted, label) ? rows : a_summed).push_back(label);
      }
    }
    for (const Label label : b.labels) {
      if (!has(a.labels, label)) (has(wanted, label) ? columns : b_summed).push_back(label);
    }
    // One of the sizes may be 1, and is then repeated.
    const auto sizes = [&](const Labels& labels) {
      Shape result;
      for (const Label label : labels) {
        const int64_t left = a.size(label), right = b.size(label);
        result.push_back(left == 1 ? right : left);
      }
      return result;
    };
    Product p;
    p.count = element_count(sizes(pairs));
    p.m = element_count(sizes(rows));
    p.n = element_count(sizes(columns));
    p.k = element_count(sizes(depth));
    const Labels a_rows = joined(pairs, rows, depth), a_columns = joined(pairs, depth, rows);
    p.a_by_columns = a_summed.empty() && sizes_of(a, a_columns) == sizes(a_columns) && is_block(a, a_columns);
    p.a = block(a, p.a_by_columns ? a_columns : a_rows, sizes(p.a_by_columns ? a_columns : a_rows), a_summed);
    const Labels b_rows = joined(pairs, depth, columns), b_columns = joined(pairs, columns, depth);
    p.b_by_columns = b_summed.empty() && sizes_of(b, b_columns) == sizes(b_columns) && is_block(b, b_columns);
    p.b = block(b, p.b_by_columns ? b_columns : b_rows, sizes(p.b_by_columns ? b_columns : b_rows), b_summed);
    p.c.labels = joined(pairs, rows, columns);
    p.c.sizes = sizes(p.c.labels);
    p.c.strides = row_major_strides(p.c.sizes);
    p.c.place = Operand::Place::kScratch;
    p.c.at = reserve(p.c.sizes);
    steps_.push_back({std::nullopt, p});
    return p.c;
  }

  std::vector<Step> steps_;
  CheckedSize scratch_;
};

// ---- running

// Iterates over all index tuples of `sizes` and calls body(offset), where `strides` determine the offset.
template <typename Body>
void walk(const Shape& sizes, const Ints& strides, const Body& body) {
  Shape at(sizes.size(), 0);
  int64_t offset = 0;
  for (size_t count = element_count(sizes); count > 0; --count) {
    body(offset);
    for (size_t axis = at.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++at[axis] < sizes[axis]) break;
      offset -= strides[axis] * sizes[axis];
      at[axis] = 0;
    }
  }
}

inline float add(float a, float b) { return a + b; }
inline int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

template <typename T>
void run_sum(const Gather& gather, const T* from, T* to) {
  const size_t summed = 4 * element_count(gather.summed);
  walk(gather.kept, gather.kept_strides, [&](int64_t first) {
    T sum = 0;
    count_work(summed);
    walk(gather.summed, gather.summed_strides, [&](int64_t offset) { sum = add(sum, from[first + offset]); });
    *to++ = sum;
  });
}

void run_product(const Product& p, const float* a, const float* b, float* c, const Parallel& parallel,
                 float* packing) {
  const size_t ranges = gemm_parts(parallel.threads(), p.count * p.m, p.n, p.k);
  const size_t parts = (ranges + std::max<size_t>(1, p.count) - 1) / std::max<size_t>(1, p.count);
  const size_t tasks = p.count * parts;
  parallel_for(parallel, tasks, (tasks + ranges - 1) / ranges, [&](size_t first, size_t last, size_t thread) {
    for (size_t task = first; task < last; ++task) {
      const size_t i = task / parts;
      kernels::Gemm gemm{};
      gemm.m = p.m;
      gemm.n = p.n;
      gemm.k = p.k;
      gemm.a = a + i * p.m * p.k;
      gemm.a_row_stride = p.a_by_columns ? 1 : p.k;
      gemm.a_k_stride = p.a_by_columns ? p.m : 1;
      gemm.c = c + i * p.m * p.n;
      gemm.c_row_stride = p.n;
      gemm_part(gemm, b + i * p.k * p.n, p.b_by_columns ? 1 : p.n, p.b_by_columns ? p.k : 1,
                packing + thread * kernels::kGemmScratchSize, task % parts, parts);
    }
  });
}

void run_product(const Product& p, const int64_t* a, const int64_t* b, int64_t* c, const Parallel&,
                 int64_t*) {
  for (size_t i = 0; i < p.count; ++i, a += p.m * p.k, b += p.k * p.n) {
    for (size_t row = 0; row < p.m; ++row) {
      for (size_t column = 0; column < p.n; ++column) {
        uint64_t sum = 0;
        count_work(p.k);
        for (size_t k = 0; k < p.k; ++k) {
          const int64_t left = a[p.a_by_columns ? k * p.m + row : row * p.k + k];
          const int64_t right = b[p.b_by_columns ? column * p.k + k : k * p.n + column];
          sum += static_cast<uint64_t>(left) * static_cast<uint64_t>(right);
        }
        *c++ = static_cast<int64_t>(sum);
      }
    }
  }
}

// Wrapping sums and products have the same bits for both types.
ElementType signed_twin(ElementType type) { return type == ElementType::kU64 ? ElementType::kI64 : type; }

// T is float, or int64_t for integers of all types, which are converted on input and output.
template <typename T>
class EinsumKernel final : public Kernel {
 public:
  EinsumKernel(CompileContext& context, Plan plan)
      : plan_(std::move(plan)), output_(element_count(context.output_shape(0))) {
    size_t elements = plan_.scratch();
    if constexpr (std::is_integral_v<T>) {
      for (size_t i = 0; i < context.input_count(); ++i) {
        inputs_.push_back({kernels::number_loader<T>(signed_twin(context.input_type(i))), elements,
                           element_count(context.input_shape(i))});
        elements += inputs_.back().count;
      }
      store_ = kernels::number_storer<T>(signed_twin(context.output_type(0)));
      result_ = elements;
      elements += output_;
    } else {
      elements += context.parallel().threads() * kernels::kGemmScratchSize;
    }
    context.request_scratch(CheckedSize(elements) * sizeof(T));
    for (const Step& step : plan_.steps()) {
      if (!step.gather || !step.gather->summed.empty()) continue;
      const Gather& gather = *step.gather;
      copies_.emplace_back(ElementTypeOf<T>::value, gather.kept, gather.kept_strides,
                           row_major_strides(gather.kept));
    }
  }

  void run(EvalContext& context) override {
    T* const scratch = static_cast<T*>(context.scratch());
    if constexpr (std::is_integral_v<T>) {
      for (size_t i = 0; i < inputs_.size(); ++i) {
        inputs_[i].load(context.input(i).memory, 0, 1, inputs_[i].count, scratch + inputs_[i].at);
      }
    }
    const auto place = [&](const Operand& operand) -> T* {
      switch (operand.place) {
        case Operand::Place::kScratch:
          return scratch + operand.at;
        case Operand::Place::kInput:
          return std::is_integral_v<T> ? scratch + inputs_[operand.at].at
                                       : static_cast<T*>(context.input(operand.at).memory);
        default:
          return std::is_integral_v<T> ? scratch + result_ : static_cast<T*>(context.output(0).memory);
      }
    };
    size_t copy = 0;
    for (const Step& step : plan_.steps()) {
      if (step.gather && step.gather->summed.empty()) {
        copies_[copy++].run(context.parallel(), place(step.gather->from), place(step.gather->to));
      } else if (step.gather) {
        run_sum<T>(*step.gather, place(step.gather->from), place(step.gather->to));
      } else {
        const Product& p = *step.product;
        run_product(p, place(p.a), place(p.b), place(p.c), context.parallel(), scratch + plan_.scratch());
      }
    }
    if constexpr (std::is_integral_v<T>) store_(scratch + result_, output_, context.output(0).memory, 0, 1);
  }

 private:
  struct Input {
    kernels::LoadNumbers<T> load;
    size_t at, count;
  };

  Plan plan_;
  std::vector<StridedCopy> copies_;  // for gathers without sums
  size_t output_;
  std::vector<Input> inputs_;
  kernels::StoreNumbers<T> store_ = nullptr;
  size_t result_ = 0;
};

class Einsum final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("equation");
    visitor.on("equation", text_);
    equation_ = parse(text_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(equation_.inputs.size());
    ElementType type = ElementType::kDynamic;
    bool ranked = true;
    for (size_t i = 0; i < context.input_count(); ++i) {
      if (type == ElementType::kDynamic) type = context.input_type(i);
      // An ellipsis with an unknown number of axes makes the output's rank unknown.
      ranked &= context.input_shape(i).has_rank() || !has_ellipsis(equation_.inputs[i]);
    }
    if (!ranked && has_ellipsis(equation_.output)) {
      context.set_output(0, type, PartialShape());
      return;
    }
    std::map<Label, Dimension> sizes;
    for (size_t i = 0; i < context.input_count(); ++i) meet(context, i, sizes);
    PartialShape shape = PartialShape::of_rank(0);
    for (const Label label : labels_of(equation_.output, covered(context))) {
      const auto found = sizes.find(label);
      shape.push_back(found == sizes.end() ? Dimension() : found->second);
    }
    context.set_output(0, type, shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    if (is_real(context.output_type(0))) {
      return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
        return std::make_unique<EinsumKernel<float>>(inner, make_plan(inner));
      });
    }
    return std::make_unique<EinsumKernel<int64_t>>(context, make_plan(context));
  }

 private:
  // The number of axes under the widest ellipsis.
  template <typename Context>
  size_t covered(const Context& context) const {
    size_t most = 0;
    for (size_t i = 0; i < equation_.inputs.size(); ++i) {
      const PartialShape& shape = context.input(i).shape;
      if (shape.has_rank() && has_ellipsis(equation_.inputs[i])) {
        most = std::max(most, shape.rank() - letters(equation_.inputs[i]));
      }
    }
    return most;
  }

  Labels input_labels(size_t i, size_t rank) const {
    return labels_of(equation_.inputs[i], rank - letters(equation_.inputs[i]));
  }

  // Merges the sizes of an input's axes with those of equal labels.
  void meet(const InferContext& context, size_t i, std::map<Label, Dimension>& sizes) const {
    const PartialShape& shape = context.input_shape(i);
    if (!shape.has_rank()) return;
    const std::string& subscript = equation_.inputs[i];
    const size_t named = letters(subscript);
    if (has_ellipsis(subscript) ? shape.rank() < named : shape.rank() != named) {
      throw Error(ErrorCode::kInvalidShape,
                  cat("input ", i, " has shape ", shape, ", but its subscript in the equation '", text_,
                      "' has ", named, " axes"))
          .port(cat("input ", i))
          .expected(cat(named, " axes"))
          .actual(to_string(shape));
    }
    std::map<Label, Dimension> own;
    const Labels labels = input_labels(i, shape.rank());
    for (size_t axis = 0; axis < labels.size(); ++axis) {
      const auto [place, first] = own.try_emplace(labels[axis], shape[axis]);
      if (first) continue;
      const auto merged = place->second.merge(shape[axis]);
      if (!merged) disagree(labels[axis], i, shape, place->second, shape[axis]);
      place->second = *merged;
    }
    for (const auto& [label, size] : own) {
      const auto [place, first] = sizes.try_emplace(label, size);
      if (first) continue;
      const auto both = broadcast(place->second, size);
      if (!both) disagree(label, i, shape, place->second, size);
      place->second = *both;
    }
  }

  [[noreturn]] void disagree(Label label, size_t i, const PartialShape& shape, Dimension one,
                             Dimension other) const {
    const std::string name =
        label < kEllipsis ? cat("label '", static_cast<char>(label), "'") : "an axis of the ellipsis";
    throw Error(ErrorCode::kInvalidShape, cat(name, " of the equation '", text_, "' is ", other, " in input ",
                                              i, " ", shape, ", but ", one, " earlier"))
        .port(cat("input ", i))
        .expected(to_string(one))
        .actual(to_string(other));
  }

  Plan make_plan(const CompileContext& context) const {
    std::vector<Operand> operands;
    for (size_t i = 0; i < context.input_count(); ++i) {
      const Shape shape = context.input_shape(i);
      operands.push_back(operand_of(input_labels(i, shape.size()), shape, i));
    }
    return Plan(operands, labels_of(equation_.output, covered(context)));
  }

  std::string text_;
  Equation equation_;
};

}  // namespace wasmvino::ops::einsum

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(einsum) {
  registry.add<einsum::Einsum>({"Einsum", {7}, "matrix/einsum-7", {{"input", kNumbers, 0, true}}});
}
}  // namespace wasmvino::ops
