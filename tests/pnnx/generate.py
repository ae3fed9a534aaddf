#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py PNNX FOLDER [REGEX]: makes the cases of tests/data/pnnx.tar.xz in FOLDER.

PNNX is the converter's executable, as PyPI's `pnnx` installs it. Needs torch and torchvision (Debian: python3-torch and
python3-torchvision). Every case has the exported network and sets of inputs with the outputs that PyTorch gives.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
import zlib

import numpy as np
import torch
from torch import nn

import calls
import networks
import operators


# A prime number of steps: rows of weights then begin at different places.
PERIOD = 1021


def simplify(module):
    """Gives weights a repeated pattern of few values, so that they compress to almost nothing."""
    pattern = torch.randint(-7, 8, (PERIOD,)).float()
    for parameter in module.parameters():
        if parameter.dim() > 1 and parameter.numel() > PERIOD:
            step = 2 ** torch.round(torch.log2(parameter.detach().std() / pattern.std()))
            repeated = pattern.repeat(parameter.numel() // PERIOD + 1)[:parameter.numel()]
            parameter.data = repeated.view(parameter.shape) * step
    for part in module.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):  # pylint: disable=protected-access
            if part.affine and part.running_mean is not None and part.num_features > 8:
                part.running_mean.uniform_(-0.2, 0.2)
                part.bias.data.uniform_(-0.2, 0.2)


def make_values(shape, low, high):
    """Values that are all different, so that no maximum is found twice, and short, so that they compress."""
    count = int(np.prod(shape))
    values = torch.randperm(count).float() / count * (high - low) + low
    return (torch.round(values * 4096) / 4096).view(shape)


def make_inputs(shapes, options, batch):
    made = []
    for shape in shapes:
        shape = list(shape)
        if not options.get('static'):
            shape[options.get('batch_axis', 0)] = batch
        if options.get('complex'):
            made.append(torch.view_as_complex(make_values(shape + [2], -0.9, 0.9)))
        elif 'integers' in options:
            made.append(torch.randint(options['integers'], shape))
        elif len(shape) == 4 and shape[1] == 3:
            made.append(torch.randint(-7, 8, shape) / 8)
        else:
            made.append(make_values(shape, *((0.1, 1) if options.get('positive') else (-0.9, 0.9))))
    return made


class Bundle(nn.Module):
    """Modules of the same inputs as one, since every run of the converter takes seconds."""

    def __init__(self, modules):
        super().__init__()
        self.parts = nn.ModuleList(modules)

    def forward(self, *inputs):
        return tuple(tensor for part in self.parts for tensor in flatten(part(*inputs)))


def bundles(prefix, cases):
    """The cases of single operators, up to 24 of them in one."""
    groups = {}
    for _, module, shapes, options in cases:
        groups.setdefault((shapes, tuple(options.items())), []).append(module)
    for (shapes, options), modules in groups.items():
        kind = '_'.join([key for key, _ in options] + ['x'.join(map(str, shape)) for shape in shapes])
        for i in range(0, len(modules), 24):
            yield f'{prefix}_{kind}_{i // 24}', Bundle(modules[i:i + 24]), shapes, dict(options)


def flatten(outputs):
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    if isinstance(outputs, dict):
        outputs = outputs.values()
    return [tensor for part in outputs for tensor in flatten(part)]


def array(tensor):
    """Complex numbers as real ones with a last axis of two parts, as models have them."""
    return (torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor).numpy()


def shape_text(inputs):
    names = {torch.float32: 'f32', torch.int64: 'i64', torch.complex64: 'c64'}
    return ','.join('[' + ','.join(map(str, x.shape)) + ']' + names[x.dtype] for x in inputs)


def export(converter, module, sets, folder):
    """Writes net.pnnx.param and net.pnnx.bin; the converter sees two sizes and leaves open where they differ."""
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch)
        torch.jit.trace(module, tuple(sets[0]), check_trace=False).save(path / 'net.pt')
        arguments = [converter, path / 'net.pt', 'inputshape=' + shape_text(sets[0])]
        if len(sets) > 1:
            arguments.append('inputshape2=' + shape_text(sets[1]))
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
        if not (path / 'net.pnnx.param').exists():
            raise RuntimeError(f'pnnx gave no .param: {done.stdout[-500:]}{done.stderr[-500:]}')
        for suffix in ('param', 'bin'):
            (path / f'net.pnnx.{suffix}').replace(folder / f'net.pnnx.{suffix}')


def make_case(converter, name, module, shapes, options, folder):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(zlib.crc32(name.encode()))
    module.eval()
    simplify(module)
    sets = [make_inputs(shapes, options, 1)]
    if not options.get('static'):
        sets.append(make_inputs(options.get('second', shapes), options, 3))
    export(converter, module, sets, folder)
    with torch.no_grad():
        records, largest = [], {}
        for s, inputs in enumerate(sets):
            record = {'inputs': {}, 'outputs': {}}
            for i, value in enumerate(inputs):
                np.save(folder / f'in_{s}_{i}.npy', array(value))
                record['inputs'][f'pnnx_input_{i}'] = {'file': f'in_{s}_{i}.npy'}
            for i, value in enumerate(flatten(module(*inputs))):
                np.save(folder / f'out_{s}_{i}.npy', array(value))
                record['outputs'][str(i)] = {'file': f'out_{s}_{i}.npy', 'index': i}
                numbers = torch.nan_to_num(torch.from_numpy(array(value)).double(), 0, 0, 0)
                largest[i] = max(largest.get(i, 0.0), numbers.abs().max().item())
            records.append(record)
    case = {'rtol': 0, 'atol': 0, 'model': 'net.pnnx.param', 'sets': records,
            'outputs': [{'name': str(i), 'atol': 1e-4 * value} for i, value in largest.items()]}
    (folder / 'case.json').write_text(json.dumps(case, indent=1) + '\n')


def main():
    converter, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    pattern = re.compile(sys.argv[3] if len(sys.argv) > 3 else '')
    warnings.simplefilter('ignore')
    torch.set_num_threads(1)
    failed = []
    for source in (bundles('operators', operators.cases()), bundles('calls', calls.cases()), networks.cases()):
        torch.manual_seed(1)
        for name, module, shapes, options in source:
            if not pattern.search(name):
                continue
            try:
                make_case(converter, name, module, shapes, options, folder / name)
            except Exception as error:  # pylint: disable=broad-except
                failed.append(name)
                print(f'{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}', flush=True)
    print(f'{len(failed)} cases could not be made: {" ".join(failed)}' if failed else 'all cases made')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
