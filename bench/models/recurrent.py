# SPDX-License-Identifier: Apache-2.0
"""Recurrent cases: LSTM as one fused operation, as the TensorIterator of the specification and written out
step by step, and bodies of tiny operations that show what an iteration costs beside its arithmetic."""

import math

import numpy as np
import openvino as ov
from openvino import PartialShape
from openvino import opset13 as op
from openvino.op import Result, tensor_iterator

from .graph import Graph

STEPS, INPUT, HIDDEN = 25, 512, 256  # the sizes of the specification's example


def lstm_weights(random, inputs, hidden):
    """W [4H,I], R [4H,H], B [8H] in ONNX's gate order (i, o, f, c), as PyTorch initialises them."""
    bound = np.float32(1 / math.sqrt(hidden))

    def uniform(shape):
        return (random.random(shape, dtype=np.float32) * 2 - 1) * bound

    return uniform((4 * hidden, inputs)), uniform((4 * hidden, hidden)), uniform((8 * hidden,))


def onnx_lstm(steps=STEPS, inputs=INPUT, hidden=HIDDEN, initial_state=False):
    """The fused operation over a whole sequence, x [S,1,I]; returns the graph."""
    g = Graph(steps + hidden)
    x = g.input("x", [steps, 1, inputs])
    w, r, b = (g.constant(a[None]) for a in lstm_weights(g.random, inputs, hidden))
    state = [g.input(name, [1, 1, hidden]) for name in ("h0", "c0")] if initial_state else []
    g.op("LSTM", [x, w, r, b] + ([""] + state if state else []), outputs=["y"], hidden_size=hidden)
    g.macs = steps * 4 * hidden * (inputs + hidden)
    g.output("y", [steps, 1, 1, hidden])
    return g


def openvino_lstm_constants(steps, inputs, hidden):
    """W, R, B of LSTMCell-4 (gate order forget, input, cell, output; one bias), the values of onnx_lstm."""
    w, r, b = lstm_weights(np.random.default_rng(steps + hidden), inputs, hidden)

    def reorder(a):
        i, o, f, c = np.split(a, 4)
        return np.concatenate([f, i, c, o])

    return reorder(w), reorder(r), reorder(b[: 4 * hidden] + b[4 * hidden :])


def _lstm_parameters(steps, inputs, hidden):
    return (
        op.parameter([1, steps, inputs], np.float32, name="x"),
        op.parameter([1, hidden], np.float32, name="h0"),
        op.parameter([1, hidden], np.float32, name="c0"),
    )


def _model(outputs, parameters, name):
    """An ov.Model whose inputs are named as the parameters are and whose outputs as the keys of `outputs`."""
    for parameter in parameters:
        parameter.output(0).get_tensor().set_names({parameter.get_friendly_name()})
    for key, output in outputs.items():
        output.get_tensor().set_names({key})
    return ov.Model([Result(output) for output in outputs.values()], list(parameters), name)


def specification_lstm(steps=STEPS, inputs=INPUT, hidden=HIDDEN):
    """Example 2 of TensorIterator-1: x [1,S,I] sliced along axis 1, LSTMCell in the body, y [1,S,H]."""
    w, r, b = openvino_lstm_constants(steps, inputs, hidden)
    x, h0, c0 = _lstm_parameters(steps, inputs, hidden)
    x_t = op.parameter([1, 1, inputs], np.float32, name="x_t")
    h = op.parameter([1, hidden], np.float32, name="h")
    c = op.parameter([1, hidden], np.float32, name="c")
    row = op.reshape(x_t, op.constant(np.array([1, inputs], np.int64)), False)
    cell = op.lstm_cell(row, h, c, op.constant(w), op.constant(r), op.constant(b), hidden)
    y_t = op.reshape(cell.output(0), op.constant(np.array([1, 1, hidden], np.int64)), False)
    results = [Result(cell.output(0)), Result(cell.output(1)), Result(y_t.output(0))]
    iterator = tensor_iterator()
    iterator.set_body(ov.Model(results, [x_t, h, c], "body"))
    iterator.set_sliced_input(x_t, x.output(0), 0, 1, 1, -1, 1)
    iterator.set_merged_input(h, h0.output(0), results[0].output(0))
    iterator.set_merged_input(c, c0.output(0), results[1].output(0))
    y = iterator.get_concatenated_slices(results[2].output(0), 0, 1, 1, -1, 1)
    return _model({"y": y}, [x, h0, c0], "lstm_specification")


