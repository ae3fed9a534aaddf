// SPDX-License-Identifier: Apache-2.0
// Losses: how far a result is from a target, for each element, or as their mean or sum.
#include <numbers>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// Values of the parameter `reduction`.
constexpr int64_t kNone = 0, kMean = 1, kSum = 2;

int64_t reduction_of(Context& c) {
  const int64_t reduction = c.integer("reduction", kMean);
  if (reduction < kNone || reduction > kSum)
    fail(ErrorCode::kUnsupported, "its reduction is ", reduction, ", expected 0 (none), 1 (mean) or 2 (sum)");
  return reduction;
}

Source sum_of(Context& c, const Source& x) {
  return reduce(c, "ReduceSum", x, reduced_axes(c, x, ""), false);
}

void give_reduced(Context& c, const Source& x) {
  const int64_t reduction = reduction_of(c);
  if (reduction == kNone) {
    c.give(x);
  } else {
    c.give(reduce(c, reduction == kMean ? "ReduceMean" : "ReduceSum", x, reduced_axes(c, x, ""), false));
  }
}

Source add(Context& c, const Source& a, const Source& b) { return binary(c, "Add", a, b); }
Source subtract(Context& c, const Source& a, const Source& b) { return binary(c, "Subtract", a, b); }
Source multiply(Context& c, const Source& a, const Source& b) { return binary(c, "Multiply", a, b); }
Source negative(Context& c, const Source& x) { return c.b().add("Negative", {x}); }
Source positive_part(Context& c, const Source& x) { return with_number(c, "Maximum", x, 0); }

// `x` where the target is `value`, else 0.
Source where_target(Context& c, const char* comparison, double value, const Source& x) {
  const Source chosen = with_number(c, comparison, c.input(1), value);
  return c.b().add("Select", {chosen, x, number_like(c, 0, x)});
}

void squared_error(Context& c) {
  const Source difference = subtract(c, c.input(0), c.input(1));
  give_reduced(c, multiply(c, difference, difference));
}

void absolute_error(Context& c) { give_reduced(c, c.b().add("Abs", {subtract(c, c.input(0), c.input(1))})); }

// 0.5 d^2 for differences d below the limit, and a straight line beyond; both times `scale`.
void give_huber(Context& c, double limit, double scale) {
  const Source difference = c.b().add("Abs", {subtract(c, c.input(0), c.input(1))});
  if (limit == 0) {
    give_reduced(c, difference);
    return;
  }
  const Source curve = with_number(c, "Multiply", multiply(c, difference, difference), 0.5 * scale);
  const Source line =
      with_number(c, "Multiply", with_number(c, "Subtract", difference, 0.5 * limit), limit * scale);
  give_reduced(c, c.b().add("Select", {with_number(c, "Less", difference, limit), curve, line}));
}

void huber(Context& c) { give_huber(c, c.real("delta", 1), 1); }
void smooth_absolute_error(Context& c) {
  const double beta = c.real("beta", 1);
  give_huber(c, beta, beta == 0 ? 1 : 1 / beta);
}

Source weighted(Context& c, const Source& loss) {
  const auto weight = c.find_input("weight", 2);
  return weight ? multiply(c, loss, *weight) : loss;
}

// -(y log x + (1 - y) log(1 - x)), with logarithms of at least -100.
void binary_cross_entropy(Context& c) {
  const Source x = c.input(0), y = c.input(1);
  const auto logarithm = [&](const Source& of) {
    return with_number(c, "Maximum", c.b().add("Log", {of}), -100);
  };
  const Source hit = multiply(c, y, logarithm(x));
  const Source miss =
      multiply(c, with_number(c, "Subtract", 1, y), logarithm(with_number(c, "Subtract", 1, x)));
  give_reduced(c, weighted(c, negative(c, add(c, hit, miss))));
}

// The same of sigmoid(x), without its loss of precision: (1 - y) x + w log(1 + exp(-x)), where w is 1 or
// 1 + (pos_weight - 1) y.
void binary_cross_entropy_with_logits(Context& c) {
  const Source x = c.input(0), y = c.input(1);
  Source tail = c.b().add("SoftPlus", {negative(c, x)});
  if (const auto positive = c.find_input("pos_weight", 3)) {
    const Source more = multiply(c, with_number(c, "Subtract", *positive, 1), y);
    tail = multiply(c, tail, with_number(c, "Add", more, 1));
  }
  give_reduced(c, weighted(c, add(c, multiply(c, with_number(c, "Subtract", 1, y), x), tail)));
}

