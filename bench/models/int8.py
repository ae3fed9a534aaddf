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


class SeededReader(CalibrationDataReader):
    def __init__(self, name, shape):
        random = np.random.default_rng(5)
        self.feeds = iter(
            [{name: random.standard_normal(shape, dtype=np.float32)} for _ in range(CALIBRATION_RUNS)]
        )

    def get_next(self):
        return next(self.feeds, None)


def quantised_case(root, name, core):
    logging.getLogger().setLevel(logging.ERROR)  # it recommends a preprocessing that these graphs do not need
    base = name.rsplit("_", 2)[0]
    source = os.path.join(root, base)
    with open(os.path.join(source, "case.json"), encoding="utf-8") as file:
        case = json.load(file)
    [(input_name, array)] = case["sets"][0]["inputs"].items()
    writer = CaseWriter(root, name, core)
    quantize_static(
        os.path.join(source, "model.onnx"),
        writer.path("model.onnx"),
        SeededReader(input_name, array["shape"]),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    writer.add_onnx(onnx.load(writer.path("model.onnx")))
    writer.add_ir(ov.convert_model(writer.path("model.onnx")))
    writer.add_set(
        {input_name: np.load(os.path.join(source, array["file"]))}, list(case["sets"][0]["outputs"])
    )
    # Roundings at the border of two steps of u8 fall either way and grow through the layers.
    writer.finish(macs=case["macs"], tolerance=0.03, base=base)
    return writer
