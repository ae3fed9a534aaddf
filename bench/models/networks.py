# SPDX-License-Identifier: Apache-2.0
"""Feed-forward benchmark networks: exact layer configurations of published networks, seeded random weights.

Each function returns a Graph; NETWORKS maps case names to them. The IR is made from the ONNX file by
OpenVINO's own converter, so every engine runs the same network.
"""

import math

import numpy as np
from onnx import helper

from .graph import Graph


def gemm(m, k, n):
    g = Graph(m * 7 + n)
    x = g.input("x", [m, k])
    g.output(g.linear(x, k, n, m, bias=False), [m, n])
    return g


def product(m, k, n, batch=(), transpose_a=False, transpose_b=False):
    """A product of two inputs; Gemm where one is transposed, which MatMul of ONNX cannot say."""
    g = Graph()
    a = g.input("a", [*batch, *((k, m) if transpose_a else (m, k))])
    b = g.input("b", [*batch, *((n, k) if transpose_b else (k, n))])
    attributes = {"transA": int(transpose_a), "transB": int(transpose_b)} if transpose_a or transpose_b else {}
    g.macs += math.prod(batch) * m * k * n
    g.output(g.op("Gemm" if attributes else "MatMul", [a, b], **attributes), [*batch, m, n])
    return g


def convolution(channels_in, channels_out, kernel, stride, size, groups=1):
    g = Graph(channels_in * 31 + kernel)
    x = g.input("x", [1, channels_in, size, size])
    y, size_out = g.conv(x, channels_in, channels_out, kernel, stride, size=size, groups=groups)
    g.output(y, [1, channels_out, size_out, size_out])
    return g


def classifier(g, x, features, scale):
    """Global average pooling and the fully connected layer of 1000 classes."""
    y = g.op("Flatten", [g.op("GlobalAveragePool", [x])], axis=1)
    weights = g.constant(g.normal((features, 1000), scale / math.sqrt(features)))
    bias = g.constant(g.normal((1000,), 0.02))
    g.macs += features * 1000
    g.output(g.op("Gemm", [y, weights, bias]), [1, 1000])


def mobilenet_v2():
    g = Graph(2018)
    y, size = g.conv(g.input("x", [1, 3, 224, 224]), 3, 32, 3, 2, size=224, activation="relu6")
    channels = 32
    for expansion, channels_out, repeats, first_stride in [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ]:
        for i in range(repeats):
            stride = first_stride if i == 0 else 1
            residual = stride == 1 and channels == channels_out
            wide = channels * expansion
            z = y
            if expansion != 1:
                z, _ = g.conv(z, channels, wide, 1, size=size, activation="relu6")
            z, size_out = g.conv(z, wide, wide, 3, stride, size=size, groups=wide, activation="relu6")
            z, _ = g.conv(z, wide, channels_out, 1, size=size_out, gain=0.5 if residual else 1.0)
            y = g.op("Add", [y, z]) if residual else z
            size, channels = size_out, channels_out
    y, _ = g.conv(y, 320, 1280, 1, size=size, activation="relu6")
    classifier(g, y, 1280, 3)
    return g


