#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""yolo.py PNNX FOLDER: makes cases of Ultralytics' networks, scaled down, in FOLDER. `node tests/pnnx/seeded.mjs FOLDER`
makes their inputs, `scripts/check FOLDER` compares them.

Needs what generate.py needs, and PyPI's `ultralytics`. The cases are not part of tests/data/pnnx.tar.xz, because that package has
another licence (AGPL-3.0). networks.py has the blocks of YOLO, written anew.
"""
import pathlib
import sys
import warnings

import torch
from ultralytics.nn.tasks import DetectionModel, PoseModel, SegmentationModel, yaml_model_load

from generate import make_case


def scaled(kind, name, width):
    """A network of random weights with `width` of the channels, in the form that is exported: one tensor per output."""
    settings = yaml_model_load(name)
    settings.update(scales={'n': [0.33, width, 128]}, scale='n', nc=5)
    network = kind(settings, verbose=False)
    for part in network.modules():
        if hasattr(part, 'export'):
            part.export, part.format = True, 'torchscript'
    return network


def cases():
    for name, kind, file, width in (
            ('yolov8', DetectionModel, 'yolov8n.yaml', 0.0625), ('yolov5', DetectionModel, 'yolov5n.yaml', 0.0625),
            ('yolo11', DetectionModel, 'yolo11n.yaml', 0.25), ('yolov8_seg', SegmentationModel, 'yolov8n-seg.yaml', 0.25),
            ('yolov8_pose', PoseModel, 'yolov8n-pose.yaml', 0.25)):
        yield name, scaled(kind, file, width)


def main():
    converter, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    warnings.simplefilter('ignore')
    torch.set_num_threads(1)
    torch.manual_seed(1)
    for name, network in cases():
        make_case(converter, name, network, ((1, 3, 64, 96),), {}, folder / name)


if __name__ == '__main__':
    main()
