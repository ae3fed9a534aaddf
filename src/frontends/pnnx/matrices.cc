// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication, linear layers and embeddings.
#include <algorithm>
#include <cmath>

#include "frontends/pnnx/calls.h"
#include "frontends/pnnx/equation.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

void mat_mul(Context& c) { c.give(apply_wrapping(c, "MatMul", c.input(0), c.input(1))); }

void linear(Context& c) {
  // The weight tells these.
  c.ignore("in_features out_features");
  const bool stored = c.has_weight("weight");
  const auto given = stored ? std::nullopt : c.find_input("weight", 1);
  Source result =
      c.b().add("MatMul", {c.input(), given ? *given : c.weight("weight")}, {{"transpose_b", true}});
  if (c.has_weight("bias")) {
    c.ignore("bias");
    result = c.b().add("Add", {result, c.weight("bias")});
  } else if (c.find("bias") != nullptr) {
    if (c.flag("bias", false)) c.weight_text("bias");
  } else {
    if (const auto bias = c.find_input("bias", 2)) result = c.b().add("Add", {result, *bias});
  }
  c.give(result);
}

// beta * input + alpha * product. With a beta of 0, infinities and NaN of the input have no effect.
void give_added_product(Context& c, Source product) {
  const Source added = c.input(0);
  const Scalar beta = c.number("beta", 1), alpha = c.number("alpha", 1);
  if (alpha.known != 1) product = with_number(c, "Multiply", product, alpha);
  if (beta.known == 0) {
    c.give(convert(c, product, promoted(c.b().type(added), c.b().type(product))));
  } else if (beta.known == 1) {
    c.give(binary(c, "Add", added, product));
  } else if (beta.known) {
    c.give(binary(c, "Add", with_number(c, "Multiply", added, beta), product));
  } else {
    const Source kept =
        c.b().add("Select", {with_number(c, "Equal", beta.computed, 0), number_like(c, 0, added), added});
    c.give(binary(c, "Add", with_number(c, "Multiply", kept, beta), product));
  }
}

void add_mat_mul(Context& c) { give_added_product(c, c.b().add("MatMul", {c.input(1), c.input(2)})); }

// The products of all matrices of a batch, added up.
void add_batch_mat_mul(Context& c) {
  give_added_product(c, reduce(c, "ReduceSum", c.b().add("MatMul", {c.input(1), c.input(2)}), {0}, false));
}

// The cross product along an axis of three elements. Without an explicit axis, this is the first such axis.
void cross(Context& c) {
  const Source a = c.input(0), b = c.input(1);
  const size_t rank = c.b().rank(a);
  const PartialShape shape = c.b().shape(a);
  size_t axis = 0;
  if (c.has("dim")) {
    axis = static_cast<size_t>(c.axis(c.integer("dim"), rank));
  } else {
    while (axis < rank && !(shape[axis].is_static() && shape[axis].size() == 3)) ++axis;
  }
  if (axis == rank || (shape[axis].is_static() && shape[axis].size() != 3))
    fail(ErrorCode::kInvalidModel, "has no axis of three elements in ", shape);
  const auto turned = [&](const Source& x, const Ints& order) {
    return c.b().add("Gather", {x, c.b().list(order), c.b().scalar(static_cast<int64_t>(axis))});
  };
  const Ints next = {1, 2, 0}, last = {2, 0, 1};
  c.give(binary(c, "Subtract", binary(c, "Multiply", turned(a, next), turned(b, last)),
                binary(c, "Multiply", turned(a, last), turned(b, next))));
}

