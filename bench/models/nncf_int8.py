# SPDX-License-Identifier: Apache-2.0
"""int8 variants by NNCF, as users of OpenVINO make them: activations i8 or u8, weights i8 by channel.

NNCF quantises the IR and the ONNX file (QDQ form) separately, with the same settings and calibration data.
Both get the same number of quantisers, but their ranges differ a little.
"""

import contextlib
import io
import logging
import os

import numpy as np
import onnx

from .case import CaseWriter
from .int8 import calibration_feeds, read_case
from .tolerance import largest_error

os.environ["NNCF_CI"] = "1"  # read at the import: no telemetry
import nncf

# Settings other than NNCF's defaults, and the tolerance. A value that rounds to another level changes those
# behind it, so two correct engines differ. The comments have the largest differences from the goldens: of
# OpenVINO's int8 kernels (AVX-512 VNNI), of onnxruntime with the ONNX file, and of the f32 network.
SETTINGS = {
    "mobilenet_v2": ({}, 0.03),  # 0.011, 0.011, 0.019
    "resnet50": ({}, 0.03),  # 0.008, 0.008, 0.017
    # 0.090, 0.076, 0.089. The preset MIXED is usual for SiLU, but leaves zero points between integers here: the
    # seeded activations grow to 800, so SiLU's minimum of -0.28 is less than half a level.
    "yolov8n_320": ({}, 0.12),
    "minilm_l6_s128": ({"model_type": nncf.ModelType.TRANSFORMER}, 0.03),  # 0.013, 0.012, 0.047
}
MOST_CHANGED = 0.1  # by the quantisation


def quantise(model, feeds, settings):
    with contextlib.redirect_stdout(io.StringIO()):  # progress bars
        return nncf.quantize(model, nncf.Dataset(feeds), subset_size=len(feeds), **settings)


def quantised_case(root, name, core):
    nncf.set_log_level(logging.ERROR)
    base = name.removesuffix("_nncf")
    source = os.path.join(root, base)
    case, inputs = read_case(source)
    outputs = case["sets"][0]["outputs"]
    feeds = calibration_feeds(inputs)
    settings, tolerance = SETTINGS[base]
    writer = CaseWriter(root, name, core)
    writer.add_onnx(quantise(onnx.load(os.path.join(source, "model.onnx")), feeds, settings))
    writer.add_ir(quantise(core.read_model(os.path.join(source, "model.xml")), feeds, settings))
    goldens = writer.add_set(inputs, list(outputs))
    for output, array in outputs.items():
        changed = largest_error(goldens[output], np.load(os.path.join(source, array["file"])))
        if changed > MOST_CHANGED:
            raise SystemExit(f"{name}: '{output}' differs from f32 by {changed:.2e} of its largest value")
    writer.finish(macs=case["macs"], tolerance=tolerance, base=base)
    return writer
