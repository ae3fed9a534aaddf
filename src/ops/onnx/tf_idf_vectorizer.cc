// SPDX-License-Identifier: Apache-2.0
// TfIdfVectorizer: counts the n-grams of a pool in rows of integers or strings. The items of an n-gram may
// have up to max_skip_count others between them, the same number each time.
// https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/call.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops::tf_idf_vectorizer {

enum class Mode { kTf, kIdf, kTfIdf };

struct Options {
  int64_t shortest = 1, longest = 1, skips = 0;
  Mode mode = Mode::kTf;
  Ints counts;     // where the n-grams of each length begin in the pool
  Ints columns;    // of the n-grams, in the order of the pool
  Floats weights;  // of the n-grams; empty: 1
};

// N-grams as a tree: each node continues an n-gram by one item.
struct Tree {
  static constexpr size_t kNone = ~size_t{0};

  struct Node {
    std::map<uint32_t, uint32_t> next;  // item to node
    size_t gram = kNone;                // the n-gram that ends here
  };

  std::vector<Node> nodes = std::vector<Node>(1);

  uint32_t follow(uint32_t node, uint32_t item) {
    const auto [found, is_new] = nodes[node].next.emplace(item, static_cast<uint32_t>(nodes.size()));
    const uint32_t to = found->second;
    if (is_new) nodes.emplace_back();
    return to;
  }
};

// T: int64_t or std::string.
template <typename T>
class Counting final : public Kernel {
 public:
  Counting(const Options& options, const std::vector<T>& pool, size_t width)
      : options_(options), width_(width) {
    std::vector<uint32_t> items;
    for (const T& item : pool)
      items.push_back(numbers_.emplace(item, static_cast<uint32_t>(numbers_.size())).first->second);
    size_t gram = 0;
    for (size_t k = 0; k < options.counts.size(); ++k) {
      const auto begin = static_cast<size_t>(options.counts[k]);
      const size_t end =
          k + 1 < options.counts.size() ? static_cast<size_t>(options.counts[k + 1]) : items.size();
      const size_t length = k + 1;
      const bool used =
          static_cast<int64_t>(length) >= options.shortest && static_cast<int64_t>(length) <= options.longest;
      for (size_t i = begin; end - i >= length; i += length, ++gram) {
        if (!used) continue;
        uint32_t node = 0;
        for (size_t j = i; j < i + length; ++j) node = tree_.follow(node, items[j]);
        tree_.nodes[node].gram = gram;
      }
    }
  }

  void run(EvalContext& context) override {
    const TensorView& data = context.input(0);
    const size_t rows = data.shape.size() == 2 ? static_cast<size_t>(data.shape[0]) : 1;
    const size_t length = rows == 0 ? 0 : data.size() / rows;
    float* const to = context.output(0).mutable_data<float>();
    parallel_for(context.parallel(), rows, 1, [&](size_t begin, size_t end, size_t thread) {
      const std::span<uint32_t> items(static_cast<uint32_t*>(context.scratch()) + thread * length, length);
      WorkMeter meter;
      for (size_t row = begin; row < end; ++row) {
        for (size_t i = 0; i < length; ++i) items[i] = number_of(data, row * length + i);
        meter.add(64 * length);
        float* const counts = to + row * width_;
        std::fill_n(counts, width_, 0.0f);
        count(items, counts, meter);
      }
    });
  }

 private:
  // Items that the pool lacks have a number that no node continues with.
  uint32_t number_of(const TensorView& data, size_t i) const {
    const auto found = [&] {
      if constexpr (std::is_same_v<T, std::string>) {
        return numbers_.find(data.data<std::string>()[i]);
      } else {
        return numbers_.find(load_integer(data, i));
      }
    }();
    return found == numbers_.end() ? ~uint32_t{0} : found->second;
  }

  void count(std::span<const uint32_t> items, float* to, WorkMeter& meter) const {
    int64_t shortest = options_.shortest;
    const auto longest_step = std::min<int64_t>(options_.skips + 1, static_cast<int64_t>(items.size()));
    for (int64_t step = 1; step <= longest_step && shortest <= options_.longest; ++step) {
      for (size_t start = 0; start < items.size(); ++start) {
        uint32_t node = 0;
        int64_t size = 1;
        for (size_t at = start; at < items.size() && size <= options_.longest;
             at += static_cast<size_t>(step), ++size) {
          const auto& next = tree_.nodes[node].next;
          const auto found = next.find(items[at]);
          meter.add(16);
          if (found == next.end()) break;
          node = found->second;
          if (size >= shortest && tree_.nodes[node].gram != Tree::kNone) add(tree_.nodes[node].gram, to);
        }
      }
      // Steps do not change single items.
      if (shortest == 1) shortest = 2;
    }
  }

