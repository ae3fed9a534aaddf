// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN, as OpenVINO's sequences.
#include <algorithm>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

struct Kind {
  std::string_view sequence;  // the operation
  Ints order;                 // ONNX's gates in OpenVINO's order
  bool has_cell;
  std::vector<std::string> activations;  // the defaults of one direction
};

class Recurrent {
 public:
  Recurrent(Context& c, const Kind& kind)
      : c_(c),
        kind_(kind),
        gates_(static_cast<int64_t>(kind.order.size())),
        hidden_(c.count("hidden_size")),
        direction_(c.word("direction", "forward")),
        directions_(direction_ == "bidirectional" ? 2 : 1),
        batch_first_(c.flag("layout")) {}

  void build() {
    if (c_.flag("input_forget"))
      fail(ErrorCode::kUnsupported, "couples its input and forget gates (input_forget)");
    if (kind_.has_cell && c_.has_input(7)) fail(ErrorCode::kUnsupported, "has peepholes (input 7)");
    model::Builder& b = c_.b();
    const Source x = batch_first_ ? c_.input(0) : transpose(b, c_.input(0), {1, 0, 2});
    batch_ = size_of(b, x, 0);
    const Source lengths =
        c_.has_input(4) ? c_.input(4) : b.add("Broadcast", {squeeze(b, size_of(b, x, 1), {0}), batch_});
    std::vector<Source> inputs = {x, state(5, x)};
    if (kind_.has_cell) inputs.push_back(state(6, x));
    inputs.push_back(lengths);
    inputs.push_back(ordered(c_.input(1), true));
    inputs.push_back(ordered(c_.input(2), true));
    inputs.push_back(biases(x));
    const Source made = b.add(kind_.sequence, inputs, attributes(), kind_.has_cell ? 3 : 2);
    // [B, D, T, H] to [T, D, B, H], or to [B, T, D, H]
    std::vector<Source> outputs = {transpose(b, made, batch_first_ ? Ints{0, 2, 1, 3} : Ints{2, 1, 0, 3})};
    for (size_t i = 1; i < (kind_.has_cell ? 3u : 2u); ++i) {
      const Source last = model::Builder::output(made, i);
      outputs.push_back(batch_first_ ? last : transpose(b, last, {1, 0, 2}));
    }
    c_.give(outputs);
  }

 private:
  // An initial state as [B, D, H]; zeros if there is none.
  Source state(size_t i, const Source& like) {
    if (c_.has_input(i)) return batch_first_ ? c_.input(i) : transpose(c_.b(), c_.input(i), {1, 0, 2});
    return filled(c_.b(), 0, concat_lists(c_.b(), {batch_, c_.b().list({directions_, hidden_})}), like);
  }

  // The gates of weights [D, gates * H, columns] or biases [D, gates * H] in OpenVINO's order.
  Source ordered(const Source& weights, bool is_matrix) {
    if (gates_ == 1) return weights;
    Ints apart = {directions_, gates_, hidden_}, together = {directions_, gates_ * hidden_};
    if (is_matrix) {
      apart.push_back(-1);
      together.push_back(-1);
    }
    model::Builder& b = c_.b();
    const Source moved =
        b.add("Gather", {reshape(b, weights, apart), b.list(kind_.order), b.scalar(int64_t{1})});
    return reshape(b, moved, together);
  }

  // The biases of the input and of the state are added, except for those of a new gate whose state is
  // multiplied by the reset gate after its bias was added.
  Source biases(const Source& like) {
    model::Builder& b = c_.b();
    const bool apart = kind_.sequence == "GRUSequence" && c_.flag("linear_before_reset");
    if (!c_.has_input(3))
      return filled(b, 0, b.list({directions_, (apart ? gates_ + 1 : gates_) * hidden_}), like);
    const std::vector<Source> halves = split(b, c_.input(3), 1, {gates_ * hidden_, gates_ * hidden_});
    const Source input = ordered(halves[0], false), hidden = ordered(halves[1], false);
    const Source sum = b.add("Add", {input, hidden});
    if (!apart) return sum;
    const int64_t first = (gates_ - 1) * hidden_, end = gates_ * hidden_;
    return concat(
        b, {slice(b, sum, 1, 0, first), slice(b, input, 1, first, end), slice(b, hidden, 1, first, end)}, 1);
  }

  model::Attributes attributes() const {
    std::vector<std::string> activations = c_.words("activations");
    if (activations.empty()) activations = kind_.activations;
    const size_t each = kind_.activations.size();
    if (activations.size() > each) {
      if (activations.size() != each * static_cast<size_t>(directions_)) {
        fail(ErrorCode::kInvalidModel, "has ", activations.size(), " activations, expected ",
             each * static_cast<size_t>(directions_));
      }
      for (size_t i = each; i < activations.size(); ++i) {
        if (activations[i] != activations[i - each])
          fail(ErrorCode::kUnsupported, "has other activations backward than forward");
      }
      activations.resize(each);
    }
    for (std::string& name : activations) {
      for (char& letter : name)
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    }
    model::Attributes made = {{"hidden_size", hidden_},
                              {"direction", direction_},
                              {"activations", activations},
                              {"clip", c_.real("clip", 0)}};
    if (const model::Floats alpha = c_.reals("activation_alpha"); !alpha.empty())
      made.push_back({"activations_alpha", alpha});
    if (const model::Floats beta = c_.reals("activation_beta"); !beta.empty())
      made.push_back({"activations_beta", beta});
    if (kind_.sequence == "GRUSequence")
      made.push_back({"linear_before_reset", c_.flag("linear_before_reset")});
    return made;
  }

  Context& c_;
  const Kind& kind_;
  int64_t gates_, hidden_;
  std::string direction_;
  int64_t directions_;
  bool batch_first_;
  Source batch_;
};

// ONNX's gates are input, output, forget, cell; OpenVINO's are forget, input, cell, output.
void lstm(Context& c) {
  Recurrent(c, {"LSTMSequence", {2, 0, 3, 1}, true, {"Sigmoid", "Tanh", "Tanh"}}).build();
}
void gru(Context& c) { Recurrent(c, {"GRUSequence", {0, 1, 2}, false, {"Sigmoid", "Tanh"}}).build(); }
void rnn(Context& c) { Recurrent(c, {"RNNSequence", {0}, false, {"Tanh"}}).build(); }

constexpr Entry kEntries[] = {
    {"GRU", kAllOpsets, gru, "GRUSequence"},
    {"LSTM", kAllOpsets, lstm, "LSTMSequence"},
    {"RNN", kAllOpsets, rnn, "RNNSequence"},
};

}  // namespace

std::span<const Entry> recurrent() { return kEntries; }

}  // namespace wasmvino::onnx
