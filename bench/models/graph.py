# SPDX-License-Identifier: Apache-2.0
"""Builds an ONNX graph node by node, with seeded weights, and counts its multiply-adds."""

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Graph:
    """One network under construction. Values are strings, which each method that adds a node returns."""

    def __init__(self, seed=0, prefix=""):
        """prefix keeps the names of a body apart from those of the graph around it, which it can see."""
        self.random = np.random.default_rng(seed)
        self.nodes = []
        self.initializers = []
        self.inputs = []
        self.outputs = []
        self.opsets = [helper.make_opsetid("", OPSET)]
        self.macs = 0  # multiply-adds of matrix products and convolutions
        self._prefix = prefix
        self._count = 0
        self._scalars = {}

    def name(self, kind):
        self._count += 1
        return f"{self._prefix}{kind}{self._count}"

    def input(self, name, shape, dtype=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name, shape, dtype=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def constant(self, array):
        name = self.name("w")
        self.initializers.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def scalar(self, value, dtype=np.float32):
        """A constant of rank 0, stored once however often it is asked for."""
        key = (value, np.dtype(dtype).name)
        if key not in self._scalars:
            self._scalars[key] = self.constant(np.array(value, dtype))
        return self._scalars[key]

    def ints(self, values):
        return self.constant(np.array(values, np.int64))

    def normal(self, shape, scale):
        return (self.random.standard_normal(shape, dtype=np.float32) * np.float32(scale)).astype(np.float32)

    def op(self, op_type, inputs, outputs=1, domain="", **attributes):
        """Adds a node; outputs is how many it has, or their names."""
        names = (
            [self.name(op_type.lower()) for _ in range(outputs)]
            if isinstance(outputs, int)
            else list(outputs)
        )
        node = helper.make_node(
            op_type, inputs, names, name=f"{self._prefix}{op_type}_{self._count}", domain=domain, **attributes
        )
        self.nodes.append(node)
        return names[0] if len(names) == 1 else names

    def conv(
        self,
        x,
        channels_in,
        channels_out,
        kernel,
        stride=1,
        *,
        size,
        groups=1,
        activation=None,
        gain=math.sqrt(2),
    ):
        """Convolution with bias over a square picture of `size` pixels; returns (output, its size)."""
        pad = (kernel - 1) // 2
        fan_in = channels_in // groups * kernel * kernel
        weights = self.constant(
            self.normal((channels_out, channels_in // groups, kernel, kernel), gain / math.sqrt(fan_in))
        )
        bias = self.constant(self.normal((channels_out,), 0.1))
        y = self.op(
            "Conv",
            [x, weights, bias],
            kernel_shape=[kernel, kernel],
            strides=[stride, stride],
            pads=[pad] * 4,
            group=groups,
        )
        size_out = (size + 2 * pad - kernel) // stride + 1
        self.macs += channels_out * fan_in * size_out * size_out
        if activation == "relu":
            y = self.op("Relu", [y])
        elif activation == "relu6":
            y = self.op("Clip", [y, self.scalar(0), self.scalar(6)])
        return y, size_out

    def linear(self, x, features_in, features_out, rows, *, bias=True):
        """x [.., rows, features_in] times weights, plus bias."""
        weights = self.constant(self.normal((features_in, features_out), 1 / math.sqrt(features_in)))
        y = self.op("MatMul", [x, weights])
        self.macs += features_in * features_out * rows
        return self.op("Add", [y, self.constant(self.normal((features_out,), 0.02))]) if bias else y

    def subgraph(self, name):
        """The nodes so far as the body of a Loop or a Scan."""
        return helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.initializers)

    def model(self, name):
        graph = self.subgraph(name)
        model = helper.make_model(
            graph, opset_imports=self.opsets, ir_version=9, producer_name="wasmvino-bench"
        )
        onnx.checker.check_model(model)
        # Without the types of inner values onnxruntime cannot tell apart what it may fuse.
        return onnx.shape_inference.infer_shapes(model)
