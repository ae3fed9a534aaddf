// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN of several layers and both directions, as OpenVINO's sequences.
#include <algorithm>
#include <iterator>

#include "frontends/pnnx/calls.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

struct Kind {
  std::string_view sequence;  // the operation
  Ints order;                 // PyTorch's gates in OpenVINO's order
  bool has_cell;
};

class Recurrent {
 public:
  // Of a module: weights and sizes are its own.
  Recurrent(Context& c, const Kind& kind)
      : c_(c),
        kind_(kind),
        gates_(static_cast<int64_t>(kind.order.size())),
        hidden_(c.integer("hidden_size")),
        projected_(kind.has_cell ? c.integer("proj_size", 0) : 0),
        layers_(c.integer("num_layers", 1)),
        directions_(c.flag("bidirectional", false) ? 2 : 1),
        bias_(c.flag("bias", true)),
        batch_first_(c.flag("batch_first", false)),
        activation_(c.word("nonlinearity", "tanh")),
        weight_count_(c.op().attributes.size()) {
    // The weights tell the size of the input. Dropout does nothing in inference.
    c.ignore("input_size dropout");
  }

  // Of a call: the weights are the list that input 2 marks.
  Recurrent(Context& c, const Kind& kind, const std::string& activation)
      : c_(c),
        kind_(kind),
        gates_(static_cast<int64_t>(kind.order.size())),
        layers_(c.integer("num_layers")),
        directions_(c.flag("bidirectional", false) ? 2 : 1),
        bias_(c.flag("has_biases", true)),
        batch_first_(c.flag("batch_first", false)),
        activation_(activation),
        given_(tensors_of(c, 2)),
        weight_count_(given_.size()) {
    c.ignore("dropout");
    if (c.flag("train", false))
      fail(ErrorCode::kUnsupported, "runs as in training. Trace the network after eval()");
    hidden_ = known_size(1);
    const int64_t each = (bias_ ? 4 : 2) * directions_;
    if (layers_ < 1 || layers_ > static_cast<int64_t>(given_.size())) return;
    if (static_cast<int64_t>(given_.size()) == layers_ * (each + directions_)) {
      projected_ = hidden_;
      hidden_ = known_size(0) / gates_;
    } else if (static_cast<int64_t>(given_.size()) != layers_ * each) {
      fail(ErrorCode::kInvalidModel, "has ", given_.size(), " weights, expected ", layers_ * each);
    }
  }

  void build() {
    // Each layer has weights of at least two names, so this rejects an excessive number of layers.
    if (layers_ < 1 || static_cast<uint64_t>(layers_) > weight_count_ || hidden_ < 1 || projected_ < 0) {
      fail(ErrorCode::kInvalidModel, "has ", layers_, " layers of ", hidden_, " and ", weight_count_,
           " weights");
    }
    Source x = c_.input(0);
    const size_t rank = c_.b().rank(x);
    if (rank != 2 && rank != 3)
      fail(ErrorCode::kUnsupported, "its input is ", c_.b().shape(x), ", expected two or three axes");
    batched_ = rank == 3;
    if (!batched_) {
      x = unsqueeze(c_, x, 0);
    } else if (!batch_first_) {
      x = transpose(c_, x, {1, 0, 2});
    }
    batch_ = size_of(c_, x, 0);
    lengths_ = c_.b().add("Broadcast", {squeeze(c_, size_of(c_, x, 1), 0), batch_});
    const std::optional<Source> hidden = initial(1), cell = kind_.has_cell ? initial(2) : std::nullopt;
    std::vector<Source> last_hidden, last_cell;
    for (int64_t layer = 0; layer < layers_; ++layer) {
      const Source made = sequence(x, layer, hidden, cell);
      // [N, D, T, H] to [N, T, D * H], or P instead of H
      x = reshape_keeping(c_, transpose(c_, project(made, layer, 4), {0, 2, 1, 3}),
                          {0, 0, directions_ * state_size()});
      last_hidden.push_back(transpose(c_, project(model::Builder::output(made, 1), layer, 3), {1, 0, 2}));
      if (kind_.has_cell) last_cell.push_back(transpose(c_, model::Builder::output(made, 2), {1, 0, 2}));
    }
    if (!batched_) {
      x = squeeze(c_, x, 0);
    } else if (!batch_first_) {
      x = transpose(c_, x, {1, 0, 2});
    }
    std::vector<Source> outputs = {x, last_states(last_hidden)};
    if (kind_.has_cell) outputs.push_back(last_states(last_cell));
    // Without a batch, pnnx writes the states of an LSTM before its output.
    if (!batched_ && c_.op().outputs.size() == 3 && outputs.size() == 3 && !fits(0, outputs[0]) &&
        fits(2, outputs[0])) {
      std::rotate(outputs.begin(), outputs.begin() + 1, outputs.end());
    }
    c_.give(outputs);
  }