def unrolled_lstm(steps=STEPS, inputs=INPUT, hidden=HIDDEN):
    """The same without an iterator, one LSTMCell after the other: the difference is the iterator."""
    w, r, b = (op.constant(a) for a in openvino_lstm_constants(steps, inputs, hidden))
    x, h0, c0 = _lstm_parameters(steps, inputs, hidden)
    slices = op.split(x, op.constant(np.int64(1)), steps)
    row, back = op.constant(np.array([1, inputs], np.int64)), op.constant(np.array([1, 1, hidden], np.int64))
    h, c, outputs = h0.output(0), c0.output(0), []
    for t in range(steps):
        cell = op.lstm_cell(op.reshape(slices.output(t), row, False), h, c, w, r, b, hidden)
        h, c = cell.output(0), cell.output(1)
        outputs.append(op.reshape(h, back, False))
    return _model({"y": op.concat(outputs, 1).output(0)}, [x, h0, c0], "lstm_unrolled")


# What an iteration costs. The arithmetic is a product of 1x16 with a rotation of 16x16 (256 multiply-adds):
# tiny, fused by nobody into its neighbour, and the state keeps its length however long it runs.
WIDTH = 16


def rotations(count):
    random = np.random.default_rng(16)
    return [np.linalg.qr(random.standard_normal((WIDTH, WIDTH)))[0].astype(np.float32) for _ in range(count)]


def iterator_state(operations):
    """TensorIterator: h [1,16] goes through `operations` products per iteration. ticks [N,1], all zero, gives
    the count; each is added to the state, because OpenVINO drops an input that nobody reads and then iterates
    once."""
    ticks = op.parameter(PartialShape([-1, 1]), np.float32, name="ticks")
    h0 = op.parameter([1, WIDTH], np.float32, name="h0")
    tick = op.parameter([1, 1], np.float32, name="tick")
    h = op.parameter([1, WIDTH], np.float32, name="h")
    y = op.add(h, tick)
    for matrix in rotations(operations):
        y = op.matmul(y, op.constant(matrix), False, False)
    result = Result(y.output(0))
    iterator = tensor_iterator()
    iterator.set_body(ov.Model([result], [tick, h], "body"))
    iterator.set_sliced_input(tick, ticks.output(0), 0, 1, 1, -1, 0)
    iterator.set_merged_input(h, h0.output(0), result.output(0))
    return _model({"y": iterator.get_iter_value(result.output(0), -1)}, [ticks, h0], "iterations")


def onnx_iterator_state(operations):
    """As a Scan, ONNX's operation for it; its slices lose the axis, which broadcasting does not mind."""
    body = Graph(prefix="body_")
    h = body.input("h", [1, WIDTH])
    y = body.op("Add", [h, body.input("tick", [1])])
    for matrix in rotations(operations):
        y = body.op("MatMul", [y, body.constant(matrix)])
    body.output(y, [1, WIDTH])
    g = Graph()
    ticks = g.input("ticks", [None, 1])
    h0 = g.input("h0", [1, WIDTH])
    g.op("Scan", [h0, ticks], outputs=["y"], body=body.subgraph("body"), num_scan_inputs=1)
    g.output("y", [1, WIDTH])
    return g


def iterator_slices():
    """As iterator_state(1), but slices of x [N,16] are added to the state, and y [N,16] is all states."""
    x = op.parameter(PartialShape([-1, WIDTH]), np.float32, name="x")
    h0 = op.parameter([1, WIDTH], np.float32, name="h0")
    x_t = op.parameter([1, WIDTH], np.float32, name="x_t")
    h = op.parameter([1, WIDTH], np.float32, name="h")
    result = Result(op.add(op.matmul(h, op.constant(rotations(1)[0]), False, False), x_t).output(0))
    iterator = tensor_iterator()
    iterator.set_body(ov.Model([result], [x_t, h], "body"))
    iterator.set_sliced_input(x_t, x.output(0), 0, 1, 1, -1, 0)
    iterator.set_merged_input(h, h0.output(0), result.output(0))
    return _model(
        {"y": iterator.get_concatenated_slices(result.output(0), 0, 1, 1, -1, 0)}, [x, h0], "slices"
    )


def onnx_iterator_slices():
    body = Graph(prefix="body_")
    h = body.input("h", [1, WIDTH])
    x_t = body.input("x_t", [WIDTH])
    y = body.op("Add", [body.op("MatMul", [h, body.constant(rotations(1)[0])]), x_t])
    body.output(y, [1, WIDTH])
    body.output(body.op("Identity", [y]), [1, WIDTH])
    g = Graph()
    x = g.input("x", [None, WIDTH])
    h0 = g.input("h0", [1, WIDTH])
    g.op("Scan", [h0, x], outputs=["last", "y"], body=body.subgraph("body"), num_scan_inputs=1)
    g.output("y", [None, 1, WIDTH])
    return g
