// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

// A cell of 3 units over two rows of a table [rows, 4], or over its columns in another order.
void build(Model& model, int64_t rows, int64_t axis) {
  const Source indices =
      axis == 0 ? integers(model, "indices", {2, 0}) : integers(model, "indices", {2, 0, 3, 1});
  const Source x = add(model, "Gather", "x",
                       {weights(model, "table", {rows, 4}, 4),
                        indices,
                        {model.add_constant("axis", Tensor::of<int64_t>({}, &axis)), 0}});
  const Source h = parameter(model, "h", {2, 3});
  result(model, add(model, "GRUCell", "cell",
                    {x, h, weights(model, "W", {9, 4}, 1), weights(model, "R", {9, 3}, 2),
                     weights(model, "B", {12}, 3)},
                    {{"hidden_size", "3"}, {"linear_before_reset", "true"}}));
}

TEST(ProjectTables, RowsOfSmallTables) {
  Model model;
  build(model, 3, 0);
  check_pass(project_tables, model, "Parameter h; Gather x; GRUCell cell(x, h)",
             "Parameter h; MatMul cell/projected_table; Gather x(cell/projected_table); ProjectedCell "
             "cell(x, h)");
}

TEST(ProjectTables, LargeTablesStay) {
  Model model;
  build(model, 5, 0);
  check_pass(project_tables, model, "Parameter h; Gather x; GRUCell cell(x, h)",
             "Parameter h; Gather x; GRUCell cell(x, h)");
}

TEST(ProjectTables, ColumnsStay) {
  Model model;
  build(model, 2, 1);
  check_pass(project_tables, model, "Parameter h; Gather x; GRUCell cell(x, h)",
             "Parameter h; Gather x; GRUCell cell(x, h)");
}

}  // namespace
}  // namespace wasmvino::passes
