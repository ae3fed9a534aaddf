# SPDX-License-Identifier: Apache-2.0
"""Runs a model in OpenVINO, on random inputs.

expected.py MODEL.xml FOLDER writes the elements of each input and output into FOLDER, and tensors.json with their
types and shapes.
"""

import json
import sys
from pathlib import Path

import numpy as np
import openvino as ov

DYNAMIC = 7  # the size of dynamic dimensions after the batch
PIXELS = 64  # the size of dynamic dimensions of pictures


def size(port, axis, dimension):
    if dimension.is_static:
        return dimension.get_length()
    if axis == 0:
        return 1
    return max(PIXELS if len(port.partial_shape) == 4 else DYNAMIC, dimension.get_min_length())


def input_of(port, random):
    shape = [size(port, axis, dimension) for axis, dimension in enumerate(port.partial_shape)]
    kind = port.element_type.to_dtype()
    if kind == np.uint8:
        return random.integers(0, 256, shape).astype(kind)
    if np.issubdtype(kind, np.integer):
        return random.integers(0, 2, shape).astype(kind)  # token ids, masks, types
    return random.random(shape).astype(kind)


def write(folder, name, array):
    (folder / name).write_bytes(np.ascontiguousarray(array).tobytes())
    return {"file": name, "type": ov.Type(array.dtype).to_string(), "shape": list(array.shape)}


def main(xml, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    settings = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
    compiled = ov.Core().compile_model(xml, "CPU", settings)
    inputs = [input_of(port, random) for port in compiled.inputs]
    outputs = compiled(inputs)
    tensors = {
        "inputs": [write(folder, f"input_{i}", array) for i, array in enumerate(inputs)],
        "outputs": [write(folder, f"output_{i}", outputs[i]) for i in range(len(compiled.outputs))],
    }
    (folder / "tensors.json").write_text(json.dumps(tensors))


main(*sys.argv[1:])
