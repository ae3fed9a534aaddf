#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks OpenVINO what operations make of NaN, infinities, denormals, -0.0, overflow, division by zero, wide shifts and
conversions out of range.

    pip install openvino==2026.4.1 numpy
    python3 tests/numbers/generate.py > tests/numbers/openvino.txt

Each line of the result is `OPERATION OPSET TYPES ATTRIBUTES: RESULTS` of the CPU plugin. One input takes each of the
numbers of its type in turn, two inputs each pair of them; the second changes faster. The lines `TYPE: NUMBERS` in front
say which numbers. A line `reference: RESULTS` holds what OpenVINO's reference implementation gives where that differs.
Integers are not divided by 0, and the lowest not by -1, whose results mean nothing: the divisor is 1 instead.
"""
import itertools

import numpy as np
import openvino as ov
import openvino.opset15 as ops
from openvino import opset17

FLOATS = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-40, -1e-40, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.5, -3.0,
          16777216.0, -1e10, 88.8, -104.0, 3.4e38]
REALS = ["f32"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTEGERS = SIGNED + UNSIGNED


def numbers(kind):
    if kind == "boolean":
        return [0, 1]
    if kind == "f32":
        return FLOATS
    if kind == "f16":
        return [v for v in FLOATS if not abs(v) < 1e-30 or v == 0] + [6e-8, 65504.0]
    if kind == "f64":
        return FLOATS + [1e300]
    bits = int(kind[1:])
    if kind[0] == "i":
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        return [low, low + 1, -7, -2, -1, 0, 1, 2, 3, 7, bits - 1, bits, bits + 1, high - 1, high]
    return [0, 1, 2, 3, 7, bits - 1, bits, bits + 1, (1 << (bits - 1)), (1 << bits) - 2, (1 << bits) - 1]


def array(kind, values):
    names = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "boolean": np.bool_}
    dtype = names.get(kind) or np.dtype(("int" if kind[0] == "i" else "uint") + kind[1:])
    return np.array(values, dtype=dtype)


def text(value):
    if value.dtype.kind == "f":
        if np.isnan(value):
            return "nan"
        if np.isinf(value):
            return "inf" if value > 0 else "-inf"
        if value == 0:
            return "-0" if np.signbit(value) else "0"
        return f"{float(value):.9g}"
    return str(int(value))


UNARY = [(name, {}) for name in """Abs Acos Acosh Asin Asinh Atan Atanh Ceiling Cos Cosh Erf Exp Floor HSigmoid HSwish
 IsFinite IsInf IsNaN Log Mish Negative Relu Sigmoid Sign Sin Sinh SoftPlus SoftSign Sqrt Tan Tanh""".split()] + [
    ("Clamp", {"min": -1.0, "max": 1.0}), ("Elu", {"alpha": 0.5}), ("Gelu", {"approximation_mode": "ERF"}),
    ("Gelu", {"approximation_mode": "TANH"}), ("Round", {"mode": "half_to_even"}),
    ("Round", {"mode": "half_away_from_zero"}), ("ErfInv", {})]
UNARY_INTEGERS = [("Abs", {}), ("Negative", {}), ("Sign", {}), ("Relu", {}), ("BitwiseNot", {}),
                  ("Clamp", {"min": -1.0, "max": 1.0}), ("Sqrt", {})]
BINARY = """Add Subtract Multiply Divide Maximum Minimum Mod FloorMod Power SquaredDifference PRelu
 Equal NotEqual Less LessEqual Greater GreaterEqual""".split()
BINARY_INTEGERS = BINARY + "BitwiseAnd BitwiseOr BitwiseXor BitwiseLeftShift BitwiseRightShift".split()
REDUCTIONS = "ReduceMax ReduceMin ReduceSum ReduceProd ReduceMean ReduceL1 ReduceL2".split()

BUILDERS = {
    "Clamp": lambda x, a: ops.clamp(x, a["min"], a["max"]), "Elu": lambda x, a: ops.elu(x, a["alpha"]),
    "Gelu": lambda x, a: ops.gelu(x, a["approximation_mode"].lower()), "Round": lambda x, a: ops.round(x, a["mode"]),
    "ErfInv": lambda x, a: opset17.erfinv(x),
    "HSigmoid": lambda x, a: ops.hsigmoid(x), "HSwish": lambda x, a: ops.hswish(x),
    "IsFinite": lambda x, a: ops.is_finite(x), "IsInf": lambda x, a: ops.is_inf(x), "IsNaN": lambda x, a: ops.is_nan(x),
    "SoftPlus": lambda x, a: ops.softplus(x), "SoftSign": lambda x, a: ops.softsign(x),
    "Mod": lambda x, y: ops.mod(x, y), "FloorMod": lambda x, y: ops.floor_mod(x, y), "PRelu": lambda x, y: ops.prelu(x, y),
    "SquaredDifference": lambda x, y: ops.squared_difference(x, y), "NotEqual": lambda x, y: ops.not_equal(x, y),
    "LessEqual": lambda x, y: ops.less_equal(x, y), "GreaterEqual": lambda x, y: ops.greater_equal(x, y),
}


def snake(name):
    return "".join(("_" if i and c.isupper() else "") + c.lower() for i, c in enumerate(name))


def builder(name, unary):
    if name in BUILDERS:
        return BUILDERS[name]
    function = getattr(ops, snake(name))
    return (lambda x, a: function(x)) if unary else (lambda x, y: function(x, y))


core = ov.Core()
PRECISE = {"INFERENCE_PRECISION_HINT": "f32", "EXECUTION_MODE_HINT": "ACCURACY", "NUM_STREAMS": 1,
           "INFERENCE_NUM_THREADS": 1}


def ask(name, opset, kinds, attributes, build, inputs):
    """Prints what the operation that `build` makes of one parameter per input gives."""
    parameters = [ops.parameter(list(value.shape), value.dtype if value.dtype != np.bool_ else bool) for value in inputs]
    spelled = "".join(f" {key}={value}" for key, value in attributes.items())
    try:
        model = ov.Model([build(*parameters)], parameters)
        plugin = as_text(core.compile_model(model, "CPU", PRECISE)(inputs)[0])
    except RuntimeError:  # not for these types
        return
    print(f"{name} {opset} {','.join(kinds)}{spelled}: {plugin}")
    output = ov.Tensor(model.outputs[0].get_element_type(), model.outputs[0].get_shape())
    try:
        if not model.evaluate([output], [ov.Tensor(value) for value in inputs]):
            return
    except RuntimeError:  # there is no reference implementation for these types
        return
    reference = as_text(output.data)
    if reference != plugin:
        print(f"reference: {reference}")


def as_text(results):
    return " ".join(text(value) for value in results.reshape(-1))


def main():
    print("# Made by tests/numbers/generate.py with OpenVINO", ov.get_version().split("-")[0] + "; do not edit.")
    for kind in REALS + ["f16", "f64"] + INTEGERS:
        print(f"{kind}: " + " ".join(text(v) for v in array(kind, numbers(kind))))
    for name, attributes in UNARY:
        make = builder(name, True)
        ask(name, 17 if name == "ErfInv" else 15, ["f32"], attributes, lambda x: make(x, attributes),
            [array("f32", numbers("f32"))])
    for (name, attributes), kind in itertools.product(UNARY_INTEGERS, INTEGERS):
        make = builder(name, True)
        ask(name, 15, [kind], attributes, lambda x: make(x, attributes), [array(kind, numbers(kind))])
    for names, kinds in ((BINARY, REALS), (BINARY_INTEGERS, INTEGERS)):
        for name, kind in itertools.product(names, kinds):
            pairs = list(itertools.product(numbers(kind), repeat=2))
            if kind in INTEGERS and name in ("Divide", "Mod", "FloorMod"):
                lowest = numbers(kind)[0]
                pairs = [(a, 1 if b == 0 or (a, b) == (lowest, -1) else b) for a, b in pairs]
            ask(name, 15, [kind, kind], {}, builder(name, False), [array(kind, values) for values in zip(*pairs)])
    everything = ["f32", "f16", "f64"] + INTEGERS
    for source, target in itertools.product(everything, everything + ["boolean"]):
        if source != target:
            ask("Convert", 15, [source], {"destination_type": target}, lambda x: ops.convert(x, target),
                [array(source, numbers(source))])


if __name__ == "__main__":
    main()