// Matrices in axes `row` and `column` of the result, each with a row of the input on a diagonal.
Source diagonal_matrices(Context& c, const Source& x, const Scalar& offset, int64_t row, int64_t column) {
  const int64_t last = static_cast<int64_t>(c.b().rank(x)) - 1;
  const Source right = number_as(c, offset, ElementType::kI64);
  const Source down = with_number(c, "Maximum", c.b().add("Negative", {right}), 0);
  const Source count = length_of(c, x, last);
  const Source places = range_to(c, c.b().add("Add", {count, c.b().add("Abs", {right})}));
  // Row i of a matrix has the element i - down of the input, if there is one, in column i + right.
  const Source element = c.b().add("Subtract", {places, down});
  const Source kept =
      with_number(c, "Maximum", c.b().add("Minimum", {element, with_number(c, "Subtract", count, 1)}), 0);
  const Source rows = unsqueeze(c, c.b().add("Gather", {x, kept, c.b().scalar(last)}), last + 1);
  const Source inside = c.b().add(
      "LogicalAnd", {unsqueeze(c, c.b().add("Equal", {element, kept}), 1),
                     c.b().add("Equal", {unsqueeze(c, c.b().add("Add", {places, right}), 1), places})});
  const Source made = c.b().add("Select", {inside, rows, number_like(c, 0, x)});
  if (row == column) fail(ErrorCode::kInvalidModel, "makes matrices of axis ", row, " alone");
  Ints order;
  for (int64_t i = 0, next = 0; i <= last + 1; ++i)
    order.push_back(i == row ? last : i == column ? last + 1 : next++);
  return std::is_sorted(order.begin(), order.end()) ? made : transpose(c, made, order);
}

// A diagonal of a matrix, or a matrix with a diagonal.
void diagonal(Context& c) {
  const Source x = c.input();
  const Scalar offset = c.number("diagonal", 0);
  c.give(c.b().rank(x) == 1 ? diagonal_matrices(c, x, offset, 0, 1) : diagonal_of(c, x, offset, 0, 1));
}

// A matrix with all elements of the input on a diagonal.
void flat_diagonal(Context& c) {
  c.give(diagonal_matrices(c, reshape(c, c.input(), {-1}), c.number("diagonal", 0), 0, 1));
}

void diagonal_of_axes(Context& c) {
  c.give(diagonal_of(c, c.input(), c.number("offset", 0), c.integer("dim1", 0), c.integer("dim2", 1)));
}

void embedded_diagonals(Context& c) {
  const Source x = c.input();
  const size_t rank = c.b().rank(x) + 1;
  c.give(diagonal_matrices(c, x, c.number("offset", 0), c.axis(c.integer("dim1", -2), rank),
                           c.axis(c.integer("dim2", -1), rank)));
}

void einsum(Context& c) {
  c.ignore("path");
  std::vector<Source> inputs;
  std::vector<PartialShape> shapes;
  for (size_t i = 0; i < c.input_count(); ++i) {
    inputs.push_back(c.input(i));
    shapes.push_back(c.b().shape(inputs.back()));
  }
  const PartialShape declared = c.op().outputs.empty() || c.declared_output().type == ElementType::kDynamic
                                    ? PartialShape()
                                    : c.declared_output().shape;
  c.give(
      c.b().add("Einsum", inputs, {{"equation", with_ellipses(c.word("equation", ""), shapes, declared)}}));
}

// Products over the axes of two tensors, without their names: each axis gets a letter.
void tensor_dot(Context& c) {
  const size_t ranks[] = {c.b().rank(c.input(0)), c.b().rank(c.input(1))};
  const Ints axes[] = {c.ints("dims_self"), c.ints("dims_other")};
  if (axes[0].size() != axes[1].size())
    fail(ErrorCode::kInvalidModel, "sums over ", axes[0].size(), " axes of one input and ", axes[1].size(),
         " of the other");
  constexpr size_t kLetters = 26;
  if (ranks[0] + ranks[1] > kLetters) fail(ErrorCode::kUnsupported, "has inputs of more than 26 axes");
  std::string subscripts[2], output;
  char next = 'a';
  for (size_t i = 0; i < 2; ++i) {
    for (size_t axis = 0; axis < ranks[i]; ++axis) subscripts[i] += next++;
  }
  for (size_t k = 0; k < axes[0].size(); ++k) {
    subscripts[1][static_cast<size_t>(c.axis(axes[1][k], ranks[1]))] =
        subscripts[0][static_cast<size_t>(c.axis(axes[0][k], ranks[0]))];
  }
  for (size_t i = 0; i < 2; ++i) {
    for (const char letter : subscripts[i]) {
      if (subscripts[1 - i].find(letter) == std::string::npos) output += letter;
    }
  }
  c.give(c.b().add("Einsum", {c.input(0), c.input(1)},
                   {{"equation", cat(subscripts[0], ",", subscripts[1], "->", output)}}));
}