def resnet50():
    """Version 1.5: the stride is in the 3x3 convolution."""
    g = Graph(2015)
    y, _ = g.conv(g.input("x", [1, 3, 224, 224]), 3, 64, 7, 2, size=224, activation="relu")
    y = g.op("MaxPool", [y], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    size, channels = 56, 64
    for width, repeats, first_stride in [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]:
        for i in range(repeats):
            stride = first_stride if i == 0 else 1
            z, _ = g.conv(y, channels, width, 1, size=size, activation="relu")
            z, size_out = g.conv(z, width, width, 3, stride, size=size, activation="relu")
            z, _ = g.conv(z, width, 4 * width, 1, size=size_out, gain=0.4)
            if i == 0:
                y, _ = g.conv(y, channels, 4 * width, 1, stride, size=size, gain=1.0)
            y = g.op("Relu", [g.op("Add", [z, y])])
            size, channels = size_out, 4 * width
    classifier(g, y, 2048, 1)
    return g


def gelu(g, x):
    """The exact form, by erf, decomposed as exporters write it."""
    erf = g.op("Erf", [g.op("Div", [x, g.scalar(math.sqrt(2))])])
    return g.op("Mul", [g.op("Mul", [x, g.op("Add", [erf, g.scalar(1)])]), g.scalar(0.5)])


def layer_norm(g, x, features):
    scale = g.constant((1 + g.normal((features,), 0.1)).astype(np.float32))
    return g.op(
        "LayerNormalization", [x, scale, g.constant(g.normal((features,), 0.02))], axis=-1, epsilon=1e-12
    )


def minilm(layers=6, width=384, heads=12, tokens=128, inner=1536):
    """The encoder of MiniLM-L6 behind its embeddings."""
    g = Graph(384 + layers)
    x = g.input("x", [1, tokens, width])
    mask = g.input("mask", [1, 1, 1, tokens])
    y = layer_norm(g, x, width)
    by_head = g.ints([1, tokens, heads, width // heads])
    joined = g.ints([1, tokens, width])
    for _ in range(layers):
        q, k, v = [g.op("Reshape", [g.linear(y, width, width, tokens), by_head]) for _ in range(3)]
        q = g.op("Transpose", [q], perm=[0, 2, 1, 3])
        k = g.op("Transpose", [k], perm=[0, 2, 3, 1])
        v = g.op("Transpose", [v], perm=[0, 2, 1, 3])
        scores = g.op("Div", [g.op("MatMul", [q, k]), g.scalar(math.sqrt(width // heads))])
        weights = g.op("Softmax", [g.op("Add", [scores, mask])], axis=-1)
        a = g.op("Transpose", [g.op("MatMul", [weights, v])], perm=[0, 2, 1, 3])
        g.macs += 2 * tokens * tokens * width
        a = g.op("Reshape", [a, joined])
        y = layer_norm(g, g.op("Add", [g.linear(a, width, width, tokens), y]), width)
        f = g.linear(gelu(g, g.linear(y, width, inner, tokens)), inner, width, tokens)
        y = layer_norm(g, g.op("Add", [f, y]), width)
    g.output(y, [1, tokens, width])
    return g


def yolov8n():
    """320x320, widths of the n model: backbone, C2f, SPPF, neck, head (boxes not decoded)."""
    g = Graph(8)

    def block(x, channels_in, channels_out, kernel, stride, size):
        y, size_out = g.conv(x, channels_in, channels_out, kernel, stride, size=size, gain=1.6)
        return g.op("Mul", [y, g.op("Sigmoid", [y])]), size_out

    def c2f(x, channels_in, channels_out, repeats, size, shortcut):
        y, _ = block(x, channels_in, channels_out, 1, 1, size)
        half = channels_out // 2
        parts = list(g.op("Split", [y, g.ints([half, half])], outputs=2, axis=1))
        for _ in range(repeats):
            z, _ = block(parts[-1], half, half, 3, 1, size)
            z, _ = block(z, half, half, 3, 1, size)
            parts.append(g.op("Add", [parts[-1], z]) if shortcut else z)
        y, _ = block(g.op("Concat", parts, axis=1), half * (2 + repeats), channels_out, 1, 1, size)
        return y

    def upsample(x):
        return g.op(
            "Resize",
            [x, "", g.constant(np.array([1, 1, 2, 2], np.float32))],
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )

    y, size = block(g.input("x", [1, 3, 320, 320]), 3, 16, 3, 2, 320)
    y, size = block(y, 16, 32, 3, 2, size)
    y = c2f(y, 32, 32, 1, size, True)
    y, size3 = block(y, 32, 64, 3, 2, size)
    p3 = c2f(y, 64, 64, 2, size3, True)
    y, size4 = block(p3, 64, 128, 3, 2, size3)
    p4 = c2f(y, 128, 128, 2, size4, True)
    y, size5 = block(p4, 128, 256, 3, 2, size4)
    y = c2f(y, 256, 256, 1, size5, True)
    a, _ = block(y, 256, 128, 1, 1, size5)
    pooled = [a]
    for _ in range(3):
        pooled.append(g.op("MaxPool", [pooled[-1]], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
    p5, _ = block(g.op("Concat", pooled, axis=1), 512, 256, 1, 1, size5)
    n4 = c2f(g.op("Concat", [upsample(p5), p4], axis=1), 384, 128, 1, size4, False)
    n3 = c2f(g.op("Concat", [upsample(n4), p3], axis=1), 192, 64, 1, size3, False)
    d4, _ = block(n3, 64, 64, 3, 2, size3)
    m4 = c2f(g.op("Concat", [d4, n4], axis=1), 192, 128, 1, size4, False)
    d5, _ = block(m4, 128, 128, 3, 2, size4)
    m5 = c2f(g.op("Concat", [d5, p5], axis=1), 384, 256, 1, size5, False)
    heads = []
    for x, channels, size in [(n3, 64, size3), (m4, 128, size4), (m5, 256, size5)]:
        branches = []
        for width in (64, 80):
            z, _ = block(x, channels, width, 3, 1, size)
            z, _ = block(z, width, width, 3, 1, size)
            z, _ = g.conv(z, width, width, 1, size=size, gain=1.0)
            branches.append(z)
        heads.append(g.op("Reshape", [g.op("Concat", branches, axis=1), g.ints([1, 144, size * size])]))
    g.output(g.op("Concat", heads, axis=2), [1, 144, size3**2 + size4**2 + size5**2])
    return g


def elementwise(kind):
    """One operation over a million elements (4 MB)."""
    g = Graph(77)
    shape, shape_out = {
        "transpose_nchw_nhwc": ([1, 64, 128, 128], [1, 128, 128, 64]),
        "transpose_heads": ([1, 1024, 16, 64], [1, 16, 1024, 64]),
    }.get(kind, ([1024, 1024],) * 2)
    x = g.input("x", shape)
    if kind == "softmax":
        y = g.op("Softmax", [x], axis=-1)
    elif kind == "layernorm":
        y = layer_norm(g, x, 1024)
    elif kind == "gelu":
        y = gelu(g, x)
    elif kind == "add":
        y = g.op("Add", [x, g.input("b", shape)])
    elif kind == "sigmoid":
        y = g.op("Sigmoid", [x])
    else:
        perm = {"transpose2d": [1, 0], "transpose_nchw_nhwc": [0, 2, 3, 1], "transpose_heads": [0, 2, 1, 3]}[
            kind
        ]
        y = g.op("Transpose", [x], perm=perm)
    g.output(y, shape_out)
    return g


def chain_mixed(length=200):
    """Tiny operations of different kinds, fused by no engine: what a node costs beside its arithmetic."""
    g = Graph(5)
    y = g.input("x", [1, 16])
    for i in range(length):
        if i % 4 == 0:
            y = g.op("MatMul", [y, g.constant(g.normal((16, 16), 0.25))])
        elif i % 4 == 1:
            y = g.op("Tanh", [y])
        elif i % 4 == 2:
            y = g.op("Softmax", [y], axis=-1)
        else:
            square = g.op("Reshape", [y, g.ints([4, 4])])
            y = g.op("Reshape", [g.op("Transpose", [square], perm=[1, 0]), g.ints([1, 16])])
    g.output(y, [1, 16])
    return g


def chain_elementwise(length=200):
    """Tiny elementwise operations, which an engine may fuse."""
    g = Graph(6)
    x = g.input("x", [1, 16])
    b = g.input("b", [1, 16])
    y = x
    for i in range(length):
        if i % 5 == 0:
            y = g.op("Tanh", [y])
        else:
            y = g.op(("Add", "Mul", "Sub", "Max")[i % 4], [y, b if i % 4 else x])
    g.output(y, [1, 16])
    return g


def int4(rows, features_in=2048, features_out=2048, block=32):
    """A matrix product with weights of 4 bits, a scale and a zero point for each block of 32."""
    g = Graph(4)
    g.opsets.append(helper.make_opsetid("com.microsoft", 1))
    x = g.input("x", [rows, features_in])
    blocks = features_in // block
    values = g.random.integers(0, 16, (features_out, blocks, block), dtype=np.uint8)
    zeros = g.random.integers(6, 10, (features_out, blocks), dtype=np.uint8)
    scales = (np.abs(g.normal((features_out, blocks), 0.01)) + np.float32(0.002)).astype(np.float32)
    y = g.op(
        "MatMulNBits",
        [
            x,
            g.constant(pack_int4(values)),
            g.constant(scales.reshape(-1)),
            g.constant(pack_int4(zeros).reshape(-1)),
        ],
        domain="com.microsoft",
        K=features_in,
        N=features_out,
        bits=4,
        block_size=block,
    )
    g.output(y, [rows, features_out])
    g.macs = rows * features_in * features_out
    g.int4 = (values, zeros, scales)
    return g


def pack_int4(values):
    """Two values a byte along the last axis, the first in the low half."""
    return (values[..., 0::2] | (values[..., 1::2] << 4)).astype(np.uint8)


def _networks():
    networks = {f"gemm_{n}": (lambda n=n: gemm(n, n, n)) for n in (64, 128, 256, 512, 1024)}
    networks |= {f"gemv_{n}": (lambda n=n: gemm(1, n, n)) for n in (1024, 4096)}
    networks |= {
        "gemm_tall_4096x64x64": lambda: gemm(4096, 64, 64),
        "gemm_128x384x1536": lambda: gemm(128, 384, 1536),
        "gemm_384_transposed_a": lambda: product(384, 384, 384, transpose_a=True),
        "gemm_384_transposed_b": lambda: product(384, 384, 384, transpose_b=True),
        "gemm_batch_12x128x64x128": lambda: product(128, 64, 128, batch=(12,)),
        "conv3x3_64_56": lambda: convolution(64, 64, 3, 1, 56),
        "conv3x3s2_64_128_56": lambda: convolution(64, 128, 3, 2, 56),
        "conv1x1_256_28": lambda: convolution(256, 256, 1, 1, 28),
        "dw3x3_96_112": lambda: convolution(96, 96, 3, 1, 112, 96),
        "conv7x7s2_3_64_224": lambda: convolution(3, 64, 7, 2, 224),
        "mobilenet_v2": mobilenet_v2,
        "resnet50": resnet50,
        "yolov8n_320": yolov8n,
        "minilm_l6_s128": minilm,
        "chain200_mixed": chain_mixed,
        "chain200_ew": chain_elementwise,
        "int4_2048_m1": lambda: int4(1),
        "int4_2048_m32": lambda: int4(32),
    }
    networks |= {
        f"ew_{kind}_1m": (lambda kind=kind: elementwise(kind))
        for kind in (
            "add",
            "gelu",
            "layernorm",
            "sigmoid",
            "softmax",
            "transpose2d",
            "transpose_heads",
            "transpose_nchw_nhwc",
        )
    }
    return networks


NETWORKS = _networks()