 private:
  // The size of the hidden state, which is the last axis of weight_hh, or that of the gates.
  int64_t known_size(size_t axis) const {
    const PartialShape shape = given_.size() < 2 ? PartialShape() : c_.b().shape(given_[1]);
    if (!shape.is_static() || shape.rank() != 2)
      fail(ErrorCode::kUnsupported, "the sizes of its weights are unknown");
    return shape[axis].size();
  }

  // A weight of a layer: "weight_ih", "bias_hh" ...
  Source weight(std::string_view name, int64_t layer, int64_t direction) {
    if (given_.empty()) return c_.weight(cat(name, suffix(layer, direction)));
    constexpr std::string_view kNames[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"};
    const int64_t biases = bias_ ? 2 : 0, each = 2 + biases + (projected_ == 0 ? 0 : 1);
    int64_t place = std::find(std::begin(kNames), std::end(kNames), name) - std::begin(kNames);
    if (name == "weight_hr") place = 2 + biases;
    return given_[static_cast<size_t>((layer * directions_ + direction) * each + place)];
  }

  // Whether a value has the shape that the file declares for an output.
  bool fits(size_t output, const Source& made) const {
    return c_.b().shape(made).compatible(c_.declared_output(output).shape);
  }

  // [layers * D, N, H], without N if the input has none.
  Source last_states(const std::vector<Source>& layers) {
    const Source states = concat(c_, layers, 0);
    return batched_ ? states : squeeze(c_, states, 1);
  }

  // The size of the hidden state that PyTorch has.
  int64_t state_size() const { return projected_ == 0 ? hidden_ : projected_; }

  // weight_hr of all directions: [D, P, H]
  Source projections(int64_t layer) {
    std::vector<Source> parts;
    for (int64_t d = 0; d < directions_; ++d) {
      parts.push_back(unsqueeze(c_, weight("weight_hr", layer, d), 0));
    }
    return concat(c_, parts, 0);
  }

  // Hidden states [N, D, T, H] or [N, D, H] to those that PyTorch projects, with P instead of H.
  Source project(const Source& states, int64_t layer, size_t rank) {
    if (projected_ == 0) return states;
    const Source weights = projections(layer);
    const Source rows = rank == 4 ? states : unsqueeze(c_, states, 2);
    const Source made = c_.b().add("MatMul", {rows, weights}, {{"transpose_b", true}});
    return rank == 4 ? made : squeeze(c_, made, 2);
  }

  // A call has a list of two states, or one state.
  Source given_state(size_t position) const {
    const std::vector<Source> states = tensors_of(c_, 1);
    if (states.size() < position)
      fail(ErrorCode::kInvalidModel, "has ", states.size(), " initial states, expected ", position);
    return states[position - 1];
  }

  // An initial state [layers * D, N, H]: an input, or an element of the tuple in input 1.
  std::optional<Source> initial(size_t position) const {
    if (c_.input_count() < 2) return std::nullopt;
    const Value& states = c_.value(1);
    if (!given_.empty()) return batched(given_state(position));
    if (!states.is_tuple) return batched(c_.input(position));
    if (states.tensors.size() < position)
      fail(ErrorCode::kInvalidModel, "has a tuple of ", states.tensors.size(), " states");
    return batched(states.tensors[position - 1]);
  }

  Source batched(const Source& state) const { return batched_ ? state : unsqueeze(c_, state, 1); }

  // The state of one layer as [N, D, H]; zeros if none is given.
  Source state(const std::optional<Source>& given, int64_t layer, const Source& like) {
    if (given)
      return transpose(c_, slice(c_, *given, 0, layer * directions_, (layer + 1) * directions_), {1, 0, 2});
    const Source shape = concat_lists(c_, {batch_, c_.b().list({directions_, hidden_})});
    return c_.b().add("Broadcast", {number_like(c_, 0, like), shape});
  }

  static std::string suffix(int64_t layer, int64_t direction) {
    return cat("_l", layer, direction == 1 ? "_reverse" : "");
  }

  // The gates of a weight [gates * H, columns] or bias [gates * H] in OpenVINO's order.
  Source ordered(const Source& weight, bool is_matrix) {
    if (gates_ == 1) return weight;
    Ints apart = {gates_, hidden_}, together = {gates_ * hidden_};
    if (is_matrix) {
      apart.push_back(-1);
      together.push_back(-1);
    }
    const Source moved = c_.b().add(
        "Gather", {reshape(c_, weight, apart), c_.b().list(kind_.order), c_.b().scalar(int64_t{0})});
    return reshape(c_, moved, together);
  }

  // One matrix per direction: [D, gates * H, columns].
  Source matrices(const char* name, int64_t layer) {
    std::vector<Source> parts;
    for (int64_t d = 0; d < directions_; ++d) {
      parts.push_back(unsqueeze(c_, ordered(weight(name, layer, d), true), 0));
    }
    return concat(c_, parts, 0);
  }

  Source biases(int64_t layer, const Source& like) {
    std::vector<Source> parts;
    const bool apart = kind_.sequence == "GRUSequence";
    if (!bias_) {
      const Source shape = c_.b().list({directions_, (apart ? gates_ + 1 : gates_) * hidden_});
      return c_.b().add("Broadcast", {number_like(c_, 0, like), shape});
    }
    for (int64_t d = 0; d < directions_; ++d) {
      const Source input = ordered(weight("bias_ih", layer, d), false);
      const Source hidden = ordered(weight("bias_hh", layer, d), false);
      Source bias = c_.b().add("Add", {input, hidden});
      if (apart) {
        // The two biases of the new gate stay separate, because the reset gate multiplies one of them.
        const int64_t first = (gates_ - 1) * hidden_, end = gates_ * hidden_;
        bias = concat(
            c_,
            {slice(c_, bias, 0, 0, first), slice(c_, input, 0, first, end), slice(c_, hidden, 0, first, end)},
            0);
      }
      parts.push_back(unsqueeze(c_, bias, 0));
    }
    return concat(c_, parts, 0);
  }

  // With a projection, the gates are W_ih x + W_hh (W_hr h) = W_ih x + (W_hh W_hr) h, where h is the hidden
  // state before its projection. The initial state, which is projected already, is not some W_hr h. It
  // becomes an additional input of the first step, whose weights are W_hh.
  void fold_projection(int64_t layer, const std::optional<Source>& hidden, Source& x, Source& input_weights,
                       Source& state_weights) {
    if (hidden) {
      const Source projected = state(hidden, layer, x);  // [N, D, P]
      const int64_t rows = gates_ * hidden_;
      std::vector<Source> columns = {input_weights}, steps = {x};
      for (int64_t d = 0; d < directions_; ++d) {
        // The weights of direction d, which are 0 for the other direction.
        const Source own = slice(c_, state_weights, 0, d, d + 1);
        const Source none =
            c_.b().add("Broadcast", {number_like(c_, 0, own), c_.b().list({1, rows, projected_})});
        columns.push_back(
            directions_ == 1 ? own : concat(c_, d == 0 ? std::vector{own, none} : std::vector{none, own}, 0));
        // [N, T, P], 0 but for the step that the direction begins with
        const Source first = slice(c_, projected, 1, d, d + 1);
        const Source others = with_number(c_, "Subtract", size_of(c_, x, 1), 1);
        const Source rest = c_.b().add(
            "Broadcast",
            {number_like(c_, 0, first), concat_lists(c_, {batch_, others, c_.b().list({projected_})})});
        steps.push_back(concat(c_, d == 0 ? std::vector{first, rest} : std::vector{rest, first}, 1));
      }
      x = concat(c_, steps, 2);
      input_weights = concat(c_, columns, 2);
    }
    state_weights = c_.b().add("MatMul", {state_weights, projections(layer)});
  }

  Source sequence(Source x, int64_t layer, const std::optional<Source>& hidden,
                  const std::optional<Source>& cell) {
    Source input_weights = matrices("weight_ih", layer), state_weights = matrices("weight_hh", layer);
    if (projected_ != 0) fold_projection(layer, hidden, x, input_weights, state_weights);
    std::vector<Source> inputs = {x, state(projected_ == 0 ? hidden : std::nullopt, layer, x)};
    if (kind_.has_cell) inputs.push_back(state(cell, layer, x));
    for (const Source next : {lengths_, input_weights, state_weights, biases(layer, x)})
      inputs.push_back(next);
    model::Attributes attributes = {{"hidden_size", hidden_},
                                    {"direction", directions_ == 2 ? "bidirectional" : "forward"}};
    if (kind_.sequence == "GRUSequence") attributes.push_back({"linear_before_reset", true});
    if (kind_.sequence == "RNNSequence") {
      attributes.push_back({"activations", std::vector<std::string>{activation_}});
    }
    return c_.b().add(kind_.sequence, inputs, attributes, kind_.has_cell ? 3 : 2);
  }

  Context& c_;
  const Kind& kind_;
  int64_t gates_, hidden_ = 0, projected_ = 0, layers_, directions_;
  bool bias_, batch_first_, batched_ = true;
  std::string activation_;
  std::vector<Source> given_;
  size_t weight_count_;
  Source batch_, lengths_;
};

// PyTorch's gates are input, forget, cell, output; OpenVINO's are forget, input, cell, output.
Kind lstm_kind() { return {"LSTMSequence", {1, 0, 2, 3}, true}; }
// PyTorch's gates are reset, update, new; OpenVINO's are update, reset, new.
Kind gru_kind() { return {"GRUSequence", {1, 0, 2}, false}; }
Kind rnn_kind() { return {"RNNSequence", {0}, false}; }

void lstm(Context& c) { Recurrent(c, lstm_kind()).build(); }
void gru(Context& c) { Recurrent(c, gru_kind()).build(); }
void rnn(Context& c) { Recurrent(c, rnn_kind()).build(); }
void lstm_call(Context& c) { Recurrent(c, lstm_kind(), "tanh").build(); }
void gru_call(Context& c) { Recurrent(c, gru_kind(), "tanh").build(); }
void rnn_tanh_call(Context& c) { Recurrent(c, rnn_kind(), "tanh").build(); }
void rnn_relu_call(Context& c) { Recurrent(c, rnn_kind(), "relu").build(); }

// A module that is traced as the root of a network becomes a call.
constexpr std::string_view kCall =
    "input hx params has_biases num_layers dropout train bidirectional batch_first";

constexpr Entry kEntries[] = {
    {"nn.LSTM", lstm, "LSTMSequence Add MatMul Subtract"},
    {"nn.GRU", gru, "GRUSequence Add"},
    {"nn.RNN", rnn, "RNNSequence Add"},
    {"aten::lstm", lstm_call, "LSTMSequence Add MatMul Subtract", false, kCall},
    {"aten::gru", gru_call, "GRUSequence Add", false, kCall},
    {"aten::rnn_tanh", rnn_tanh_call, "RNNSequence Add", false, kCall},
    {"aten::rnn_relu", rnn_relu_call, "RNNSequence Add", false, kCall},
};

}  // namespace

std::span<const Entry> recurrent() { return kEntries; }

}  // namespace wasmvino::pnnx