// Products of the last axes.
void inner(Context& c) {
  const Source a = c.input(0), b = c.input(1);
  if (c.b().rank(a) == 0 || c.b().rank(b) == 0) {
    c.give(binary(c, "Multiply", a, b));
    return;
  }
  const size_t rank = c.b().rank(b);
  Source rows = b;
  if (rank > 2) rows = reshape_axes(c, b, 0, rank - 1, {-1});
  Source result = c.b().add("MatMul", {a, rows}, {{"transpose_b", rank > 1}});
  if (rank > 2) {
    std::vector<Source> shape;
    for (size_t i = 0; i + 1 < c.b().rank(a); ++i) shape.push_back(size_of(c, a, static_cast<int64_t>(i)));
    for (size_t i = 0; i + 1 < rank; ++i) shape.push_back(size_of(c, b, static_cast<int64_t>(i)));
    result = c.b().add("Reshape", {result, concat_lists(c, shape)}, {{"special_zero", false}});
  }
  c.give(result);
}

// The product of a list of matrices.
void chained_mat_mul(Context& c) {
  const std::vector<Source> parts = tensors_of(c, 0);
  if (parts.empty()) fail(ErrorCode::kInvalidModel, "multiplies an empty list");
  Source product = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) product = c.b().add("MatMul", {product, parts[i]});
  c.give(product);
}

// y[n, k] = sum of a[n, i] * weight[k, i, j] * b[n, j], plus the bias.
void bilinear(Context& c) {
  Source result = c.b().add("Einsum", {c.input(0), c.required_input("weight", 2), c.input(1)},
                            {{"equation", "...i,kij,...j->...k"}});
  if (const auto bias = c.find_input("bias", 3)) result = c.b().add("Add", {result, *bias});
  c.give(result);
}

void add_outer(Context& c) {
  give_added_product(c, binary(c, "Multiply", unsqueeze(c, c.input(1), 1), unsqueeze(c, c.input(2), 0)));
}

// The distances of all pairs of rows.
void distances(Context& c) {
  c.ignore("compute_mode");
  const Source a = c.input(0), b = c.input(1);
  if (c.b().rank(a) < 2 || c.b().rank(b) < 2)
    fail(ErrorCode::kInvalidModel, "its inputs are ", c.b().shape(a), " and ", c.b().shape(b),
         ", expected two axes at least");
  const Source difference = binary(c, "Subtract", unsqueeze(c, a, static_cast<int64_t>(c.b().rank(a)) - 1),
                                   unsqueeze(c, b, static_cast<int64_t>(c.b().rank(b)) - 2));
  c.give(p_norm(c, difference, c.real("p", 2), {c.axis(-1, c.b().rank(difference))}, false));
}

// The distance of two tensors as vectors of all their elements.
void distance(Context& c) {
  const Source difference = binary(c, "Subtract", c.input(0), c.input(1));
  c.give(p_norm(c, difference, c.real("p", 2), reduced_axes(c, difference, ""), false));
}

// The distances of each row to the rows after it.
void distances_of_pairs(Context& c) {
  const Source x = c.input();
  const PartialShape& shape = c.b().shape(x);
  constexpr int64_t kMost = 1 << 10;
  if (!shape.has_rank() || shape.rank() != 2 || !shape[0].is_static() || shape[0].size() > kMost) {
    fail(ErrorCode::kUnsupported, "its input is ", shape, ", expected a known number of at most ", kMost,
         " rows");
  }
  Ints first, second;
  for (int64_t i = 0; i < shape[0].size(); ++i) {
    for (int64_t j = i + 1; j < shape[0].size(); ++j) {
      first.push_back(i);
      second.push_back(j);
    }
  }
  const auto rows = [&](const Ints& places) {
    return c.b().add("Gather", {x, c.b().list(places), c.b().scalar(int64_t{0})});
  };
  const Source difference = c.b().add("Subtract", {rows(first), rows(second)});
  c.give(p_norm(c, difference, c.real("p", 2), {1}, false));
}