// y (log y - x), and 0 where y is 0.
void divergence(Context& c) {
  const Source x = c.input(0), y = c.input(1);
  if (c.flag("log_target", false)) {
    give_reduced(c, multiply(c, c.b().add("Exp", {y}), subtract(c, y, x)));
    return;
  }
  const Source product = multiply(c, y, c.b().add("Log", {y}));
  const Source entropy =
      c.b().add("Select", {with_number(c, "Equal", y, 0), number_like(c, 0, product), product});
  give_reduced(c, subtract(c, entropy, multiply(c, y, x)));
}

// Targets that are classes: their indices with an axis for the classes, 1 where the target counts and 0 where
// it is ignored, and the same times the weight of the class.
struct Classes {
  Source indices, counts, weights;
  int64_t axis = 0;  // of the classes
};

int64_t class_axis(Context& c, const Source& x) { return c.b().rank(x) == 1 ? 0 : c.axis(1, c.b().rank(x)); }

// The weights of the classes, in the shape of `x` but for its other axes. nullopt if there are none.
std::optional<Source> class_weights(Context& c, const Source& x, int64_t axis) {
  const auto weight = c.find_input("weight", 2);
  if (!weight) return std::nullopt;
  Ints shape(c.b().rank(x), 1);
  shape[static_cast<size_t>(axis)] = -1;
  return reshape(c, convert(c, *weight, c.b().type(x)), shape);
}

Classes classes_of(Context& c, const Source& x) {
  Classes classes;
  classes.axis = class_axis(c, x);
  const Source target = unsqueeze(c, convert(c, c.input(1), ElementType::kI64), classes.axis);
  const Source counts =
      with_number(c, "NotEqual", target, static_cast<double>(c.integer("ignore_index", -100)));
  classes.indices = c.b().add("Select", {counts, target, c.b().scalar(int64_t{0})});
  classes.counts = classes.weights = convert(c, counts, c.b().type(x));
  if (const auto given = c.find_input("weight", 2)) {
    const Source found = c.b().add("Gather", {*given, classes.indices, c.b().scalar(int64_t{0})});
    classes.weights = multiply(c, found, classes.counts);
  }
  return classes;
}

// The loss of each element, or their sum, or the sum divided by that of the weights.
void give_class_loss(Context& c, const Source& loss, const Classes& classes) {
  const int64_t reduction = reduction_of(c);
  if (reduction == kNone) {
    c.give(squeeze(c, loss, classes.axis));
  } else if (reduction == kSum) {
    c.give(sum_of(c, loss));
  } else {
    c.give(c.b().add("Divide", {sum_of(c, loss), sum_of(c, classes.weights)}));
  }
}

// -w log(p) of the target's class, for logarithms of probabilities.
Source log_likelihood_loss(Context& c, const Source& x, const Classes& classes) {
  const Source found = c.b().add("GatherElements", {x, classes.indices}, {{"axis", classes.axis}});
  return negative(c, multiply(c, found, classes.weights));
}

void negative_log_likelihood(Context& c) {
  const Source x = c.input(0);
  const Classes classes = classes_of(c, x);
  give_class_loss(c, log_likelihood_loss(c, x, classes), classes);
}

// Targets that are probabilities of all classes.
void give_cross_entropy_of_probabilities(Context& c, const Source& logs, int64_t axis, double smoothing) {
  Source target = c.input(1);
  const Source count = convert(c, length_of(c, logs, axis), c.b().type(logs));
  if (smoothing != 0) {
    target = add(c, with_number(c, "Multiply", target, 1 - smoothing),
                 c.b().add("Divide", {number_like(c, smoothing, count), count}));
  }
  Source loss = multiply(c, logs, target);
  if (const auto weights = class_weights(c, logs, axis)) loss = multiply(c, loss, *weights);
  const Source each = negative(c, reduce(c, "ReduceSum", loss, {axis}, false));
  give_reduced(c, each);
}

