// SPDX-License-Identifier: Apache-2.0
// Every operation with every element type, rank and extreme size: it is refused with an error that says why,
// or it infers, compiles and runs. And what operations take, against what OpenVINO's CPU plugin runs
// (tests/sweep).
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "../op_tester.h"
#include "core/call.h"
#include "model/node.h"

namespace wasmvino::test::contracts_test {
namespace {

using model::AttributeVisitor;
using model::InputTypes;
using model::OpClass;

// Gives attributes that a layer must have, and have no default, values that fit small shapes.
class Inventor final : public AttributeVisitor {
 public:
  explicit Inventor(int64_t number) : number_(number) {}

  void visit(std::string_view name, model::AttributePlace place) override {
    std::visit([&](auto* value) { invent(name, *value); }, place);
  }
  void on_choice(std::string_view, int&, std::initializer_list<std::string_view>) override {}
  void require(std::string_view name) override { required_.insert(std::string(name)); }

 private:
  template <typename T>
  void invent(std::string_view, T&) {}  // has a default
  void invent(std::string_view, int64_t& value) { value = value == 0 ? number_ : value; }
  void invent(std::string_view, double& value) { value = value == 0 ? 1 : value; }
  void invent(std::string_view name, std::string& value) {
    if (name == "equation") value = "ab,bc->ac";
    if (name == "variable_id") value = "variable";
  }
  void invent(std::string_view name, Ints& value) {
    if (value.empty() && required_.count(std::string(name))) value = {1, 1};
  }
  void invent(std::string_view name, model::Floats& value) {
    if (name == "deltas_weights") value = {1, 1, 1, 1};
    if (value.empty() && required_.count(std::string(name))) value = {1, 1};
  }
  void invent(std::string_view, ElementType& value) {
    if (value == ElementType::kDynamic) value = ElementType::kF32;
  }

