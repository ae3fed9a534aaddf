# SPDX-License-Identifier: Apache-2.0
"""Makes cases of the networks that export.py wrote: python -m survey.make --onnx DIR --out DIR NAME…

NAME is the network in f32, NAME_nncf what NNCF makes of it. A case that is there already is left alone.
"""

import argparse
import logging
import os

import numpy as np
import onnx
import openvino as ov
from models.case import CaseWriter
from models.int8 import calibration_feeds
from models.nncf_int8 import nncf, quantise
from models.tolerance import largest_error

TRANSFORMERS = ("swin_t", "text_encoder", "vit_tiny")
TOLERANCE = 1e-3
# A value that rounds to another level changes those behind it. Deep networks with random weights amplify this:
# native OpenVINO's int8 kernels differ by 0.63 from its f32 in DeepLab. So the tolerance is this or, if more, half
# as much again as native OpenVINO differs.
INT8_TOLERANCE = 0.1


def make(onnx_path, root, name, core):
    if os.path.exists(os.path.join(root, f"{name}_nncf", "case.json")):
        return
    graph = onnx.load(onnx_path)
    [network_input] = graph.graph.input
    shape = [d.dim_value for d in network_input.type.tensor_type.shape.dim]
    inputs = {network_input.name: np.random.default_rng(99).standard_normal(shape, dtype=np.float32)}
    model = ov.convert_model(onnx_path)
    settings = {"model_type": nncf.ModelType.TRANSFORMER} if name in TRANSFORMERS else {}
    quantised = quantise(model, calibration_feeds(inputs), settings)
    outputs = [output.name for output in graph.graph.output]
    for case, network in ((name, model), (f"{name}_nncf", quantised)):
        writer = CaseWriter(root, case, core)
        writer.add_ir(network)
        goldens = writer.add_set(inputs, outputs)
        tolerance = TOLERANCE
        if network is quantised:
            options = {"INFERENCE_PRECISION_HINT": "f32"}
            native = core.compile_model(writer.path("model.xml"), "CPU", options)(inputs)
            differs = max(largest_error(native[i], golden) for i, golden in enumerate(goldens.values()))
            tolerance = max(INT8_TOLERANCE, 1.5 * differs)
        writer.finish(tolerance=tolerance)
    print(name, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--onnx", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("names", nargs="+")
    arguments = parser.parse_args()
    nncf.set_log_level(logging.ERROR)
    core = ov.Core()
    for name in arguments.names:
        make(os.path.join(arguments.onnx, f"{name}.onnx"), arguments.out, name, core)


if __name__ == "__main__":
    main()