// Products of a square matrix with itself. The power 0 is the identity.
void matrix_power(Context& c) {
  const Source x = c.input();
  const int64_t n = c.integer("n"), last = static_cast<int64_t>(c.b().rank(x)) - 1;
  constexpr int64_t kMost = 1 << 20;
  if (n < 0 || n > kMost || last < 1)
    fail(ErrorCode::kUnsupported, "is the power ", n, " of a ", c.b().shape(x), ", expected 0 to ", kMost,
         " of matrices");
  if (n == 0) {
    const Source range = range_to(c, length_of(c, x, last));
    const Source equal = convert(c, c.b().add("Equal", {range, unsqueeze(c, range, 1)}), c.b().type(x));
    c.give(c.b().add("Broadcast", {equal, shape_of(c, x)}));
    return;
  }
  // The squares of the matrix whose bits are set in n, multiplied.
  std::optional<Source> product;
  Source square = x;
  for (int64_t rest = n;; rest >>= 1) {
    if ((rest & 1) != 0) product = product ? c.b().add("MatMul", {*product, square}) : square;
    if (rest <= 1) break;
    square = c.b().add("MatMul", {square, square});
  }
  c.give(*product);
}

// The covariances of rows.
Source covariances(Context& c, const Scalar& correction) {
  Source x = as_real(c, c.input());
  if (c.b().rank(x) == 1) x = unsqueeze(c, x, 0);
  if (c.b().rank(x) != 2)
    fail(ErrorCode::kInvalidModel, "its input is ", c.b().shape(x), ", expected a matrix");
  const Source centred = c.b().add("Subtract", {x, reduce(c, "ReduceMean", x, {1}, true)});
  const Source products = c.b().add("MatMul", {centred, centred}, {{"transpose_b", true}});
  return c.b().add("Divide", {products, with_number(c, "Subtract", reduced_count(c, x, {1}), correction)});
}

// A single row has a variance, not a matrix.
void give_by_pair(Context& c, const Source& matrix) {
  const PartialShape& shape = c.b().shape(matrix);
  const bool single = shape.has_rank() && shape[0].is_static() && shape[0].size() == 1;
  c.give(single ? reshape(c, matrix, {}) : matrix);
}

void covariance(Context& c) {
  if (c.is_marked("fweights") || c.is_marked("aweights"))
    fail(ErrorCode::kUnsupported, "has weights of its observations, expected none");
  give_by_pair(c, covariances(c, c.number("correction", 1)));
}

// Covariances divided by both deviations, the roots of the diagonal.
void correlation(Context& c) {
  const Source matrix = covariances(c, {1, true, {}});
  const Source range = range_to(c, length_of(c, matrix, 0));
  const Source inside = c.b().add("Equal", {range, unsqueeze(c, range, 1)});
  const Source variances =
      reduce(c, "ReduceSum", c.b().add("Select", {inside, matrix, number_like(c, 0, matrix)}), {0}, false);
  const Source deviations = c.b().add("Sqrt", {variances});
  const Source scaled = c.b().add("Divide", {matrix, deviations});
  const Source result = c.b().add("Divide", {scaled, unsqueeze(c, deviations, 1)});
  give_by_pair(c, c.b().add("Clamp", {result}, {{"min", -1.0}, {"max", 1.0}}));
}

// Rows of powers, beginning with the highest or with 0.
void powers(Context& c) {
  const Source x = c.input();
  const Source count = c.has("n") ? number_as(c, c.number("n"), ElementType::kI64) : length_of(c, x, 0);
  Source exponents = range_to(c, count);
  if (!c.flag("increasing", false)) {
    exponents = c.b().add("Subtract", {with_number(c, "Subtract", count, 1), exponents});
  }
  c.give(c.b().add("Power", {unsqueeze(c, x, 1), convert(c, exponents, c.b().type(x))}));
}