  int64_t number_;
  std::set<std::string> required_;
};

std::unique_ptr<model::Node> invent(const OpClass& entry, int64_t number) {
  auto op = entry.make();
  Inventor inventor(number);
  op->visit_attributes(inventor);
  auto node = std::make_unique<model::Node>("test", std::string(entry.type), entry.since, std::move(op));
  node->outputs.resize(node->op->least_outputs());
  return node;
}

// Elements of 0, of 1 or of 2, as far as the type has them.
Tensor filled(ElementType type, const Shape& shape, int value) {
  Tensor tensor(type, shape);
  if (type == ElementType::kString) return tensor;
  std::fill_n(tensor.mutable_data<char>(), tensor.byte_size(), char{0});
  if (value == 0 || tensor.size() == 0 || type == ElementType::kBoolean) return tensor;
  const Tensor wide = [&] {
    Tensor made(ElementType::kI32, shape);
    std::fill_n(made.mutable_data<int32_t>(), made.size(), value);
    return made;
  }();
  return run_op("Convert", 1, {{"destination_type", std::string(name(type))}}, {wide})[0];
}

std::string describe(const OpClass& entry, const std::vector<ElementType>& types, const std::string& shape) {
  std::string text = cat(entry.type, "-", entry.since, "(");
  for (const ElementType type : types) text += cat(type, " ");
  return cat(text, ") of shape ", shape);
}

// Runs the statement; what it throws must be an Error that is no INTERNAL one. Whether it threw none.
template <typename Statement>
bool holds(const std::string& what, const Statement& statement) {
  try {
    statement();
    return true;
  } catch (const Error& error) {
    EXPECT_NE(name(error.code()), name(ErrorCode::kInternal)) << what << ": " << error.what();
    EXPECT_FALSE(error.reason().empty()) << what;
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << ": " << error.what();
  }
  return false;
}

ElementType first_of(const InputTypes& input) {
  if (input.types.contains(ElementType::kF32)) return ElementType::kF32;
  if (input.types.contains(ElementType::kI64)) return ElementType::kI64;
  for (size_t t = 1; t < kElementTypeCount; ++t) {
    if (input.types.contains(static_cast<ElementType>(t))) return static_cast<ElementType>(t);
  }
  return ElementType::kDynamic;
}

// Types of `count` inputs that the contract takes.
std::vector<ElementType> taken_types(const OpClass& entry, size_t count) {
  std::vector<ElementType> types;
  for (size_t i = 0; i < count; ++i) {
    const InputTypes* input = entry.types->input(i);
    types.push_back(input == nullptr ? ElementType::kF32 : first_of(*input));
  }
  return types;
}

bool takes(const OpClass& entry, const std::vector<ElementType>& types) {
  try {
    entry.types->check(types);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(ErrorCode::kInvalidType));
    return false;
  }
}

size_t run_known(const OpClass& entry, const std::vector<ElementType>& types, const Shape& shape, int value,
                 int64_t number) {
  const auto node = invent(entry, number);
  std::vector<Tensor> inputs;
  for (const ElementType type : types) inputs.push_back(filled(type, shape, value));
  return holds(describe(entry, types, to_string(shape)), [&] { model::evaluate_node(*node, inputs); });
}

TEST(Contracts, EveryOperationStatesWhatItTakes) {
  for (const OpClass& entry : registry().all()) {
    for (const InputTypes& input : entry.types->inputs()) {
      EXPECT_FALSE(input.types.empty()) << entry.type << ": " << input.name;
      EXPECT_FALSE(input.name.empty()) << entry.type;
    }
    EXPECT_NE(entry.make()->types(), nullptr) << entry.type;
  }
}

// All types for each input: those that are not taken are refused, all others run or are refused for another
// reason.
TEST(Contracts, EveryElementType) {
  size_t ran = 0, refused = 0;
  for (const OpClass& entry : registry().all()) {
    if (entry.type == "ReadValue" || entry.type == "Assign" || entry.type == "Parameter" ||
        entry.type == "Constant")
      continue;
    const size_t most = std::min<size_t>(8, entry.types->inputs().size() + 1);
    for (size_t count = 1; count <= most; ++count) {
      const std::vector<ElementType> base = taken_types(entry, count);
      for (size_t input = 0; input < count; ++input) {
        for (size_t t = 1; t < kElementTypeCount; ++t) {
          std::vector<ElementType> types = base;
          types[input] = static_cast<ElementType>(t);
          for (size_t i = 0; i < count; ++i) {  // relations are kept where they may be
            const InputTypes* wanted = entry.types->input(i);
            if (wanted != nullptr && wanted->like == static_cast<int>(input)) types[i] = types[input];
          }
          for (const Shape& shape : {Shape{}, Shape{2}, Shape{2, 2, 2, 2}}) {
            const bool has_run = run_known(entry, types, shape, 1, 1) != 0;
            if (!takes(entry, types)) {
              EXPECT_FALSE(has_run) << describe(entry, types, to_string(shape));
            }
            ++(has_run ? ran : refused);
          }
        }
      }
    }
  }
  EXPECT_GT(ran, 4000u);
  EXPECT_GT(refused, 4000u);
}

// Shapes of every rank: small ones, an axis without elements, and beside it the largest that there is.
std::vector<Shape> extreme_shapes() {
  std::vector<Shape> shapes;
  for (size_t rank = 0; rank <= 7; ++rank) {
    shapes.push_back(Shape(rank, 1));
    shapes.push_back(Shape(rank, 2));
    if (rank == 0) continue;
    for (const size_t axis : {size_t{0}, rank - 1}) {
      Shape shape(rank, 2);
      shape[axis] = 0;
      shapes.push_back(shape);
      if (rank == 1) break;
      for (const int64_t huge : {int64_t{INT32_MAX}, static_cast<int64_t>(PTRDIFF_MAX)}) {
        shape = Shape(rank, 1);
        shape[axis] = 0;
        shape[rank - 1 - axis] = huge;
        shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

// One input has an extreme shape and the others a plain one, or all have it; elements and attributes are
// small or huge.
TEST(Contracts, EveryRankAndSize) {
  Limits limits;
  limits.tensor_bytes = size_t{1} << 22;
  limits.iterations = 100;
  const Call call(limits);
  const CallScope scope(call);
  const std::vector<Shape> shapes = extreme_shapes();
  size_t ran = 0, refused = 0;
  for (const OpClass& entry : registry().all()) {
    if (entry.type == "ReadValue" || entry.type == "Assign" || entry.type == "Parameter" ||
        entry.type == "Constant") {
      continue;
    }
    const size_t most = std::min<size_t>(6, entry.types->inputs().size() + 1);
    for (size_t count = 1; count <= most; ++count) {
      const std::vector<ElementType> types = taken_types(entry, count);
      for (const Shape& shape : shapes) {
        for (size_t changed = 0; changed <= count; ++changed) {  // `count`: all
          for (const int64_t number : {int64_t{1}, int64_t{INT32_MAX}}) {
            if (number != 1 && changed != count) continue;
            const auto node = invent(entry, number);
            std::vector<Tensor> inputs;
            for (size_t i = 0; i < count; ++i) {
              const bool extreme = changed == count || changed == i;
              inputs.push_back(filled(types[i],
                                      extreme  ? shape
                                      : i == 0 ? Shape{1, 2, 3, 4}
                                               : Shape{2},
                                      number == 1 ? 1 : static_cast<int>(number)));
            }
            const std::string what =
                cat(describe(entry, types, to_string(shape)), ", input ", changed, ", number ", number);
            ++(holds(what, [&] { model::evaluate_node(*node, inputs); }) ? ran : refused);
          }
        }
      }
    }
  }
  EXPECT_GT(ran, 4000u);
  EXPECT_GT(refused, 4000u);
}

// tests/sweep/element_types.txt: for each operation the types of a case, and by input (or by several, changed
// together) the types that OpenVINO's CPU plugin runs in their place.
struct Sweep {
  std::string op;
  std::vector<ElementType> base;
  struct Change {
    std::vector<size_t> inputs;
    std::set<std::string> taken;
  };
  std::vector<Change> changes;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    const size_t first = part.find_first_not_of(' ');
    if (first != std::string::npos)
      parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

std::vector<Sweep> read_sweep() {
  std::vector<Sweep> sweeps;
  std::ifstream file("tests/sweep/element_types.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = split(line, '|');
    Sweep sweep{fields.at(0), {}, {}};
    for (const std::string& type : split(fields.at(2), ',')) sweep.base.push_back(*parse_element_type(type));
    for (size_t i = 3; i < fields.size(); ++i) {
      const std::vector<std::string> sides = split(fields[i], ':');
      Sweep::Change change;
      for (const std::string& input : split(sides.at(0), ',')) change.inputs.push_back(std::stoul(input));
      if (sides.size() > 1) {
        for (const std::string& type : split(sides[1], ' ')) change.taken.insert(type);
      }
      sweep.changes.push_back(std::move(change));
    }
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

// Why a type that OpenVINO runs may be refused; docs/conformance.md tells the reasons.
bool may_refuse(ElementType type) { return (kSmallIntegers | kSmallFloats | kBoolean).contains(type); }

// "Op-since input type" of what is refused for a reason of its own.
std::set<std::string> read_exceptions() {
  std::set<std::string> exceptions;
  std::ifstream file("tests/sweep/exceptions.txt");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> sides = split(line, '#');
    if (line.empty() || line[0] == '#' || sides.size() < 2) continue;
    exceptions.insert(sides[0]);
  }
  return exceptions;
}

TEST(Contracts, TakeWhatOpenVinoRuns) {
  const std::set<std::string> exceptions = read_exceptions();
  std::set<std::string> used;
  const std::vector<Sweep> sweeps = read_sweep();
  EXPECT_GE(sweeps.size(), 231u);
  for (const Sweep& sweep : sweeps) {
    const size_t dash = sweep.op.rfind('-');
    const OpClass* entry = registry().find(sweep.op.substr(0, dash), std::stoi(sweep.op.substr(dash + 1)));
    ASSERT_NE(entry, nullptr) << sweep.op;
    EXPECT_TRUE(takes(*entry, sweep.base)) << sweep.op;
    for (const Sweep::Change& change : sweep.changes) {
      for (const std::string& name : change.taken) {
        std::vector<ElementType> types = sweep.base;
        for (const size_t input : change.inputs) types[input] = *parse_element_type(name);
        if (takes(*entry, types) || may_refuse(*parse_element_type(name))) continue;
        std::string inputs;
        for (const size_t input : change.inputs) inputs += cat(inputs.empty() ? "" : ",", input);
        const std::string what = cat(sweep.op, " ", inputs, " ", name);
        used.insert(what);
        EXPECT_TRUE(exceptions.count(what)) << what << " is refused, OpenVINO runs it";
      }
    }
  }
  EXPECT_EQ(used, exceptions) << "exceptions that are none";
}

}  // namespace
}  // namespace wasmvino::test::contracts_test
