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

TRANSFORMERS = ("swin_t", "text_encoder", "vit_tiny")
TOLERANCE = 1e-3
# A value that rounds to another level changes those behind it. Native OpenVINO's int8 kernels differ by up to this, too.
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
    for case, network, tolerance in ((name, model, TOLERANCE), (f"{name}_nncf", quantised, INT8_TOLERANCE)):
        writer = CaseWriter(root, case, core)
        writer.add_ir(network)
        writer.add_set(inputs, [output.name for output in graph.graph.output])
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