void cross_entropy(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = class_axis(c, x);
  const Source logs = c.b().add("LogSoftmax", {x}, {{"axis", axis}});
  const double smoothing = c.real("label_smoothing", 0);
  if (is_real(c.b().type(c.input(1)))) {
    // No class has a number.
    c.ignore("ignore_index");
    give_cross_entropy_of_probabilities(c, logs, axis, smoothing);
    return;
  }
  const Classes classes = classes_of(c, logs);
  Source loss = log_likelihood_loss(c, logs, classes);
  if (smoothing != 0) {
    // A part of the target is spread evenly over all classes.
    Source all = logs;
    if (const auto weights = class_weights(c, logs, axis)) all = multiply(c, all, *weights);
    const Source even = multiply(c, negative(c, reduce(c, "ReduceMean", all, {axis}, true)), classes.counts);
    loss =
        add(c, with_number(c, "Multiply", loss, 1 - smoothing), with_number(c, "Multiply", even, smoothing));
  }
  give_class_loss(c, loss, classes);
}

// exp(x) - y x, or x - y log(x + eps); `full` adds Stirling's approximation of log(y!) where y is above 1.
void poisson(Context& c) {
  const Source x = c.input(0), y = c.input(1);
  const Scalar eps = c.number("eps", 1e-8);
  Source loss = c.flag("log_input", true)
                    ? subtract(c, c.b().add("Exp", {x}), multiply(c, y, x))
                    : subtract(c, x, multiply(c, y, c.b().add("Log", {with_number(c, "Add", x, eps)})));
  if (c.flag("full", false)) {
    const Source product = subtract(c, multiply(c, y, c.b().add("Log", {y})), y);
    const Source root = c.b().add("Log", {with_number(c, "Multiply", y, 2 * std::numbers::pi)});
    const Source stirling = add(c, product, with_number(c, "Multiply", root, 0.5));
    loss = add(c, loss, where_target(c, "Greater", 1, stirling));
  }
  give_reduced(c, loss);
}

// x where y is 1, and max(0, margin - x) where it is -1.
void hinge_embedding(Context& c) {
  const Source x = c.input(0);
  const Source below = positive_part(c, with_number(c, "Subtract", c.number("margin", 1), x));
  give_reduced(c, add(c, where_target(c, "NotEqual", 1, below), where_target(c, "NotEqual", -1, x)));
}

void margin_ranking(Context& c) {
  const Source difference = subtract(c, c.input(1), c.input(0));
  give_reduced(
      c, positive_part(c, with_number(c, "Add", multiply(c, c.input(2), difference), c.number("margin", 0))));
}

// log(1 + exp(-y x))
void soft_margin(Context& c) {
  give_reduced(c, c.b().add("SoftPlus", {negative(c, multiply(c, c.input(0), c.input(1)))}));
}

void cosine_embedding(Context& c) {
  const Source a = c.input(0), b = c.input(1), target = c.input(2);
  const int64_t axis = static_cast<int64_t>(c.b().rank(target));
  const auto products = [&](const Source& x, const Source& y) {
    return reduce(c, "ReduceSum", multiply(c, x, y), {c.axis(axis, c.b().rank(a))}, false);
  };
  constexpr double kLeast = 1e-12;
  const Source lengths = c.b().add("Sqrt", {multiply(c, with_number(c, "Add", products(a, a), kLeast),
                                                     with_number(c, "Add", products(b, b), kLeast))});
  const Source cosine = c.b().add("Divide", {products(a, b), lengths});
  const Source zero = number_like(c, 0, cosine);
  const Source alike = with_number(c, "Subtract", 1, cosine);
  const Source apart = positive_part(c, with_number(c, "Subtract", cosine, c.number("margin", 0)));
  const Source first = c.b().add("Select", {with_number(c, "Equal", target, 1), alike, zero});
  const Source second = c.b().add("Select", {with_number(c, "Equal", target, -1), apart, zero});
  give_reduced(c, add(c, first, second));
}

void triplet_margin(Context& c) {
  const Source anchor = c.input(0), positive = c.input(1), other = c.input(2);
  const auto distance = [&](const Source& a, const Source& b) {
    const Source difference = with_number(c, "Add", subtract(c, a, b), c.number("eps", 1e-6));
    return p_norm(c, difference, c.real("p", 2), {c.axis(-1, c.b().rank(difference))}, false);
  };
  Source far = distance(anchor, other);
  if (c.flag("swap", false)) far = binary(c, "Minimum", far, distance(positive, other));
  const Source gap = subtract(c, distance(anchor, positive), far);
  give_reduced(c, positive_part(c, with_number(c, "Add", gap, c.number("margin", 1))));
}

