#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the goldens of pre- and post-processing: what OpenVINO's own PrePostProcessor makes of small arrays.

    goldens.py FILE.json        needs numpy and openvino 2026.4 of PyPI

The model is y = -x, f32. A case lists the calls as JavaScript makes them: [side, part, method, arguments...].
"""
import json
import re
import sys

import numpy as np
import openvino as ov
import openvino.opset13 as ops
from openvino.preprocess import ColorFormat, PaddingMode, PrePostProcessor, ResizeAlgorithm

NHWC = ["input", "tensor", "setLayout", "NHWC"]
NCHW = ["input", "model", "setLayout", "NCHW"]
U8 = ["input", "tensor", "setElementType", "u8"]
F32 = ["input", "preprocess", "convertElementType", "f32"]


def shape(*sizes):
    return ["input", "tensor", "setShape", list(sizes)]


def step(method, *args):
    return ["input", "preprocess", method, *args]


def color(name, *planes):
    return ["input", "tensor", "setColorFormat", name, *planes]


# name, shape of the model's input, shapes of what is given, calls
CASES = [
    ("u8 to f32", [1, 3, 4, 6], [[1, 3, 4, 6]], [U8]),
    ("layout", [1, 3, 4, 6], [[1, 4, 6, 3]], [NHWC, NCHW]),
    ("layout without a batch", [1, 3, 4, 6], [[4, 6, 3]], [["input", "tensor", "setLayout", "HWC"], shape(4, 6, 3), NCHW]),
    ("layout that is partly open", [1, 3, 4, 6], [[1, 4, 6, 3]], [["input", "tensor", "setLayout", "N...C"], ["input", "model", "setLayout", "NC..."]]),
    ("layout with long names", [1, 3, 4, 6], [[4, 1, 3, 6]], [["input", "tensor", "setLayout", "[h,n,c,w]"], NCHW]),
    ("order of axes", [1, 3, 4, 6], [[1, 6, 3, 4]], [step("convertLayout", [0, 2, 3, 1])]),
    ("conversions of layouts", [1, 3, 4, 6], [[1, 3, 4, 6]], [NCHW, step("convertLayout", "NHWC"), step("mean", [1, 2, 3])]),
    ("mean and scale of channels", [1, 3, 4, 6], [[1, 4, 6, 3]], [NHWC, U8, NCHW, F32, step("mean", [1, 2, 3]), step("scale", [2, 4, 0.5])]),
    ("scale, then mean", [1, 3, 4, 6], [[1, 3, 4, 6]], [step("scale", 255), step("mean", 0.5)]),
    ("f16 on the way", [1, 3, 4, 6], [[1, 3, 4, 6]], [step("convertElementType", "f16"), step("mean", 0.1)]),
    ("linear to the model's size", [1, 3, 4, 6], [[1, 9, 7, 3]], [NHWC, U8, shape(1, 9, 7, 3), NCHW, F32, step("resize", "RESIZE_LINEAR")]),
    ("nearest", [1, 3, 4, 6], [[1, 9, 7, 3]], [NHWC, U8, shape(1, 9, 7, 3), NCHW, step("resize", "RESIZE_NEAREST")]),
    ("cubic to given sizes", [1, 3, 4, 6], [[1, 9, 7, 3]], [NHWC, shape(1, 9, 7, 3), NCHW, step("resize", "RESIZE_CUBIC", 4, 6)]),
    ("bilinear of Pillow", [1, 3, 4, 6], [[1, 9, 7, 3]], [NHWC, shape(1, 9, 7, 3), NCHW, step("resize", "RESIZE_BILINEAR_PILLOW")]),
    ("bicubic of Pillow", [1, 3, 4, 6], [[1, 9, 7, 3]], [NHWC, shape(1, 9, 7, 3), NCHW, step("resize", "RESIZE_BICUBIC_PILLOW")]),
    ("pictures of any size", [1, 3, 4, 6], [[1, 5, 5, 3]], [NHWC, ["input", "tensor", "setSpatialDynamicShape"], NCHW, step("resize", "RESIZE_LINEAR")]),
    ("pictures of another size", [1, 3, 4, 6], [[1, 8, 12, 3]], [NHWC, ["input", "tensor", "setSpatialStaticShape", 8, 12], NCHW, step("resize", "RESIZE_LINEAR")]),
    ("BGR to RGB", [1, 3, 4, 6], [[1, 4, 6, 3]], [NHWC, U8, NCHW, color("BGR"), step("convertColor", "RGB")]),
    ("RGBX to BGR", [1, 3, 4, 6], [[1, 4, 6, 4]], [NHWC, U8, NCHW, color("RGBX"), step("convertColor", "BGR")]),
    ("BGRX to BGR", [1, 3, 4, 6], [[1, 4, 6, 4]], [NHWC, NCHW, color("BGRX"), step("convertColor", "BGR")]),
    ("RGB to grey", [1, 1, 4, 6], [[1, 4, 6, 3]], [NHWC, U8, NCHW, color("RGB"), step("convertColor", "GRAY")]),
    ("BGR to grey, f32", [1, 1, 4, 6], [[1, 4, 6, 3]], [NHWC, NCHW, color("BGR"), step("convertColor", "GRAY")]),
    ("NV12 in one plane", [1, 3, 4, 6], [[1, 6, 6, 1]], [U8, NCHW, color("NV12_SINGLE_PLANE"), step("convertColor", "RGB")]),
    ("NV12 in two planes", [1, 3, 4, 6], [[1, 4, 6, 1], [1, 2, 3, 2]], [U8, NCHW, color("NV12_TWO_PLANES"), step("convertColor", "BGR")]),
    ("I420 in one plane", [1, 3, 4, 6], [[1, 6, 6, 1]], [U8, NCHW, color("I420_SINGLE_PLANE"), step("convertColor", "BGR")]),
    ("I420 in three planes", [1, 3, 4, 6], [[1, 4, 6, 1], [1, 2, 3, 1], [1, 2, 3, 1]], [U8, NCHW, color("I420_THREE_PLANES", ["y", "u", "v"]), step("convertColor", "RGB")]),
    ("NV12 of another size", [1, 3, 4, 6], [[1, 12, 8, 1]], [U8, NCHW, color("NV12_SINGLE_PLANE"), ["input", "tensor", "setSpatialStaticShape", 8, 8], step("convertColor", "RGB"), F32, step("resize", "RESIZE_LINEAR")]),
    ("channels reversed", [1, 3, 4, 6], [[1, 3, 4, 6]], [["input", "tensor", "setLayout", "NCHW"], step("reverseChannels")]),
    ("crop", [1, 3, 4, 6], [[1, 3, 6, 8]], [shape(1, 3, 6, 8), step("crop", [0, 0, 1, 1], [1, 3, -1, -1])]),
    ("constant pads", [1, 3, 4, 6], [[1, 3, 2, 4]], [shape(1, 3, 2, 4), step("pad", [0, 0, 1, 0], [0, 0, 1, 2], 1.5, "CONSTANT")]),
    ("reflected pads", [1, 3, 4, 6], [[1, 3, 2, 4]], [shape(1, 3, 2, 4), step("pad", [0, 0, 1, 0], [0, 0, 1, 2], 0, "REFLECT")]),
    ("symmetric pads", [1, 3, 4, 6], [[1, 3, 2, 4]], [shape(1, 3, 2, 4), step("pad", [0, 0, 1, 0], [0, 0, 1, 2], 0, "SYMMETRIC")]),
    ("layout and type of the output", [1, 3, 4, 6], [[1, 3, 4, 6]], [["output", "model", "setLayout", "NCHW"], ["output", "tensor", "setLayout", "NHWC"], ["output", "tensor", "setElementType", "i32"]]),
    ("steps behind the model", [1, 3, 4, 6], [[1, 3, 4, 6]], [["output", "postprocess", "convertElementType", "i32"], ["output", "postprocess", "convertLayout", [0, 2, 3, 1]]]),
]
ENUMS = {"setColorFormat": ColorFormat, "convertColor": ColorFormat, "resize": ResizeAlgorithm}


def argument(method, value):
    if method in ENUMS and isinstance(value, str):
        return getattr(ENUMS[method], value)
    if method in ("setElementType", "convertElementType"):
        return getattr(ov.Type, value)
    if method == "pad" and isinstance(value, str):
        return getattr(PaddingMode, value)
    if method in ("setLayout", "convertLayout") and isinstance(value, str):
        return ov.Layout(value)
    return value


def values(type_name, sizes):
    count = int(np.prod(sizes))
    array = np.arange(count) * 37 % 251
    return array.reshape(sizes).astype(np.uint8 if type_name == "u8" else np.float32)


def listed(array):
    return {"shape": list(array.shape), "data": [round(float(value), 5) for value in array.ravel()]}


def run(name, model_shape, given, calls):
    parameter = ops.parameter(model_shape, np.float32, name="x")
    parameter.output(0).set_names({"x"})
    negative = ops.negative(parameter)
    negative.output(0).set_names({"y"})
    processor = PrePostProcessor(ov.Model([negative], [parameter], "negative"))
    for side, part, method, *args in calls:
        target = getattr(getattr(processor, side)(), part)()
        snake = re.sub(r"([A-Z])", r"_\1", method).lower()
        getattr(target, snake)(*[argument(method, each) for each in args])
    compiled = ov.Core().compile_model(processor.build(), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    type_name = "u8" if U8 in calls else "f32"
    inputs = [values(type_name, sizes) for sizes in given]
    output = compiled(inputs)[0]
    kind = {"float32": "f32", "int32": "i32"}[str(output.dtype)]
    return {"name": name, "model": model_shape, "calls": calls, "type": type_name, "inputs": [listed(each) for each in inputs], "output": {"type": kind, **listed(output)}}


with open(sys.argv[1], "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(run(*case)) for case in CASES) + "\n]\n")
