# SPDX-License-Identifier: Apache-2.0
"""The beam-search decoder of tests/data (OpenVINO IR) as ONNX, from the weights in the IR.

ONNX has neither GRUCell nor GatherTree, so this is the form that was fastest in onnxruntime-web:

- the encoder is one fused GRU over all letters;
- each step of the decoder is an iteration of a Loop, its cell a fused GRU over one step (written out with two
  Gemm and elementwise operations it was 2-6 % slower at every beam width);
- what GatherTree walks back at the end is carried through the Loop: every step picks the parents' rows of the
  sequences so far and appends the new tokens. A second Loop that walks back costs 20 more iterations;
- a beam is finished when its last token is </s>, because a finished beam can only repeat it; lengths are
  counted at the end. Both save operations in the body that the IR has.
"""

import numpy as np
from onnx import TensorProto

from .graph import Graph

BOS, EOS = 2, 3
IMPOSSIBLE = np.float32(-1e9)
STEPS = 20


def read_weights(core, xml):
    """Weights of the IR by role. The layers' names are those in the file."""
    model = core.read_model(xml)
    bodies = {
        op.get_friendly_name(): op.get_function()
        for op in model.get_ops()
        if op.get_type_name() in ("TensorIterator", "Loop")
    }

    def constant(graph, layer, port):
        node = next(op for op in graph.get_ops() if op.get_friendly_name() == layer)
        source = node.input_value(port).get_node()
        if source.get_type_name() != "Constant":
            raise ValueError(
                f"{xml}: input {port} of '{layer}' is a {source.get_type_name()}, not a constant"
            )
        return source.data.copy()

    def gru(body, layer):
        return tuple(constant(bodies[body], layer, port) for port in (2, 3, 4))

    output_layer = next(op for op in bodies["beam_search_loop"].get_ops() if op.get_type_name() == "MatMul")
    return {
        "encoder_embedding": constant(model, "enc_embedding", 0),
        "encoder_gru": gru("encoder_loop", "enc_gru"),
        "decoder_embedding": constant(bodies["beam_search_loop"], "dec_embedding", 0),
        "decoder_gru": gru("beam_search_loop", "dec_gru"),
        "output_weights": output_layer.input_value(1).get_node().data.copy(),
        "output_bias": constant(bodies["beam_search_loop"], "logits", 1).reshape(-1),
    }


def onnx_gru_constants(graph, weights):
    """W, R, B of ONNX GRU from GRUCell's W, R and biases (z, r, input h, recurrent h): same gate order."""
    w, r, b = weights
    hidden = r.shape[1]
    recurrent = np.concatenate([np.zeros(2 * hidden, np.float32), b[3 * hidden :]])
    return (
        graph.constant(w[None]),
        graph.constant(r[None]),
        graph.constant(np.concatenate([b[: 3 * hidden], recurrent])[None]),
    )


def gru_step(body, x, h, weights, hidden):
    """One step of a GRU of K rows: a sequence of length 1."""
    w, r, b = onnx_gru_constants(body, weights)
    first = body.ints([0])
    _, last = body.op(
        "GRU",
        [body.op("Unsqueeze", [x, first]), w, r, b, "", body.op("Unsqueeze", [h, first])],
        outputs=["", body.name("gru")],
        hidden_size=hidden,
        linear_before_reset=1,
    )
    return body.op("Squeeze", [last, first])


def decoder_body(weights, stop_early):
    """One step. Carries h [K,H], tokens [K], scores [K,1], finished [K,1] and sequences [t,K]."""
    body = Graph(prefix="body_")
    vocabulary, hidden = weights["output_weights"].shape
    body.input("step", [], TensorProto.INT64)
    body.input("go_on", [], TensorProto.BOOL)
    h = body.input("h", [None, hidden])
    token = body.input("last_token", [None], TensorProto.INT64)
    score = body.input("score", [None, 1])
    finished = body.input("finished", [None, 1], TensorProto.BOOL)
    sequences = body.input("so_far", [None, None], TensorProto.INT64)

    x = body.op("Gather", [body.constant(weights["decoder_embedding"]), token], axis=0)
    h = gru_step(body, x, h, weights["decoder_gru"], hidden)
    logits = body.op(
        "Gemm", [h, body.constant(weights["output_weights"]), body.constant(weights["output_bias"])], transB=1
    )
    log_probs = body.op("LogSoftmax", [logits], axis=-1)
    only_eos = np.full((1, vocabulary), IMPOSSIBLE, np.float32)
    only_eos[0, EOS] = 0  # a finished beam may only repeat </s>, at no cost
    log_probs = body.op("Where", [finished, body.constant(only_eos), log_probs])
    flat = body.op("Reshape", [body.op("Add", [score, log_probs]), body.ints([-1])])
    scores, index = body.op("TopK", [flat, "beams"], outputs=2, axis=0)  # beams: of the graph around
    parent = body.op("Div", [index, body.scalar(vocabulary, np.int64)])
    token = body.op("Mod", [index, body.scalar(vocabulary, np.int64)])
    h = body.op("Gather", [h, parent], axis=0)
    score = body.op("Unsqueeze", [scores, body.ints([1])])
    ended = body.op("Equal", [token, body.scalar(EOS, np.int64)])
    finished = body.op("Unsqueeze", [ended, body.ints([1])])
    sequences = body.op(
        "Concat",
        [body.op("Gather", [sequences, parent], axis=1), body.op("Unsqueeze", [token, body.ints([0])])],
        axis=0,
    )
    if stop_early:
        alive = body.op("Cast", [body.op("Not", [ended])], to=TensorProto.INT32)
        go_on = body.op("Cast", [body.op("ReduceMax", [alive], keepdims=0)], to=TensorProto.BOOL)
    else:
        go_on = body.op("Identity", ["go_on"])

    body.output(go_on, [], TensorProto.BOOL)
    body.output(h, [None, hidden])
    body.output(token, [None], TensorProto.INT64)
    body.output(score, [None, 1])
    body.output(finished, [None, 1], TensorProto.BOOL)
    body.output(sequences, [None, None], TensorProto.INT64)
    return body.subgraph("decoder_body")


