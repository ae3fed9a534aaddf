# SPDX-License-Identifier: Apache-2.0
"""Writes the test cases of the installed onnx package as conformance cases (scripts/check): generate.py FOLDER [REGEX].

Each case has a model.onnx, a case.json and its arrays. Packages: tests/onnx/requirements.txt.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto
from onnx.backend.test.case.model import collect_testcases
from onnx.backend.test.loader import load_model_tests

# Names of element types as OpenVINO spells them. Types that no tensor of the engine has keep ONNX's name.
TYPES = {
    TensorProto.FLOAT: "f32",
    TensorProto.UINT8: "u8",
    TensorProto.INT8: "i8",
    TensorProto.UINT16: "u16",
    TensorProto.INT16: "i16",
    TensorProto.INT32: "i32",
    TensorProto.INT64: "i64",
    TensorProto.STRING: "string",
    TensorProto.BOOL: "boolean",
    TensorProto.FLOAT16: "f16",
    TensorProto.DOUBLE: "f64",
    TensorProto.UINT32: "u32",
    TensorProto.UINT64: "u64",
    TensorProto.BFLOAT16: "bf16",
    TensorProto.FLOAT8E4M3FN: "f8e4m3",
    TensorProto.FLOAT8E5M2: "f8e5m2",
    TensorProto.UINT4: "u4",
    TensorProto.INT4: "i4",
    TensorProto.FLOAT4E2M1: "f4e2m1",
    TensorProto.FLOAT8E8M0: "f8e8m0",
    TensorProto.UINT2: "u2",
}
BITS = {"bf16": np.uint16, "f8e4m3": np.uint8, "f8e5m2": np.uint8, "f4e2m1": np.uint8, "f8e8m0": np.uint8}
VALUES = {"u4": np.uint8, "i4": np.int8, "u2": np.uint8}


def type_of(value):
    """The name of a graph input's or output's type: an element type, or "sequence" and the like."""
    kind = value.type.WhichOneof("value")
    if kind != "tensor_type":
        return (kind or "none").removesuffix("_type")
    number = value.type.tensor_type.elem_type
    return TYPES.get(number, TensorProto.DataType.Name(number).lower())


def to_array(value):
    """A tensor of a data set, as the generator or a file gives it."""
    if isinstance(value, TensorProto):
        return onnx.numpy_helper.to_array(value)
    return np.asarray(value)


def write_array(stem, kind, value):
    """Writes an array as tests/conformance reads it. Values that are no tensors have no file."""
    if kind in ("sequence", "optional", "map") or isinstance(value, (list, dict)) or value is None:
        return
    array = to_array(value)
    if kind == "string":
        text = [each.decode() if isinstance(each, bytes) else str(each) for each in array.ravel()]
        stem.with_suffix(".json").write_text(json.dumps({"shape": list(array.shape), "data": text}))
        return
    if kind in BITS:
        array = array.view(BITS[kind])
    elif kind in VALUES:
        array = array.astype(VALUES[kind])
    elif array.dtype.kind not in "biufc":
        array = array.view(np.uint8)
    np.save(stem.with_suffix(".npy"), np.asarray(array, order="C"))


def write_case(folder, case, inputs, outputs):
    graph = case.model.graph
    initialised = {tensor.name for tensor in graph.initializer}
    given = [value for value in graph.input if value.name not in initialised or len(graph.input) == len(inputs)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    kinds = {type_of(value) for value in [*given, *graph.output]}
    opsets = {entry.domain: entry.version for entry in case.model.opset_import}
    types = {node.op_type for node in graph.node}
    record = {
        "suite": "onnx",
        "op": next(iter(types)) if len(types) == 1 else re.sub(r"^test_|_.*$", "", folder.name) + " (graph)",
        "opset": opsets.get("", 0),
        "rtol": 2**-6 if "bf16" in kinds else case.rtol,
        "atol": case.atol,
        "inputs": [{"name": value.name, "type": type_of(value)} for value in given],
        "outputs": [{"name": value.name, "type": type_of(value)} for value in graph.output],
    }
    for prefix, ports, arrays in (("in", record["inputs"], inputs), ("out", record["outputs"], outputs)):
        for i, (port, array) in enumerate(zip(ports, arrays)):
            write_array(folder / f"{prefix}_{i}", port["type"], array)
    (folder / "case.json").write_text(json.dumps(record, indent=1) + "\n")


def main():
    target, pattern = Path(sys.argv[1]), re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    cases = [*load_model_tests(kind="node"), *(case for case in collect_testcases() if case.kind == "simple")]
    written = 0
    for case in cases:
        if not pattern.search(case.name):
            continue
        for i, (inputs, outputs) in enumerate(case.data_sets):
            name = case.name if len(case.data_sets) == 1 else f"{case.name}_{i}"
            write_case(target / name, case, inputs, outputs)
            written += 1
    print(f"{written} cases of onnx {onnx.__version__}")


if __name__ == "__main__":
    main()
