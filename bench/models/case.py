# SPDX-License-Identifier: Apache-2.0
"""A benchmark case on disk: a folder with the network in each form, its inputs, its goldens and case.json.

case.json:
  name      the folder's name
  macs      multiply-adds of matrix products and convolutions in one run of all sets (0: not counted)
  nodes     nodes of the ONNX graph
  forms     {"ir": ["model.xml", "model.bin"], "onnx": "model.onnx", "graph": ["graph.json", "weights.bin"]}
  sets      what one run computes, in order: [{"inputs": {name: array}, "outputs": {name: array}}], an array
            being {"file": npy, "type": numpy's name, "shape": […]}; "as": {form: {"inputs", "outputs"}}
            replaces those that differ in that form, by another shape of the same file or by another file
  unit      what is decoded or processed once per set, when a run has several ("word")
  exact     names of outputs that must match exactly
  tolerance of the other outputs: largest difference, as a share of the golden's largest magnitude
  golden    who computed the goldens
"""

import json
import os
import shutil

import numpy as np
import onnx
import openvino as ov
from onnx import helper, numpy_helper

# f32 all the way: newer processors would turn on bf16 and dynamic quantisation by themselves, and older ones
# would saturate sums of integers (AVX2: 11 % of the largest output of a quantised matmul).
GOLDEN_OPTIONS = {
    "INFERENCE_PRECISION_HINT": "f32",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
    "LP_TRANSFORMS_MODE": "NO",
}
TOLERANCE = 1e-4


class CaseWriter:
    """Writes one case. Call add_ir or add_onnx for the forms, add_set for inputs, then finish."""

    def __init__(self, root, name, core):
        self.folder = os.path.join(root, name)
        os.makedirs(self.folder, exist_ok=True)
        self.core = core
        self.compiled = None
        self.case = {
            "name": name,
            "macs": 0,
            "nodes": 0,
            "forms": {},
            "sets": [],
            "exact": [],
            "tolerance": TOLERANCE,
            "golden": f"OpenVINO {ov.get_version().split('-')[0]} CPU f32",
        }

    def path(self, file):
        return os.path.join(self.folder, file)

    def add_onnx(self, model):
        onnx.save(model, self.path("model.onnx"))
        self.case["forms"]["onnx"] = "model.onnx"
        self.case["nodes"] = len(model.graph.node)

    def add_graph(self, model):
        """The ONNX graph as JSON and one file of weights, for engines driven operation by operation."""
        graph, weights = graph_json(model)
        with open(self.path("graph.json"), "w", encoding="utf-8") as out:
            json.dump(graph, out)
        with open(self.path("weights.bin"), "wb") as out:
            out.write(weights)
        self.case["forms"]["graph"] = ["graph.json", "weights.bin"]

    def add_ir(self, model):
        """Saves an ov.Model; goldens are computed from the file as read back."""
        ov.serialize(model, self.path("model.xml"), self.path("model.bin"))
        self._use_ir()

    def add_ir_files(self, xml, weights):
        shutil.copyfile(xml, self.path("model.xml"))
        shutil.copyfile(weights, self.path("model.bin"))
        self._use_ir()

    def _use_ir(self):
        self.case["forms"]["ir"] = ["model.xml", "model.bin"]
        self.compiled = self.core.compile_model(
            self.core.read_model(self.path("model.xml")), "CPU", GOLDEN_OPTIONS
        )

    def _save(self, file, array):
        array = np.asarray(array, order="C")
        np.save(self.path(file), array)
        return {"file": file, "type": array.dtype.name, "shape": list(array.shape)}

    def add_set(self, inputs, output_names, onnx_shapes=None):
        """inputs: {name: array} in the model's order; onnx_shapes: {name: shape} where the ONNX form has
        another. Runs OpenVINO; returns {name: golden}."""
        results = self.compiled(inputs)
        outputs = {name: results[i] for i, name in enumerate(output_names)}
        n = len(self.case["sets"])
        one_set = {
            "inputs": {name: self._save(f"in_{n}_{i}.npy", a) for i, (name, a) in enumerate(inputs.items())},
            "outputs": {
                name: self._save(f"out_{n}_{i}.npy", a) for i, (name, a) in enumerate(outputs.items())
            },
        }
        if onnx_shapes:
            reshaped = {
                name: {**one_set["inputs"][name], "shape": shape} for name, shape in onnx_shapes.items()
            }
            one_set["as"] = {"onnx": {"inputs": reshaped}}
        self.case["sets"].append(one_set)
        return outputs

    def finish(self, **fields):
        self.case.update(fields)
        with open(self.path("case.json"), "w", encoding="utf-8") as out:
            json.dump(self.case, out, indent=1)


def graph_json(model):
    weights = bytearray()
    tensors = {}
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        weights += bytes(-len(weights) % 16)
        tensors[tensor.name] = {
            "dtype": str(array.dtype),
            "shape": list(array.shape),
            "offset": len(weights),
            "bytes": array.nbytes,
        }
        weights += array.tobytes()

    def attribute(a):
        value = helper.get_attribute_value(a)
        if isinstance(value, bytes):
            return value.decode()
        return value if isinstance(value, (int, float, str)) else list(value)

    def value_info(values):
        return [
            {"name": v.name, "shape": [d.dim_value for d in v.type.tensor_type.shape.dim]} for v in values
        ]

    nodes = [
        {
            "op": node.op_type,
            "inputs": list(node.input),
            "outputs": list(node.output),
            "attrs": {a.name: attribute(a) for a in node.attribute},
        }
        for node in model.graph.node
    ]
    return {
        "inputs": value_info(model.graph.input),
        "outputs": value_info(model.graph.output),
        "weights": tensors,
        "nodes": nodes,
    }, bytes(weights)