def decoder(weights, *, stop_early=False):
    """The whole decoder. Inputs and outputs are the IR's (model.xml, or model_loop.xml if stop_early)."""
    g = Graph()
    hidden = weights["output_weights"].shape[1]
    ids = g.input("graphemes", [1, None], TensorProto.INT64 if stop_early else TensorProto.INT32)
    width = g.input("beam_width", [], TensorProto.INT32)
    steps = g.input("max_steps", [], TensorProto.INT32) if stop_early else None

    x = g.op(
        "Gather", [g.constant(weights["encoder_embedding"]), g.op("Squeeze", [ids, g.ints([0])])], axis=0
    )
    w, r, b = onnx_gru_constants(g, weights["encoder_gru"])
    _, last = g.op(
        "GRU",
        [g.op("Unsqueeze", [x, g.ints([1])]), w, r, b],
        outputs=["", "encoder_state"],
        hidden_size=hidden,
        linear_before_reset=1,
    )
    beams = g.op("Unsqueeze", [g.op("Cast", [width], to=TensorProto.INT64), g.ints([0])], outputs=["beams"])
    h = g.op("Expand", [g.op("Squeeze", [last, g.ints([0])]), g.op("Concat", [beams, g.ints([1])], axis=0)])
    # Only beam 0 can win the first step: the others start from an impossible score.
    number = g.op(
        "Range", [g.scalar(0, np.int64), g.op("Squeeze", [beams, g.ints([0])]), g.scalar(1, np.int64)]
    )
    score = g.op(
        "Unsqueeze",
        [
            g.op(
                "Where", [g.op("Equal", [number, g.scalar(0, np.int64)]), g.scalar(0.0), g.scalar(IMPOSSIBLE)]
            ),
            g.ints([1]),
        ],
    )
    token = g.op("Expand", [g.ints([BOS]), beams])
    finished = g.op("Expand", [g.constant(np.array([[False]])), g.op("Concat", [beams, g.ints([1])], axis=0)])
    nothing = g.op(
        "Expand", [g.constant(np.zeros((0, 1), np.int64)), g.op("Concat", [g.ints([1]), beams], axis=0)]
    )
    count = g.op("Cast", [steps], to=TensorProto.INT64) if stop_early else g.scalar(STEPS, np.int64)
    _, _, scores, _, sequences = g.op(
        "Loop",
        [count, g.scalar(True, np.bool_), h, token, score, finished, nothing],
        outputs=["last_h", "last_tokens", "last_scores", "last_finished", "all_tokens"],
        body=decoder_body(weights, stop_early),
    )

    spoken = g.op("Not", [g.op("Equal", [sequences, g.scalar(EOS, np.int64)])])
    lengths = g.op("ReduceSum", [g.op("Cast", [spoken], to=TensorProto.INT32), g.ints([0])], keepdims=0)
    g.op("Unsqueeze", [g.op("Cast", [sequences], to=TensorProto.INT32), g.ints([1])], outputs=["sequences"])
    g.op("Transpose", [scores], outputs=["scores"], perm=[1, 0])
    g.op("Unsqueeze", [lengths, g.ints([0])], outputs=["sequence_lengths"])
    g.output("sequences", [None, 1, None], TensorProto.INT32)
    g.output("scores", [1, None])
    g.output("sequence_lengths", [1, None], TensorProto.INT32)
    return g.model("g2p")
