// SPDX-License-Identifier: Apache-2.0
// Reads whole files: real models, every conformance case, and IRs that are malformed or hostile.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "ir_tester.h"

namespace wasmvino::test {
namespace {

namespace fs = std::filesystem;

std::vector<char> contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Reads an .xml, and the .bin beside it if there is one.
std::unique_ptr<model::Model> read_file(const fs::path& path) {
  const std::vector<char> xml = contents(path);
  fs::path bin = path;
  bin.replace_extension(".bin");
  std::shared_ptr<const ByteSource> weights;
  if (fs::exists(bin)) weights = std::make_shared<MemoryBytes>(contents(bin));
  return ir::read({xml.data(), xml.size()}, std::move(weights), any_registry());
}

// Reads all .xml below a folder and gives how many there were.
size_t read_all(const char* folder) {
  size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(WASMVINO_TEST_DATA) / folder)) {
    if (entry.path().extension() != ".xml") continue;
    ++count;
    try {
      read_file(entry.path());
    } catch (const Error& error) {
      ADD_FAILURE() << entry.path() << ": " << error.what();
    }
  }
  return count;
}

TEST(Corpus, ReadsTheSpecificationsExamples) {
  EXPECT_GE(read_all("specification"), 9u);
  const auto model =
      read_file(fs::path(WASMVINO_TEST_DATA) / "specification/tensor_iterator_example_2/model.xml");
  const model::Node& iterator = node_of(*model, "lstm");
  ASSERT_EQ(iterator.bodies.size(), 1u);
  const model::Body& body = iterator.bodies[0];
  EXPECT_EQ(to_string(body.model->parameters[0]->outputs[0].shape), "[1,1,512]");
  EXPECT_EQ(node_of(*body.model, "body_7").inputs.size(), 5u);
  EXPECT_EQ(to_string(node_of(*body.model, "body_5").constant->shape()), "[1024,768]");
  EXPECT_EQ(node_of(*body.model, "body_1").constant->value().data<int64_t>()[1], 512);
  EXPECT_EQ(body.inputs[0].axis, 1);
  EXPECT_EQ(body.back_edges.size(), 2u);
}

TEST(Corpus, ReadsRealModels) { EXPECT_GE(read_all("models"), 10u); }

TEST(Corpus, ReadsAllCases) { EXPECT_GE(read_all("cases"), 6000u); }