  void add(size_t gram, float* to) const {
    float& sum = to[static_cast<size_t>(options_.columns[gram])];
    const float weight = options_.weights.empty() ? 1.0f : options_.weights[gram];
    switch (options_.mode) {
      case Mode::kTf:
        sum += 1;
        break;
      case Mode::kIdf:
        sum = weight;
        break;
      default:
        sum += weight;
    }
  }

  Options options_;
  size_t width_;
  std::map<T, uint32_t> numbers_;
  Tree tree_;
};

class TfIdfVectorizer final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("min_gram_length", o_.shortest);
    visitor.on("max_gram_length", o_.longest);
    visitor.on("max_skip_count", o_.skips);
    visitor.on_enum("mode", o_.mode, {"TF", "IDF", "TFIDF"});
    visitor.on("ngram_counts", o_.counts);
    visitor.on("ngram_indexes", o_.columns);
    visitor.on("weights", o_.weights);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 0, 0, 2, "data");
    expect_rank(context, 1, 1, 1, "pool");
    if ((context.input_type(0) == ElementType::kString) != (context.input_type(1) == ElementType::kString)) {
      fail(ErrorCode::kInvalidType, "data are ", context.input_type(0), ", but pool is ",
           context.input_type(1));
    }
    constexpr int64_t kMost = int64_t{1} << 31;
    if (o_.shortest < 1 || o_.longest < o_.shortest || o_.skips < 0 || o_.skips > kMost) {
      fail(ErrorCode::kInvalidModel, "n-grams have ", o_.shortest, " to ", o_.longest, " items and up to ",
           o_.skips, " between them");
    }
    if (!o_.weights.empty() && o_.weights.size() != o_.columns.size()) {
      fail(ErrorCode::kInvalidModel, "attribute 'weights' has ", o_.weights.size(),
           " numbers, 'ngram_indexes' has ", o_.columns.size());
    }
    int64_t width = 0;
    for (const int64_t column : o_.columns) {
      if (column < 0 || column >= kMost)
        fail(ErrorCode::kInvalidModel, "attribute 'ngram_indexes' contains ", column,
             ", expected 0 to 2^31 - 1");
      width = std::max(width, column + 1);
    }
    const PartialShape& data = context.input_shape(0);
    PartialShape shape;
    if (data.has_rank()) {
      shape = PartialShape::of_rank(0);
      if (data.rank() == 2) shape.push_back(data[0]);
      shape.push_back(Dimension(width));
    }
    context.set_output(0, ElementType::kF32, shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const TensorView* pool = context.constant(1);
    if (pool == nullptr) {
      throw Error(ErrorCode::kUnsupported, "pool is computed by the graph, expected a constant").port("pool");
    }
    check_counts(pool->size());
    const auto width = static_cast<size_t>(context.output_shape(0).back());
    const Shape data = context.input_shape(0);
    const size_t rows = data.size() == 2 ? static_cast<size_t>(data[0]) : 1;
    const size_t threads = std::min(context.parallel().threads(), context.parallel().ranges(rows, 1));
    context.request_scratch(CheckedSize(threads) * (rows == 0 ? 0 : element_count(data) / rows) *
                            sizeof(uint32_t));
    if (pool->type == ElementType::kString) {
      const auto* items = pool->data<std::string>();
      return std::make_unique<Counting<std::string>>(
          o_, std::vector<std::string>(items, items + pool->size()), width);
    }
    std::vector<int64_t> items;
    for (size_t i = 0; i < pool->size(); ++i) items.push_back(load_integer(*pool, i));
    return std::make_unique<Counting<int64_t>>(o_, items, width);
  }

 private:
  void check_counts(size_t items) const {
    size_t grams = 0;
    for (size_t k = 0; k < o_.counts.size(); ++k) {
      const int64_t begin = o_.counts[k];
      const int64_t end = k + 1 < o_.counts.size() ? o_.counts[k + 1] : static_cast<int64_t>(items);
      if (begin < 0 || end < begin || end > static_cast<int64_t>(items)) {
        fail(ErrorCode::kInvalidModel, "attribute 'ngram_counts' is ", to_string(o_.counts),
             ", expected ascending positions in the ", items, " items of the pool");
      }
      grams += static_cast<size_t>(end - begin) / (k + 1);
    }
    if (grams != o_.columns.size()) {
      fail(ErrorCode::kInvalidModel, "attribute 'ngram_indexes' has ", o_.columns.size(), " numbers for ",
           grams, " n-grams");
    }
  }

  Options o_;
};

}  // namespace wasmvino::ops::tf_idf_vectorizer

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(tf_idf_vectorizer) {
  constexpr TypeSet kItems = kIndices | kString;
  registry.add<tf_idf_vectorizer::TfIdfVectorizer>({"TfIdfVectorizer",
                                                    {1},
                                                    "TfIdfVectorizer",
                                                    {{"data", kItems}, {"pool", kItems}},
                                                    kLastOpset,
                                                    "ai.onnx"});
}
}  // namespace wasmvino::ops
