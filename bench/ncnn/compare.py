#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py --pnnx FILE --wasmvino FILE --models DIR [--rounds N] [--seconds S]: prints JSON with the times of both engines.

One run of pnnx converts each network to the files of both engines: net.pnnx.param for wasmvino, net.ncnn.param for ncnn,
all in f32. Both compute on one thread and take turns. Outputs are compared with PyTorch's.
"""
import argparse
import importlib.metadata
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import ncnn
import numpy as np
import torch
import torchvision

NETWORKS = ('mobilenet_v2', 'resnet18', 'squeezenet1_1')
SHAPE = (1, 3, 224, 224)


def convert(pnnx, name, folder):
    """The files of a network with random weights, its input and PyTorch's output; made once."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / 'out.npy').exists():
        torch.manual_seed(1)
        module = getattr(torchvision.models, name)(weights=None).eval()
        image = torch.rand(SHAPE) * 2 - 1
        # Random weights let values vanish or grow; statistics of the input keep them in range.
        for part in module.modules():
            if isinstance(part, torch.nn.BatchNorm2d):
                part.reset_running_stats()
                part.momentum = None
        with torch.no_grad():
            module.train()
            for part in module.modules():
                if isinstance(part, torch.nn.Dropout):
                    part.eval()
            module(torch.cat([image, image.flip(3)]))
            module.eval()
            torch.jit.trace(module, image).save(folder / 'net.pt')
            np.save(folder / 'in.npy', image.numpy())
            subprocess.run([pnnx, folder / 'net.pt', 'inputshape=[1,3,224,224]', 'fp16=0'], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            np.save(folder / 'out.npy', module(image).numpy())


class Ncnn:
    """ncnn on one thread, in f32."""

    def __init__(self, folder):
        self.net = ncnn.Net()
        options = self.net.opt
        options.num_threads = 1
        options.use_fp16_packed = options.use_fp16_storage = options.use_fp16_arithmetic = False
        options.use_bf16_storage = False
        self.net.load_param(str(folder / 'net.ncnn.param'))
        self.net.load_model(str(folder / 'net.ncnn.bin'))
        self.image = np.load(folder / 'in.npy')[0]

    def run(self):
        extractor = self.net.create_extractor()
        extractor.input('in0', ncnn.Mat(self.image))
        return np.array(extractor.extract('out0')[1])

    def times(self, seconds):
        found, end = [], time.perf_counter() + seconds
        while time.perf_counter() < end:
            start = time.perf_counter()
            self.run()
            found.append(1000 * (time.perf_counter() - start))
        return found


def wasmvino_times(program, model, seconds):
    """Best and median of one process."""
    text = subprocess.run([program, 'bench', model, '--threads', '1', '--seconds', str(seconds)], check=True,
                          capture_output=True, text=True).stdout
    lines = dict(line.split()[:2] for line in text.splitlines() if line[:7] in ('median ', 'fastest'))
    return float(lines['fastest']), float(lines['median'])


def wasmvino_output(program, folder):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, 'run', folder / 'net.pnnx.param', '--input', f'pnnx_input_0={folder / "in.npy"}',
                        '--out', out], check=True, stdout=subprocess.DEVNULL)
        [file] = pathlib.Path(out).glob('*.npy')
        return np.load(file)


def difference(got, wanted):
    """The largest difference as a share of the largest value."""
    return float(np.abs(got.ravel() - wanted.ravel()).max() / np.abs(wanted).max())


def main():
    parser = argparse.ArgumentParser()
    for name in ('pnnx', 'wasmvino', 'models'):
        parser.add_argument('--' + name, required=True, type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--seconds', type=float, default=0.5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    versions = {'ncnn': importlib.metadata.version('ncnn'), 'pnnx': importlib.metadata.version('pnnx')}
    cases = {}
    for name in NETWORKS:
        folder = options.models / name
        convert(options.pnnx, name, folder)
        wanted = np.load(folder / 'out.npy')
        peer = Ncnn(folder)
        differences = {'wasmvino': difference(wasmvino_output(options.wasmvino, folder), wanted),
                       'ncnn': difference(peer.run(), wanted)}
        if max(differences.values()) > 1e-3:
            sys.exit(f'{name}: the outputs differ from PyTorch: {differences}')
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(wasmvino_times(options.wasmvino, folder / 'net.pnnx.param', options.seconds))
            theirs += peer.times(options.seconds)
        cases[name] = {
            'wasmvino': {'min': min(best for best, _ in ours), 'median': statistics.median(each for _, each in ours)},
            'ncnn': {'min': min(theirs), 'median': statistics.median(theirs)}, 'differences': differences}
        print(name, cases[name], file=sys.stderr)
    print(json.dumps({'versions': versions, 'load': round(os.getloadavg()[1], 1), 'cores': os.cpu_count(),
                       'rounds': options.rounds, 'seconds': options.seconds, 'cases': cases}, indent=1))


if __name__ == '__main__':
    main()