// What is wrong with a malformed IR as far as the reader can tell; nullptr: nothing is, or only an operation
// knows.
struct Malformed {
  const char* name;
  const char* problem;
};
constexpr Malformed kMalformed[] = {
    {"b2s_batch_not_divisible", nullptr},
    {"b2s_block_huge", nullptr},
    {"b2s_block_negative", nullptr},
    {"b2s_block_zero", nullptr},
    {"b2s_crops_negative_params", nullptr},
    {"b2s_crops_too_big", nullptr},
    {"b2s_crops_too_big_params", nullptr},
    {"bad_char_ref", nullptr},
    {"billion_laughs", nullptr},
    {"bin_absent", "the model needs its weights (the .bin) of at least"},
    {"bin_empty", "its 16 bytes at byte 0 are beyond the end of the weights, which have 0 bytes"},
    {"bin_missing_bytes", "its 16 bytes at byte 0 are beyond the end of the weights, which have 15 bytes"},
    {"binary_garbage", "the .xml has no XML element"},
    {"bool_attr_text", nullptr},
    {"broadcast_huge", nullptr},
    {"broadcast_negative", nullptr},
    {"chain_50k_layers", nullptr},
    {"chain_5k_layers", nullptr},
    {"concat_axis_missing", nullptr},
    {"concat_axis_negative", nullptr},
    {"concat_axis_out_of_range", nullptr},
    {"concat_axis_text", nullptr},
    {"concat_dims", nullptr},
    {"const_bad_type", "attribute 'element_type' is 'f31', expected an element type"},
    {"const_no_offset", "attribute 'offset' is missing"},
    {"const_offset_2p64", "attribute 'offset' is '18446744073709551612', expected a 64-bit integer"},
    {"const_offset_negative", "attribute 'offset' is -4, expected 0 or more"},
    {"const_offset_past_end",
     "its 16 bytes at byte 1000 are beyond the end of the weights, which have 16 bytes"},
    {"const_offset_text", "attribute 'offset' is 'x', expected a 64-bit integer"},
    {"const_shape_bigger", "it has 16 bytes, but its shape [400] of f32 needs 1600"},
    {"const_shape_negative", "its shape [-4] has a negative size"},
    {"const_shape_overflow", "its shape [4294967296,4294967296] is too large for any memory"},
    {"const_size_negative", "attribute 'size' is -16, expected 0 or more"},
    {"const_size_too_big", "its 1600 bytes at byte 0 are beyond the end of the weights, which have 16 bytes"},
    {"const_size_too_small", "it has 12 bytes, but its shape [4] of f32 needs 16"},
    {"const_size_zero", "it has 0 bytes, but its shape [4] of f32 needs 16"},
    {"const_unaligned", nullptr},
    {"const_wider_type", "it has 16 bytes, but its shape [4] of f64 needs 32"},
    {"conv_bad_autopad", nullptr},
    {"conv_channels", nullptr},
    {"conv_dilation_zero", nullptr},
    {"conv_kernel_too_big", nullptr},
    {"conv_no_strides", nullptr},
    {"conv_pads_huge", nullptr},
    {"conv_pads_negative", nullptr},
    {"conv_rank_mismatch", nullptr},
    {"conv_stride_negative", nullptr},
    {"conv_stride_zero", nullptr},
    {"cycle_self", "is part of a cycle: 'Relu_2' → 'Relu_2'"},
    {"cycle_two", "is part of a cycle: 'Exp_3' → 'Relu_2' → 'Exp_3'"},
    {"declared_precision_differs", nullptr},
    {"declared_precision_unknown", "output port 0 has the unknown precision 'FP99'"},
    {"declared_shape_differs", nullptr},
    {"deep_nesting_100k", nullptr},
    {"deep_nesting_1m", nullptr},
    {"duplicate_attribute", "twice"},
    {"edge_duplicate_target", "the edge at line 54 is the second one to input port 0"},
    {"edge_from_missing_layer", "the edge at line 54 comes from layer 77, which does not exist"},
    {"edge_from_missing_port", "the edge at line 54 comes from port 9, which is not one of its outputs"},
    {"edge_missing", "nothing is connected to input 1 (port 1)"},
    {"edge_result_missing", "nothing is connected to input 0 (port 0)"},
    {"edge_text", "line 53: <edge> has from-port=\"zero\", expected an integer of 0 or more"},
    {"edge_to_missing_layer", "the edge at line 55 goes to layer 77, which does not exist"},
    {"edge_to_missing_port", "the edge at line 54 goes to port 9, which is not one of its inputs"},
    {"empty_xml", "the .xml is empty"},
    {"external_entity", nullptr},
    {"gather_index_out_of_range", nullptr},
    {"gather_index_very_negative", nullptr},
    {"gathertree_maxlen_negative", nullptr},
    {"gathertree_maxlen_out_of_range", nullptr},
    {"gathertree_parent_negative", nullptr},
    {"gathertree_parent_out_of_range", nullptr},
    {"gathertree_shape_mismatch", nullptr},
    {"id_duplicate", "its id is also that of 'in0' at line 4"},
    {"id_missing", "<layer> has no id"},
    {"id_negative", "<layer> has id=\"-2\", expected an integer of 0 or more"},
    {"id_text", "<layer> has id=\"two\", expected an integer of 0 or more"},
    {"input_count", "the edge at line 52 goes to port 1, which is not one of its inputs"},
    {"input_extra", "nothing is connected to input 2 (port 5)"},
    {"invalid_utf8", nullptr},
    {"long_name_1mb", nullptr},
    {"loop_trip_huge", nullptr},
    {"many_attributes", nullptr},
    {"matmul_dims", nullptr},
    {"mismatched_tags", "the .xml is not well formed: Start-end tags mismatch at line 51, column 4"},
    {"name_duplicate", nullptr},
    {"net_version_12", "unsupported IR version 12 (supported: 10, 11)"},
    {"net_version_7", "unsupported IR version 7 (supported: 10, 11). OpenVINO wrote it before 2020"},
    {"net_version_missing", "<net> has no version (supported: 10, 11)"},
    {"net_version_text", "unsupported IR version 'eleven' (supported: 10, 11)"},
    {"no_edges", "nothing is connected to input 0 (port 0)"},
    {"no_layers", "line 2: <net> has no <layers>"},
    {"no_parameter", "the edge at line 44 comes from layer 0, which does not exist"},
    {"no_result", "the edge at line 47 goes to layer 3, which does not exist"},
    {"not_xml", "the .xml has no XML element"},
    {"nul_in_middle", "the .xml is not well formed: Error parsing element attribute at line 22, column 23"},
    {"op_newer_than_opset", "opset1 has no operation Mish: it is in opset4 to opset16"},
    {"op_not_in_opset", nullptr},
    {"opset_extension", "its version 'extension' is not supported (supported: opset1 to opset17)"},
    {"opset_missing", "<layer> has no version"},
    {"pad_huge", nullptr},
    {"param_range_reversed", "attribute 'shape' is '5..2,3', expected a shape such as 1,?,2..5 or ..."},
    {"param_rank_100k", "the input would have 100000 axes, at most 64 are supported"},
    {"param_shape_2p31", nullptr},
    {"param_shape_huge", nullptr},
    {"param_shape_incompatible", nullptr},
    {"param_shape_missing", nullptr},
    {"param_shape_negative", "attribute 'shape' is '2,-3,4', expected a shape such as 1,?,2..5 or ..."},
    {"param_shape_over_int64",
     "attribute 'shape' is '99999999999999999999,2', expected a shape such as 1,?,2..5 or ..."},
    {"param_shape_text", "attribute 'shape' is '2,three,4', expected a shape such as 1,?,2..5 or ..."},
    {"param_type_mismatch", nullptr},
    {"param_type_missing", nullptr},
    {"port_id_duplicate", "has two input ports with id 0"},
    {"range_huge", nullptr},
    {"range_step_zero", nullptr},
    {"reshape_count", nullptr},
    {"reshape_overflow", nullptr},
    {"reshape_two_minus1", nullptr},
    {"result_as_source", "the edge at line 52 comes from port 1, which is not one of its outputs"},
    {"scatternd_index_out_of_range", nullptr},
    {"softmax_axis_int64", nullptr},
    {"softmax_axis_out_of_range", nullptr},
    {"ti_axis_out_of_range", nullptr},
    {"ti_backedge_missing", "the port map at line 32 names layer 77, which is not a Result of the body"},
    {"ti_body_shape_mismatch", nullptr},
    {"ti_end_out_of_range", nullptr},
    {"ti_no_body", "has no <body>"},
    {"ti_no_portmap", "nothing is mapped to parameter 'b_in0' of the body"},
    {"ti_part_size_not_dividing", nullptr},
    {"ti_part_size_zero", nullptr},
    {"ti_portmap_internal_not_parameter",
     "the port map at line 26 names layer 2, which is not a Parameter of the body"},
    {"ti_portmap_missing_external",
     "the port map at line 26 names port 42, which is not an input of the layer"},
    {"ti_portmap_missing_internal",
     "the port map at line 26 names layer 42, which is not a Parameter of the body"},
    {"ti_portmap_output_missing_port",
     "the port map at line 28 names port 42, which is not an output of the layer"},
    {"ti_start_out_of_range", nullptr},
    {"ti_stride_zero", nullptr},
    {"tile_huge", nullptr},
    {"tile_negative", nullptr},
    {"topk_k_negative", nullptr},
    {"topk_k_too_big", nullptr},
    {"trailing_garbage", "the .xml is not well formed: Could not determine tag type at line 59, column 2"},
    {"truncated_in_attr",
     "the .xml is not well formed: Error parsing element attribute at line 5, column 31"},
    {"truncated_xml_half", "the .xml is not well formed: Start-end tags mismatch at line 27, column 18"},
    {"truncated_xml_tail", "the .xml is not well formed: Start-end tags mismatch at line 57, column 12"},
    {"two_roots", "line 60: the .xml has a second root element, <net>; expected only <net>"},
    {"type_missing", "<layer> has no type"},
    {"undefined_entity", nullptr},
    {"unknown_op", "the operation Frobnicate of opset1 is unknown to this build"},
    {"unknown_opset", "its version 'opset99' is not supported (supported: opset1 to opset17)"},
    {"wrong_root", "the root element is <model>, expected <net> for OpenVINO IR"},
};

class Bad : public testing::TestWithParam<Malformed> {};

TEST_P(Bad, IsReadOrRefusedWithAReason) {
  const fs::path path = fs::path(WASMVINO_TEST_DATA) / "bad" / GetParam().name / "model.xml";
  ASSERT_TRUE(fs::exists(path));
  try {
    read_file(path);
    EXPECT_EQ(GetParam().problem, nullptr) << "was read";
  } catch (const model::ReadError& error) {
    ASSERT_NE(GetParam().problem, nullptr) << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().problem), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Bad, testing::ValuesIn(kMalformed),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Corpus, KnowsEveryMalformedFile) {
  std::set<std::string> known;
  for (const Malformed& malformed : kMalformed) known.insert(malformed.name);
  for (const auto& entry : fs::directory_iterator(fs::path(WASMVINO_TEST_DATA) / "bad")) {
    if (entry.is_directory()) {
      EXPECT_EQ(known.count(entry.path().filename().string()), 1u) << entry.path();
    }
  }
}

}  // namespace
}  // namespace wasmvino::test
