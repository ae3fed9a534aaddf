# SPDX-License-Identifier: Apache-2.0
"""int8 variants by onnxruntime's static quantisation (QDQ form, the only one that OpenVINO's converter takes
too): activations u8, weights s8 by channel.

Other converters make other int8 models: results compare engines only on the same file.
"""

import json
import logging
import os

import numpy as np
import onnx
import openvino as ov
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from .case import CaseWriter

CALIBRATION_RUNS = 6
# Roundings at the border of two steps of u8 fall either way and grow through the layers. Between OpenVINO's int8
# kernels, onnxruntime and the goldens: up to 0.015 in MobileNetV2, 0.053 in YOLOv8n and 0.045 in MiniLM.
TOLERANCES = {"yolov8n_320": 0.1, "minilm_l6_s128": 0.1}
TOLERANCE = 0.03


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def read_case(folder):
    """case.json of the folder and the arrays of its inputs."""
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
        case = json.load(file)
    files = {name: array["file"] for name, array in case["sets"][0]["inputs"].items()}
    return case, {name: np.load(os.path.join(folder, file)) for name, file in files.items()}


def calibration_feeds(inputs):
    """Seeded data of the same shapes. An attention mask stays as it is."""
    random = np.random.default_rng(5)
    return [
        {
            name: array if name == "mask" else random.standard_normal(array.shape, dtype=np.float32)
            for name, array in inputs.items()
        }
        for _ in range(CALIBRATION_RUNS)
    ]


def quantised_case(root, name, core):
    logging.getLogger().setLevel(logging.ERROR)  # it recommends a preprocessing that these graphs do not need
    base = name.rsplit("_", 2)[0]
    source = os.path.join(root, base)
    case, inputs = read_case(source)
    writer = CaseWriter(root, name, core)
    quantize_static(
        os.path.join(source, "model.onnx"),
        writer.path("model.onnx"),
        Reader(calibration_feeds(inputs)),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        # A quantised sum of scores and mask, from -10000 on, would lose the scores.
        op_types_to_quantize=["MatMul"] if "mask" in inputs else None,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    writer.add_onnx(onnx.load(writer.path("model.onnx")))
    writer.add_ir(ov.convert_model(writer.path("model.onnx")))
    writer.add_set(inputs, list(case["sets"][0]["outputs"]))
    writer.finish(macs=case["macs"], tolerance=TOLERANCES.get(base, TOLERANCE), base=base)
    return writer
