# SPDX-License-Identifier: Apache-2.0
"""The IR of a matrix product with weights of 4 bits: u4 constants, converted, shifted and scaled."""

import numpy as np
import openvino as ov
from openvino import opset13 as op

from .networks import pack_int4


def add_int4_ir(writer, values, zeros, scales, shape, output_name):
    """values u4 [N, blocks, block], zeros u4 and scales f32 [N, blocks]; shape: of the f32 input, [M, K]."""
    # ov.Tensor keeps no copy of these: they must live until the model is written.
    packed_values, packed_zeros = (pack_int4(array.reshape(-1)) for array in (values, zeros))

    def u4(packed, dimensions):
        return op.convert(op.constant(ov.Tensor(packed, ov.Shape(dimensions), ov.Type.u4)), "f32")

    x = op.parameter(shape, np.float32, name="x")
    w = op.subtract(u4(packed_values, list(values.shape)), u4(packed_zeros, [*zeros.shape, 1]))
    w = op.multiply(w, op.constant(scales[..., None]))
    w = op.reshape(w, op.constant(np.array([values.shape[0], shape[1]], np.int64)), False)
    y = op.matmul(x, w, False, True)
    x.output(0).get_tensor().set_names({"x"})
    y.output(0).get_tensor().set_names({output_name})
    writer.add_ir(ov.Model([op.result(y)], [x], "int4"))
