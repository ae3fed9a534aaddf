#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py PNNX FOLDER [REGEX]: makes the cases of tests/data/pnnx.tar.xz in FOLDER.

PNNX is the converter's executable, as PyPI's `pnnx` installs it. Needs torch and torchvision (Debian: python3-torch and
python3-torchvision). Every case has the exported network and the outputs that PyTorch gives for sets of inputs. Weights and inputs
come from seeds: seeds.json says how seeded.mjs makes them again. The archive leaves net.pnnx.bin out.
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
import seeded


# Smaller ones are stored as they are: anchors, windows, slopes.
FEWEST_SEEDED = 17


def seed_parameter(values, start):
    """Replaces a parameter by integers of the pattern, times a power of 2 that keeps its deviation. Ones stay around 1."""
    if values.numel() < FEWEST_SEEDED:
        return
    integers = torch.from_numpy(seeded.weights(start, values.numel())).view(values.shape)
    deviation = values.detach().std()
    if deviation > 0:
        values.data = integers * 2 ** torch.round(torch.log2(deviation / integers.std()))
    elif values.flatten()[0] in (0, 1):
        values.data = values.detach() + integers / 64


def seed_weights(name, module):
    """Gives a network weights that come from the seed of its name, also after pnnx fused its batch norms."""
    start = seeded.Stream(zlib.crc32(name.encode()))
    for parameter in module.parameters():
        seed_parameter(parameter, start.below(seeded.PERIOD))
    for part in module.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm) and part.running_mean is not None:  # pylint: disable=protected-access
            # The bias is three times the scaled mean, so that the fused bias is a part of the pattern, too.
            same = torch.from_numpy(seeded.weights(start.below(seeded.PERIOD), part.num_features)) / 64
            part.running_mean.copy_(same)
            if part.affine:
                part.weight.data.fill_(1)
                part.bias.data = same * 3


def calibrate(module, inputs):
    """Divides by powers of 2 in batch norms, so that what the inputs say is not lost on the way."""
    def measure(part, arguments):
        lowest = np.ceil(np.log2(2 * part.eps) / 2)
        power = max(torch.round(torch.log2(arguments[0].std())).item(), lowest)
        part.running_mean.mul_(2 ** power)
        part.running_var.fill_(4 ** power - part.eps)

    norms = [part for part in module.modules() if isinstance(part, nn.modules.batchnorm._BatchNorm)]  # pylint: disable=protected-access
    hooks = [part.register_forward_pre_hook(measure) for part in norms if part.running_mean is not None]
    if hooks:
        with torch.no_grad():
            module(*inputs)
    for hook in hooks:
        hook.remove()


def describe_input(options, shape, seed):
    """How seeded.py and seeded.mjs make an input."""
    described = {'seed': seed, 'shape': shape + [2] if options.get('complex') else shape}
    if 'integers' in options:
        return {'kind': 'integers', 'below': options['integers'], **described}
    if len(shape) == 4 and shape[1] == 3 and not options.get('complex'):
        return {'kind': 'eighths', **described}
    low, high = (0.1, 1) if options.get('positive') else (-0.9, 0.9)
    return {'kind': 'distinct', 'low': low, 'high': high, **described}


def make_input(described, is_complex):
    count = int(np.prod(described['shape']))
    arguments = [described[key] for key in ('low', 'high', 'below') if key in described]
    values = getattr(seeded, described['kind'])(described['seed'], count, *arguments)
    tensor = torch.from_numpy(values).view(described['shape'])
    return torch.view_as_complex(tensor) if is_complex else tensor


def describe_inputs(shapes, options, batch, stream):
    described = []
    for shape in shapes:
        shape = list(shape)
        if not options.get('static'):
            shape[options.get('batch_axis', 0)] = batch
        described.append(describe_input(options, shape, stream.below(2 ** 24)))
    return described


class Bundle(nn.Module):
    """Modules of the same inputs as one, since every run of the converter takes seconds."""

    def __init__(self, modules):
        super().__init__()
        self.parts = nn.ModuleList(modules)

    def forward(self, *inputs):
        return tuple(tensor for part in self.parts for tensor in flatten(part(*inputs)))


def bundles(prefix, cases):
    """The cases of single operators, up to 24 of them in one."""
    groups, made = {}, {}
    for _, module, shapes, options in cases:
        groups.setdefault((shapes, tuple(options.items())), []).append(module)
    for (shapes, options), modules in groups.items():
        kind = '_'.join([key for key, _ in options] + ['x'.join(map(str, shape)) for shape in shapes])
        for i in range(0, len(modules), 24):
            made[kind] = made.get(kind, -1) + 1
            yield f'{prefix}_{kind}_{made[kind]}', Bundle(modules[i:i + 24]), shapes, dict(options)


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
    module.eval()
    seed_weights(name, module)
    stream = seeded.Stream(zlib.crc32(name.encode()))
    described = [describe_inputs(shapes, options, 1, stream)]
    if not options.get('static'):
        described.append(describe_inputs(options.get('second', shapes), options, 3, stream))
    sets = [[make_input(each, options.get('complex')) for each in inputs] for inputs in described]
    calibrate(module, sets[0])
    export(converter, module, sets, folder)
    weights = seeded.describe_weights(folder / 'net.pnnx.bin')
    seeds = {'weights': weights, 'inputs': [{'file': f'in_{s}_{i}', **each} for s, inputs in enumerate(described) for i, each in enumerate(inputs)]}
    (folder / 'seeds.json').write_text(json.dumps(seeds, indent=None, separators=(',', ':')) + '\n')
    with torch.no_grad():
        records, largest = [], {}
        for s, inputs in enumerate(sets):
            record = {'inputs': {}, 'outputs': {}}
            for i in range(len(inputs)):
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