void dot_of_axis(Context& c) {
  const Source product = binary(c, "Multiply", c.input(0), c.input(1));
  c.give(reduce(c, "ReduceSum", product, {c.axis(c.integer("dim", -1), c.b().rank(product))}, false));
}

void outer(Context& c) {
  c.give(binary(c, "Multiply", unsqueeze(c, c.input(0), 1), unsqueeze(c, c.input(1), 0)));
}

// The largest elements of the rows of each bag, which are 0 without rows. Rows of the padding index do not
// count.
Source largest_of_bags(Context& c, const Source& table, const Source& indices, const Source& offsets) {
  Source rows = c.b().add("Gather", {table, indices, c.b().scalar(int64_t{0})});
  const int64_t padding = c.integer("padding_idx", -1);
  if (padding >= 0) {
    const Source counted = with_number(c, "NotEqual", indices, static_cast<double>(padding));
    rows = c.b().add("Select", {unsqueeze(c, counted, 1), rows, number_like(c, -HUGE_VAL, rows)});
  }
  const Source positions = range_to(c, length_of(c, indices, 0));
  const Source bags =
      with_number(c, "Subtract",
                  c.b().add("SearchSorted", {convert(c, offsets, ElementType::kI64), positions},
                            {{"right_mode", true}, {"output_type", ElementType::kI64}}),
                  1);
  const Source largest =
      c.b().add("SegmentMax", {rows, bags, length_of(c, offsets, 0)}, {{"fill_mode", "ZERO"}});
  if (padding < 0) return largest;
  return c.b().add("Select", {c.b().add("IsInf", {largest}), number_like(c, 0, largest), largest});
}

// The sums or means of rows of a table, or their largest elements: each bag begins at an offset into the list
// of indices.
void embedding_bag(Context& c) {
  c.ignore("scale_grad_by_freq sparse");
  const Source table = c.input(0), indices = c.required_input("indices", 1);
  Source offsets = convert(c, c.required_input("offsets", 2), c.b().type(indices));
  const int64_t mode = c.integer("mode", 0);
  if (mode < 0 || mode > 2) {
    fail(ErrorCode::kUnsupported, "its mode is ", mode, ", expected 0 (sum), 1 (mean) or 2 (max)");
  }
  if (c.flag("include_last_offset", false)) offsets = slice(c, offsets, 0, 0, -1);
  if (mode == 2) {
    c.give_first(largest_of_bags(c, table, indices, offsets));
    return;
  }
  auto weights = c.find_input("per_sample_weights", 6);
  const auto bags = [&](const Source& rows, const char* reduction) {
    std::vector<Source> inputs = {rows, indices, offsets};
    if (weights) {
      inputs.push_back(c.b().scalar(-1.0, c.b().type(indices)));
      inputs.push_back(*weights);
    }
    return c.b().add("EmbeddingBagOffsets", inputs, {{"reduction", std::string(reduction)}});
  };
  const int64_t padding = c.integer("padding_idx", -1);
  if (padding < 0) {
    c.give_first(bags(table, mode == 0 ? "sum" : "mean"));
    return;
  }
  // The row of the padding index counts neither in sums nor among the rows of a mean.
  const Source counted =
      convert(c, with_number(c, "NotEqual", indices, static_cast<double>(padding)), c.b().type(table));
  weights = weights ? c.b().add("Multiply", {*weights, counted}) : counted;
  Source result = bags(table, "sum");
  if (mode == 1) {
    const Source ones = c.b().add(
        "Broadcast", {number_like(c, 1, table), concat_lists(c, {size_of(c, table, 0), c.b().list({1})})});
    result = c.b().add("Divide", {result, with_number(c, "Maximum", bags(ones, "sum"), 1)});
  }
  c.give_first(result);
}

void embedding(Context& c) {
  // The function's first argument is the indices. The padding index concerns gradients.
  c.ignore("num_embeddings embedding_dim padding_idx scale_grad_by_freq sparse");
  const auto given = c.has_weight("weight") ? std::nullopt : c.find_input("weight", 1);
  c.give(c.b().add("Gather", {given ? *given : c.weight("weight"), c.input(0), c.b().scalar(int64_t{0})}));
}