// For each other class: max(0, margin - x of the target + x of the class)^p, averaged over the classes.
void multi_margin(Context& c) {
  const Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  const int64_t last = c.axis(-1, rank);
  const Source target = unsqueeze(c, convert(c, c.input(1), ElementType::kI64), last);
  const Source wanted = c.b().add("GatherElements", {x, target}, {{"axis", last}});
  const Source gap = positive_part(c, with_number(c, "Add", subtract(c, x, wanted), c.number("margin", 1)));
  Source loss = c.real("p", 1) == 1 ? gap : with_number(c, "Power", gap, c.real("p"));
  if (const auto weight = c.find_input("weight", 4)) {
    loss = multiply(c, loss, c.b().add("Gather", {*weight, target, c.b().scalar(int64_t{0})}));
  }
  const Source others = c.b().add("NotEqual", {range_to(c, length_of(c, x, last)), target});
  loss = c.b().add("Select", {others, loss, number_like(c, 0, loss)});
  give_reduced(c, reduce(c, "ReduceMean", loss, {last}, false));
}

constexpr std::string_view kPair = "input target reduction",
                           kClasses = "input target weight reduction ignore_index",
                           kLikelihood = "NotEqual Select GatherElements Multiply Negative ReduceSum Divide",
                           kHuber = "Subtract Abs Multiply Less Select ReduceMean ReduceSum";

constexpr Entry kEntries[] = {
    {"aten::mse_loss", squared_error, "Subtract Multiply ReduceMean ReduceSum", false, kPair},
    {"aten::l1_loss", absolute_error, "Subtract Abs ReduceMean ReduceSum", false, kPair},
    {"aten::smooth_l1_loss", smooth_absolute_error, kHuber, false, "input target reduction beta"},
    {"aten::huber_loss", huber, kHuber, false, "input target reduction delta"},
    {"aten::binary_cross_entropy", binary_cross_entropy,
     "Log Maximum Subtract Multiply Add Negative ReduceMean ReduceSum", false,
     "input target weight reduction"},
    {"aten::binary_cross_entropy_with_logits", binary_cross_entropy_with_logits,
     "Negative SoftPlus Subtract Multiply Add ReduceMean ReduceSum", false,
     "input target weight pos_weight reduction"},
    {"aten::kl_div", divergence, "Log Multiply Equal Select Subtract Exp ReduceMean ReduceSum", false,
     "input target reduction log_target"},
    {"aten::nll_loss", negative_log_likelihood, kLikelihood, false, kClasses},
    {"aten::nll_loss2d", negative_log_likelihood, kLikelihood, false, kClasses},
    {"aten::nll_loss_nd", negative_log_likelihood, kLikelihood, false, kClasses},
    {"aten::cross_entropy_loss", cross_entropy,
     "LogSoftmax NotEqual Select GatherElements Multiply Negative Add ReduceSum ReduceMean Divide", false,
     "input target weight reduction ignore_index label_smoothing"},
    {"aten::poisson_nll_loss", poisson, "Exp Multiply Subtract Add Log Greater Select ReduceMean ReduceSum",
     false, "input target log_input full eps reduction"},
    {"aten::hinge_embedding_loss", hinge_embedding,
     "Subtract Maximum NotEqual Select Add ReduceMean ReduceSum", false, "input target margin reduction"},
    {"aten::margin_ranking_loss", margin_ranking, "Subtract Multiply Add Maximum ReduceMean ReduceSum", false,
     "input1 input2 target margin reduction"},
    {"aten::soft_margin_loss", soft_margin, "Multiply Negative SoftPlus ReduceMean ReduceSum", false, kPair},
    {"aten::cosine_embedding_loss", cosine_embedding,
     "Multiply Add Sqrt Divide Subtract Maximum Equal Select ReduceMean ReduceSum", false,
     "input1 input2 target margin reduction"},
    {"aten::triplet_margin_loss", triplet_margin,
     "Subtract Add ReduceL2 ReduceL1 Abs Power NotEqual ReduceMax ReduceMin Minimum Maximum ReduceMean "
     "ReduceSum",
     false, "anchor positive negative margin p eps swap reduction"},
    {"aten::multi_margin_loss", multi_margin,
     "GatherElements Subtract Add Maximum Power Multiply Range NotEqual Select ReduceMean ReduceSum", false,
     "input target p margin weight reduction"},
};

}  // namespace

std::span<const Entry> losses() { return kEntries; }

}  // namespace wasmvino::pnnx
