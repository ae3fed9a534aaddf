// SPDX-License-Identifier: Apache-2.0
// Operations that share work by its data, on data large enough for several ranges: run_op() compares with one
// thread, and plain loops say what is right.
#include <algorithm>
#include <cmath>
#include <map>

#include "../../kernels/random.h"
#include "../arrays.h"

namespace wasmvino::test::shared_work_test {
namespace {

using kernels::Random;

Tensor reals(const Shape& shape, uint32_t seed, float scale = 1.0f, float offset = 0.0f) {
  Tensor tensor(ElementType::kF32, shape);
  Random random(seed);
  for (size_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<float>()[i] = offset + scale * random.real();
  return tensor;
}

Tensor integers(const Shape& shape, uint32_t seed, int64_t low, int64_t high) {
  Tensor tensor(ElementType::kI64, shape);
  Random random(seed);
  for (size_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<int64_t>()[i] = random.integer(low, high);
  return tensor;
}

template <typename T>
std::vector<T> values(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.data<T>() + tensor.size()};
}

// Boxes with corners in order, in 0..100.
Tensor boxes(const Shape& shape, uint32_t seed) {
  Tensor tensor = reals(shape, seed, 40.0f, 40.0f);
  float* numbers = tensor.mutable_data<float>();
  for (size_t i = 0; i < tensor.size(); i += 4) {
    for (size_t k = 0; k < 2; ++k)
      numbers[i + 2 + k] = numbers[i + k] + 1.0f + std::fabs(numbers[i + 2 + k]) / 8;
  }
  return tensor;
}

// Places that repeat: what comes last stays, and sums are those in order.
TEST(SharedWork, ScatterElementsUpdate) {
  struct Case {
    Shape data, indices;
    size_t axis;
  };
  // Groups, columns, and what is not shared.
  for (const Case& c :
       {Case{{40, 50}, {40, 30}, 1}, {{20, 300}, {30, 300}, 0}, {{900}, {2000}, 0}, {{9, 7}, {90, 5}, 0}}) {
    for (const std::string reduction : {"none", "sum", "max", "mean"}) {
      for (const char* use_init_val : {"true", "false"}) {
        const Tensor data = reals(c.data, 1), updates = reals(c.indices, 2);
        const Tensor indices = integers(c.indices, 3, 0, c.data[c.axis] - 1);
        const Tensor got =
            run_op("ScatterElementsUpdate", 12, {{"reduction", reduction}, {"use_init_val", use_init_val}},
                   {data, indices, updates, Tensor::scalar(static_cast<int64_t>(c.axis))})[0];
        std::vector<double> wanted(data.size());
        std::copy_n(data.data<float>(), data.size(), wanted.begin());
        std::vector<int> met(data.size(), use_init_val == std::string("true"));
        const size_t columns = c.data.size() == 2 ? static_cast<size_t>(c.data[1]) : 1;
        const size_t of_indices = c.data.size() == 2 ? static_cast<size_t>(c.indices[1]) : 1;
        for (size_t i = 0; i < updates.size(); ++i) {
          const auto index = static_cast<size_t>(indices.data<int64_t>()[i]);
          const size_t at = c.axis == 0 ? index * columns + i % of_indices : i / of_indices * columns + index;
          const double update = updates.data<float>()[i];
          double& to = wanted[at];
          if (reduction == "none" || met[at] == 0) {
            to = update;
          } else {
            to = reduction == "max" ? std::max(to, update) : to + update;
          }
          ++met[at];
        }
        for (size_t i = 0; i < wanted.size(); ++i) {
          if (reduction == "mean" && met[i] > 0) wanted[i] /= met[i];
          ASSERT_NEAR(got.data<float>()[i], wanted[i], 1e-5) << reduction << ' ' << use_init_val << ' ' << i;
        }
      }
    }
  }
}

TEST(SharedWork, ScatterUpdateAndScatterNDUpdate) {
  for (const int64_t width : {1, 3, 200}) {
    const Tensor data = reals({50, width}, 1), updates = reals({400, width}, 2);
    const Tensor indices = integers({400}, 3, 0, 49);
    std::vector<float> wanted = values<float>(data), sums = wanted;
    const auto columns = static_cast<size_t>(width);
    for (size_t i = 0; i < 400; ++i) {
      for (size_t k = 0; k < columns; ++k) {
        const size_t at = static_cast<size_t>(indices.data<int64_t>()[i]) * columns + k;
        wanted[at] = updates.data<float>()[i * columns + k];
        sums[at] += wanted[at];
      }
    }
    expect_tensor(run_op("ScatterUpdate", 3, {}, {data, indices, updates, Tensor::scalar<int64_t>(0)})[0],
                  data.shape(), wanted);
    const Tensor tuples = Tensor::of<int64_t>({400, 1}, indices.data<int64_t>());
    expect_tensor(run_op("ScatterNDUpdate", 15, {{"reduction", "none"}}, {data, tuples, updates})[0],
                  data.shape(), wanted);
    expect_tensor(run_op("ScatterNDUpdate", 15, {{"reduction", "sum"}}, {data, tuples, updates})[0],
                  data.shape(), sums);
  }
}

TEST(SharedWork, NonZero) {
  const Tensor data = integers({9, 70, 11}, 4, 0, 2);
  std::vector<int64_t> positions[3];
  for (size_t i = 0; i < data.size(); ++i) {
    if (data.data<int64_t>()[i] == 0) continue;
    const auto at = static_cast<int64_t>(i);
    positions[0].push_back(at / 770), positions[1].push_back(at / 11 % 70), positions[2].push_back(at % 11);
  }
  const auto count = static_cast<int64_t>(positions[0].size());
  for (const size_t axis : {1, 2})
    positions[0].insert(positions[0].end(), positions[axis].begin(), positions[axis].end());
  expect_tensor(run_op("NonZero", 3, {{"output_type", "i64"}}, {data})[0], {3, count}, positions[0]);
}

TEST(SharedWork, Unique) {
  const Tensor data = integers({5000}, 5, -300, 300);
  std::map<int64_t, std::pair<int64_t, int64_t>> found;  // the first place of each, and how often it came
  for (size_t i = 0; i < data.size(); ++i) {
    ++found.try_emplace(data.data<int64_t>()[i], static_cast<int64_t>(i), 0).first->second.second;
  }
  std::vector<int64_t> elements, first, counts;
  for (const auto& [element, place] : found) {
    elements.push_back(element), first.push_back(place.first), counts.push_back(place.second);
  }
  const auto got = run_op("Unique", 10, {{"sorted", "true"}}, {data}, 4);
  const auto count = static_cast<int64_t>(elements.size());
  expect_tensor(got[0], {count}, elements);
  expect_tensor(got[1], {count}, first);
  expect_tensor(got[3], {count}, counts);
  std::sort(first.begin(), first.end());
  expect_tensor(run_op("Unique", 10, {{"sorted", "false"}}, {data}, 4)[1], {count}, first);
}

TEST(SharedWork, SparseFillEmptyRows) {
  Tensor indices = integers({3000, 2}, 6, 0, 899);
  const auto got =
      run_op("SparseFillEmptyRows", 16, {},
             {reals({3000}, 7), Tensor::of<int64_t>({2}, {900, 900}), indices, Tensor::scalar(-2.0f)}, 3);
  const int64_t* rows = got[0].data<int64_t>();
  std::vector<char> empty(900, 1);
  for (size_t i = 0; i < 6000; i += 2) empty[static_cast<size_t>(indices.data<int64_t>()[i])] = 0;
  for (size_t i = 0; i + 1 < got[1].size(); ++i)
    EXPECT_LE(std::pair(rows[2 * i], rows[2 * i + 1]), std::pair(rows[2 * i + 2], rows[2 * i + 3]));
  for (size_t i = 0; i < empty.size(); ++i) EXPECT_EQ(got[2].data<bool>()[i], empty[i] != 0);
}

TEST(SharedWork, SegmentMax) {
  struct Case {
    int64_t rows, columns, segments;
  };
  for (const auto& [rows, columns, segments] : {Case{500, 3, 60}, {500, 1, 2}, {40, 700, 7}}) {
    Tensor ids = integers({rows}, 8, 0, segments - 1);
    std::sort(ids.mutable_data<int64_t>(), ids.mutable_data<int64_t>() + ids.size());
    const Tensor data = reals({rows, columns}, 9, 4.0f, -3.0f);
    const auto width = static_cast<size_t>(columns);
    std::vector<float> wanted((static_cast<size_t>(segments) + 1) * width, 0.0f);
    for (size_t i = 0; i < data.size(); ++i) {
      const auto row = i / width;
      const int64_t id = ids.data<int64_t>()[row];
      float& to = wanted[static_cast<size_t>(id) * width + i % width];
      const bool first = row == 0 || ids.data<int64_t>()[row - 1] != id;
      to = first ? data.data<float>()[i] : std::max(to, data.data<float>()[i]);
    }
    expect_tensor(
        run_op("SegmentMax", 16, {{"fill_mode", "ZERO"}}, {data, ids, Tensor::scalar(segments + 1)})[0],
        {segments + 1, columns}, wanted);
  }
}

TEST(SharedWork, GatherTree) {
  const Shape shape = {12, 6, 5};
  const Tensor steps = integers(shape, 10, 0, 9), parents = integers(shape, 11, 0, 4),
               lengths = integers({6}, 12, 1, 14);
  const Tensor got = run_op("GatherTree", 1, {}, {steps, parents, lengths, Tensor::scalar<int64_t>(0)})[0];
  for (size_t i = 0; i < 30; ++i) {
    const auto length = static_cast<size_t>(std::min<int64_t>(12, lengths.data<int64_t>()[i / 5]));
    std::vector<int64_t> sequence(12, 0);
    size_t beam = i % 5;
    for (size_t time = length; time-- > 0;) {
      sequence[time] = steps.data<int64_t>()[time * 30 + i / 5 * 5 + beam];
      beam = static_cast<size_t>(parents.data<int64_t>()[time * 30 + i / 5 * 5 + beam]);
    }
    std::fill(std::find(sequence.begin(), sequence.end(), 0), sequence.end(), 0);
    for (size_t time = 0; time < 12; ++time)
      EXPECT_EQ(got.data<int64_t>()[time * 30 + i], sequence[time]) << time << ' ' << i;
  }
}

// Rows are chosen class by class: the best of each class must be there, and rows must be sorted as asked for.
TEST(SharedWork, MatrixNmsAndMulticlassNms) {
  const Tensor where = boxes({3, 60, 4}, 13), scores = reals({3, 9, 60}, 14, 0.5f, 0.5f);
  for (const char* type : {"MatrixNms", "MulticlassNms"}) {
    const auto got =
        run_op(type, 8, {{"sort_result_type", "score"}, {"background_class", "2"}}, {where, scores}, 3);
    const float* rows = got[0].data<float>();
    for (size_t image = 0, row = 0; image < 3; ++image) {
      const auto count = static_cast<size_t>(got[2].data<int64_t>()[image]);
      std::vector<float> best(9, -1.0f);
      for (size_t i = row; i < row + count; ++i) {
        float& of_class = best[static_cast<size_t>(rows[6 * i])];
        of_class = std::max(of_class, rows[6 * i + 1]);
        if (i > row) {
          EXPECT_LE(rows[6 * i + 1], rows[6 * i - 5]);
        }
      }
      for (size_t c = 0; c < 9; ++c) {
        const float* of_class = scores.data<float>() + (image * 9 + c) * 60;
        EXPECT_EQ(best[c], c == 2 ? -1.0f : *std::max_element(of_class, of_class + 60)) << type;
      }
      row += count;
    }
  }
  const Tensor separate = boxes({9, 60, 4}, 15), of_classes = reals({9, 60}, 16, 0.5f, 0.5f);
  const auto got = run_op("MulticlassNms", 9, {{"sort_result_type", "classid"}},
                          {separate, of_classes, i64s({20, 0, 37})}, 3);
  EXPECT_EQ(got[2].data<int64_t>()[1], 0);
  EXPECT_EQ(got[2].data<int64_t>()[0] + got[2].data<int64_t>()[2], got[0].shape()[0]);
}

// Boxes far apart, so that none is dropped: the best scores, whichever thread moved them.
TEST(SharedWork, ProposalsAndDetections) {
  const int64_t side = 16;
  const auto area = static_cast<size_t>(side * side);
  const Tensor scores = reals({1, 2 * 3, side, side}, 17, 0.5f, 0.5f);
  Tensor deltas = reals({1, 12, side, side}, 18, 0.1f);
  const model::AttributeTexts attributes = {
      {"base_size", "16"}, {"feat_stride", "16"},   {"min_size", "1"},        {"ratio", "0.5,1,2"},
      {"scale", "1"},      {"pre_nms_topn", "768"}, {"post_nms_topn", "768"}, {"nms_thresh", "1"}};
  std::vector<float> best(scores.data<float>() + 3 * area, scores.data<float>() + 6 * area);
  std::sort(best.begin(), best.end(), std::greater<>());
  const Tensor image = Tensor::of<float>({3}, {400, 400, 1});
  EXPECT_EQ(values<float>(run_op("Proposal", 4, attributes, {scores, deltas, image}, 2)[1]), best);

  Tensor anchors(ElementType::kF32, {side, side, 3, 4});
  for (size_t i = 0; i < anchors.size(); ++i) {
    anchors.mutable_data<float>()[i] =
        static_cast<float>(16 * (i / 12 % 16) + (i % 4 < 2 ? 0 : 12 + i / 4 % 3));
  }
  Tensor of_anchors(ElementType::kF32, {1, 3, side, side});
  std::copy_n(scores.data<float>() + 3 * area, 3 * area, of_anchors.mutable_data<float>());
  const model::AttributeTexts limits = {
      {"min_size", "0"}, {"nms_threshold", "1"}, {"pre_nms_count", "768"}, {"post_nms_count", "768"}};
  EXPECT_EQ(
      values<float>(run_op("GenerateProposals", 9, limits,
                           {Tensor::of<float>({1, 3}, {400, 400, 1}), anchors, deltas, of_anchors}, 3)[1]),
      best);
  const Tensor flat = Tensor::of<float>({768, 4}, anchors.data<float>()),
               flat_deltas = Tensor::of<float>({12, side, side}, deltas.data<float>()),
               flat_scores = Tensor::of<float>({3, side, side}, of_anchors.data<float>());
  EXPECT_EQ(values<float>(run_op("ExperimentalDetectronGenerateProposalsSingleImage", 6, limits,
                                 {image, flat, flat_deltas, flat_scores}, 2)[1]),
            best);

  const int64_t classes = 7, regions = 40;
  const Tensor of_regions = reals({regions, classes}, 19, 0.5f, 0.5f);
  std::vector<float> kept;
  for (size_t i = 0; i < of_regions.size(); ++i) {
    if (i % 7 > 0 && of_regions.data<float>()[i] > 0.25f) kept.push_back(of_regions.data<float>()[i]);
  }
  std::sort(kept.begin(), kept.end(), std::greater<>());
  kept.resize(100);
  const auto got = run_op("ExperimentalDetectronDetectionOutput", 6,
                          {{"score_threshold", "0.25"},
                           {"nms_threshold", "1"},
                           {"num_classes", "7"},
                           {"post_nms_count", "40"},
                           {"max_detections_per_image", "100"},
                           {"max_delta_log_wh", "4"},
                           {"deltas_weights", "10,10,5,5"}},
                          {boxes({regions, 4}, 20), reals({regions, 4 * classes}, 21, 0.1f), of_regions,
                           Tensor::of<float>({1, 3}, {400, 400, 1})},
                          3);
  EXPECT_EQ(values<float>(got[2]), kept);
}

TEST(SharedWork, ExperimentalDetectronPriorGridGenerator) {
  const Tensor got =
      run_op("ExperimentalDetectronPriorGridGenerator", 6, {{"flatten", "true"}},
             {Tensor::of<float>({2, 4}, {-1, -2, 1, 2, -3, -4, 3, 4}),
              Tensor(ElementType::kF32, {1, 1, 30, 20}), Tensor(ElementType::kF32, {1, 3, 240, 120})})[0];
  ASSERT_EQ(to_string(got.shape()), "[1200,4]");
  for (size_t i = 0; i < got.size(); ++i) {
    const float priors[] = {-1, -2, 1, 2, -3, -4, 3, 4};
    const size_t place = i / 8;
    const float center = i % 2 == 0 ? 6.0f * (static_cast<float>(place % 20) + 0.5f)
                                    : 8.0f * (static_cast<float>(place / 20) + 0.5f);
    EXPECT_EQ(got.data<float>()[i], priors[i % 8] + center);
  }
}

// What decoders make of the best class of each step.
TEST(SharedWork, GreedyDecoders) {
  const size_t steps = 30, batch = 4, classes = 6;
  const Tensor scores = reals({4, 30, 6}, 22);
  Tensor turned(ElementType::kF32, {30, 4, 6}), mask(ElementType::kF32, {30, 4});
  const Tensor lengths = integers({4}, 23, 5, 30);
  std::vector<int32_t> wanted(batch * steps, -1);
  for (size_t i = 0; i < batch; ++i) {
    size_t count = 0, previous = classes;
    for (size_t t = 0; t < steps; ++t) {
      const float* from = scores.data<float>() + (i * steps + t) * classes;
      std::copy_n(from, classes, turned.mutable_data<float>() + (t * batch + i) * classes);
      const bool within = static_cast<int64_t>(t) < lengths.data<int64_t>()[i];
      mask.mutable_data<float>()[t * batch + i] = within ? 1.0f : 0.0f;
      const auto best = static_cast<size_t>(std::max_element(from, from + classes) - from);
      if (within && best != classes - 1 && best != previous)
        wanted[i * steps + count++] = static_cast<int32_t>(best);
      previous = best;
    }
  }
  expect_tensor(run_op("CTCGreedyDecoderSeqLen", 6, {}, {scores, lengths}, 2)[0], {4, 30}, wanted);
  expect_tensor(run_op("CTCGreedyDecoder", 1, {}, {turned, mask})[0], {4, 30, 1, 1},
                std::vector<float>(wanted.begin(), wanted.end()));
}

// One generator for all rows: a row alone begins where the rows in front of it end.
TEST(SharedWork, Multinomial) {
  const Tensor probs = reals({8, 20}, 24, 0.5f, 0.5f);
  const model::AttributeTexts attributes = {{"convert_type", "i64"},
                                            {"with_replacement", "true"},
                                            {"log_probs", "false"},
                                            {"global_seed", "3"},
                                            {"op_seed", "4"}};
  const Tensor got = run_op("Multinomial", 13, attributes, {probs, Tensor::scalar<int64_t>(15)})[0];
  const Tensor first = Tensor::of<float>({1, 20}, probs.data<float>());
  const Tensor alone = run_op("Multinomial", 13, attributes, {first, Tensor::scalar<int64_t>(15)})[0];
  for (size_t i = 0; i < 15; ++i) EXPECT_EQ(got.data<int64_t>()[i], alone.data<int64_t>()[i]);
}

TEST(SharedWork, Range) {
  const Tensor got = run_op("Range", 4, {{"output_type", "f32"}},
                            {Tensor::scalar(-7.0f), Tensor::scalar(993.0f), Tensor::scalar(0.5f)})[0];
  ASSERT_EQ(got.size(), 2000u);
  for (size_t i = 0; i < 2000; ++i) EXPECT_EQ(got.data<float>()[i], -7.0f + 0.5f * static_cast<float>(i));
}

}  // namespace
}  // namespace wasmvino::test::shared_work_test