constexpr std::string_view kDiagonals =
    "Range Add Subtract Negative Abs Maximum Minimum Multiply Gather Equal LogicalAnd Select";
constexpr std::string_view kDistances =
    "Subtract ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual";

constexpr Entry kEntries[] = {
    {"torch.matmul", mat_mul, "MatMul"},
    {"torch.bmm", mat_mul, "MatMul"},
    {"torch.mm", mat_mul, "MatMul"},
    {"torch.mv", mat_mul, "MatMul"},
    {"torch.dot", mat_mul, "MatMul"},
    {"nn.Linear", linear, "MatMul Add"},
    {"F.linear", linear, "MatMul Add"},
    {"torch.addmm", add_mat_mul, "MatMul Multiply Add Equal Select"},
    {"torch.addmv", add_mat_mul, "MatMul Multiply Add Equal Select"},
    {"torch.baddbmm", add_mat_mul, "MatMul Multiply Add Equal Select"},
    {"aten::dot", mat_mul, "MatMul"},
    {"aten::addmv", add_mat_mul, "MatMul Multiply Add Equal Select", false, "input mat vec beta alpha"},
    {"aten::addbmm", add_batch_mat_mul, "MatMul ReduceSum Multiply Add Equal Select", false,
     "input batch1 batch2 beta alpha"},
    {"torch.cross", cross, "Gather Multiply Subtract"},
    {"torch.diag", diagonal, kDiagonals},
    {"torch.einsum", einsum, "Einsum"},
    {"aten::diagonal", diagonal_of_axes, kDiagonals, false, "input offset dim1 dim2"},
    {"aten::diagflat", flat_diagonal, kDiagonals, false, "input diagonal"},
    {"aten::diag_embed", embedded_diagonals, kDiagonals, false, "input offset dim1 dim2"},
    {"aten::tensordot", tensor_dot, "Einsum", false, "input other dims_self dims_other"},
    {"aten::inner", inner, "MatMul Multiply"},
    {"aten::vdot", mat_mul, "MatMul"},
    {"aten::chain_matmul", chained_mat_mul, "MatMul"},
    {"aten::linalg_multi_dot", chained_mat_mul, "MatMul"},
    {"aten::bilinear", bilinear, "Einsum Add", false, "input1 input2 weight bias"},
    {"aten::addr", add_outer, "Multiply Add Equal Select", false, "input vec1 vec2 beta alpha"},
    {"aten::cdist", distances, kDistances, false, "x1 x2 p compute_mode"},
    {"aten::embedding_bag", embedding_bag,
     "EmbeddingBagOffsets NotEqual Multiply Divide Maximum Select Range SearchSorted Subtract SegmentMax "
     "IsInf",
     false,
     "weight indices offsets scale_grad_by_freq mode sparse per_sample_weights include_last_offset "
     "padding_idx"},
    {"aten::dist", distance, kDistances, false, "input other p"},
    {"aten::pdist", distances_of_pairs, kDistances, false, "input p"},
    {"aten::vander", powers, "Range Subtract Power", false, "input n increasing"},
    {"aten::linalg_matrix_power", matrix_power, "MatMul Range Equal", false, "input n"},
    {"aten::matrix_power", matrix_power, "MatMul Range Equal", false, "input n"},
    {"aten::cov", covariance, "ReduceMean Subtract MatMul Divide", false,
     "input correction fweights aweights"},
    {"aten::corrcoef", correlation,
     "ReduceMean Subtract MatMul Divide Range Equal Select ReduceSum Sqrt Clamp"},
    {"aten::linalg_cross", cross, "Gather Multiply Subtract", false, "input other dim"},
    {"aten::linalg_vecdot", dot_of_axis, "Multiply ReduceSum", false, "input other dim"},
    {"torch.outer", outer, "Multiply"},
    {"torch.ger", outer, "Multiply"},
    {"aten::outer", outer, "Multiply"},
    {"nn.Embedding", embedding, "Gather"},
    {"F.embedding", embedding, "Gather"},
};

}  // namespace

std::span<const Entry> matrices() { return kEntries; }

}  // namespace wasmvino::pnnx
