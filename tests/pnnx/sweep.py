#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sweep.py PNNX FOLDER [--size N] [--filter REGEX]: makes cases of the calls in sweep_cases.py in FOLDER.

PNNX is the converter's executable, as PyPI's `pnnx` installs it. Needs torch. A case has up to N calls of the same inputs, at two sizes, and
PyTorch's outputs. calls.json says which call gave which output. `scripts/check FOLDER` compares the engine with them.
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile
import warnings

import numpy as np
import torch
from torch import nn

import sweep_cases

NAN, INF = float('nan'), float('inf')
# Two sizes of the last axis.
SIZES = (8, 6)
NAMES = {torch.float32: 'f32', torch.float64: 'f64', torch.int64: 'i64', torch.int32: 'i32', torch.uint8: 'u8', torch.int8: 'i8', torch.bool: 'bool'}


def numbers(*shape, low=-2.0, high=2.0):
    """Different multiples of 1/64 in no order."""
    count = int(np.prod(shape))
    order = (np.arange(count) * 37 + 11) % count if count % 37 else np.arange(count)[::-1]
    return torch.from_numpy((np.round((low + (high - low) * order / count) * 64) / 64).astype(np.float32)).view(shape)


def edges(n):
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, NAN, INF, -INF, 1e-5, -1e-5, 2.5, -2.5, 3.0, 20.5, -20.5, 0.25, -3.5, 1.5, -1.5, 0.75, 7.0, -8.0, 2.0]
    return torch.tensor(values).view(3, 8)[:, :n].contiguous()


def pairs(n):
    special = [0.0, -0.0, 1.0, -2.5, 3.0, NAN, INF, -INF, 0.5]
    first = torch.tensor([[x] * len(special) for x in special]).view(9, 9)
    second = torch.tensor([special] * len(special)).view(9, 9)
    return first[:, :n].contiguous(), second[:, :n].contiguous()


def rows(n):
    made = numbers(6, 8)
    made[1] = -INF
    made[2, 3] = INF
    made[3, 2], made[3, 4] = NAN, NAN
    made[4, ::2] = -INF
    made[5] = 2.0
    return made[:, :n].contiguous()


def integers(n, dtype, low, high):
    values = torch.arange(3 * 8).mul(29).remainder(high - low + 1).add(low).view(3, 8)
    values[0, :4] = torch.tensor([0, low, high, 1])
    return values[:, :n].contiguous().to(dtype)


INPUTS = {
    'plain': lambda n: (numbers(3, 8)[:, :n].contiguous(),),
    'edge': lambda n: (edges(n),),
    'rows': lambda n: (rows(n),),
    'tiny': lambda n: (torch.tensor([1e-9, -1e-9, 1e-5, -1e-5, 3e-4, 0.3, 3.0, 5.0])[:n].clone(),),
    'unit': lambda n: (numbers(3, 8, low=0.05, high=0.95)[:, :n].contiguous(),),
    'pair': pairs,
    'equal': lambda n: (torch.tensor([[1, 2, 2, 1, 3, 3, 0, 0], [5.0] * 8, [-0.0, 0, -0.0, 0, 1, -1, 1, -1]])[:, :n].contiguous(),),
    'booleans': lambda n: (numbers(3, 8)[:, :n].contiguous() > 0, numbers(3, 8).flip(0)[:, :n].contiguous() > 0.3),
    'block': lambda n: (numbers(2, 4, 8)[..., :n].contiguous(),),
    'image': lambda n: (numbers(2, 4, 5, 8)[..., :n - 3].contiguous() if n > 6 else numbers(2, 4, 6, 5).contiguous(),),
    'sequence': lambda n: (numbers(2, n - 3, 8, low=-1, high=1),),
    'integers': lambda n: (integers(n, torch.int64, -4, 7),),
    'i32': lambda n: (integers(n, torch.int32, -2 ** 31, 2 ** 31 - 1),),
    'u8': lambda n: (integers(n, torch.uint8, 0, 255),),
    'i8': lambda n: (integers(n, torch.int8, -128, 127),),
    'integer_pair': lambda n: (integers(n, torch.int64, -9, 9), integers(n, torch.int64, -5, 6).flip(0).where(integers(n, torch.int64, -5, 6).flip(0) != 0, 3)),
    'u8_pair': lambda n: (integers(n, torch.uint8, 0, 255), integers(n, torch.uint8, 1, 254).flip(0).clamp(min=1)),
    'i8_pair': lambda n: (integers(n, torch.int8, -128, 127), integers(n, torch.int8, 1, 120).flip(0).clamp(min=1)),
}


class Bundle(nn.Module):
    def __init__(self, functions):
        super().__init__()
        self.functions = functions
        self.parts = nn.ModuleList(f for f in functions if isinstance(f, nn.Module))

    def forward(self, *inputs):
        return tuple(function(*inputs) for function in self.functions)


def works(function, sets):
    """Whether PyTorch takes the call, and gives one tensor of a type that the engine knows."""
    try:
        made = [function(*inputs) for inputs in sets]
    except Exception:  # pylint: disable=broad-except
        return False
    return all(isinstance(tensor, torch.Tensor) and tensor.dtype in NAMES for tensor in made)


def export(converter, module, sets, folder):
    shapes = [','.join('[' + ','.join(map(str, x.shape)) + ']' + NAMES[x.dtype] for x in inputs) for inputs in sets]
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch)
        torch.jit.trace(module, tuple(sets[0]), check_trace=False).save(path / 'net.pt')
        arguments = [converter, path / 'net.pt', 'inputshape=' + shapes[0], 'inputshape2=' + shapes[1]]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
        if not (path / 'net.pnnx.param').exists():
            raise RuntimeError(f'pnnx gave no .param: {done.stdout[-300:]}{done.stderr[-300:]}')
        for suffix in ('param', 'bin'):
            (path / f'net.pnnx.{suffix}').replace(folder / f'net.pnnx.{suffix}')


def write_case(converter, names, module, kind, folder):
    sets = [INPUTS[kind](size) for size in SIZES]
    folder.mkdir(parents=True, exist_ok=True)
    module.eval()
    with torch.no_grad():
        export(converter, module, sets, folder)
        records = []
        for s, inputs in enumerate(sets):
            record = {'inputs': {}, 'outputs': {}}
            for i, x in enumerate(inputs):
                np.save(folder / f'in_{s}_{i}.npy', x.numpy())
                record['inputs'][f'pnnx_input_{i}'] = {'file': f'in_{s}_{i}.npy'}
            made = module(*inputs)
            for i, value in enumerate(made if isinstance(made, tuple) else (made,)):
                np.save(folder / f'out_{s}_{i}.npy', value.contiguous().numpy())
                record['outputs'][str(i)] = {'file': f'out_{s}_{i}.npy', 'index': i}
            records.append(record)
    case = {'rtol': 1e-4, 'atol': 1e-14 if kind == 'tiny' else 1e-5, 'model': 'net.pnnx.param', 'sets': records,
            'outputs': [{'name': str(i)} for i in range(len(records[0]['outputs']))]}
    (folder / 'case.json').write_text(json.dumps(case, indent=1) + '\n')
    (folder / 'calls.json').write_text(json.dumps(names, indent=1) + '\n')


def make(converter, calls, kind, folder):
    """One case of all calls, or, if pnnx fails, one for each half. Returns the calls that pnnx cannot export."""
    names = [name for name, _ in calls]
    try:
        write_case(converter, names, Bundle([function for _, function in calls]), kind, folder)
        return []
    except Exception as error:  # pylint: disable=broad-except
        if len(calls) == 1:
            print(f'{names[0]}: {str(error).splitlines()[0][:200] if str(error) else type(error).__name__}', flush=True)
            return names
    half = len(calls) // 2
    return (make(converter, calls[:half], kind, folder.with_name(folder.name + 'a')) +
            make(converter, calls[half:], kind, folder.with_name(folder.name + 'b')))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('converter')
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--size', type=int, default=16)
    parser.add_argument('--filter', default='')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    torch.set_num_threads(1)
    by_kind, tried, lost = {}, 0, []
    for name, function, kind in sweep_cases.table():
        if re.search(options.filter, name):
            by_kind.setdefault(kind, []).append((name, function))
    for kind, calls in by_kind.items():
        sets = [INPUTS[kind](size) for size in SIZES]
        for _, function in calls:
            if isinstance(function, nn.Module):
                function.eval()
        calls = [(name, function) for name, function in calls if works(function, sets)]
        tried += len(calls)
        for i in range(0, len(calls), options.size):
            lost += make(options.converter, calls[i:i + options.size], kind, options.folder / f'sweep_{kind}_{i // options.size}')
    for i, (name, module, kind) in enumerate(sweep_cases.roots()):
        if re.search(options.filter, name):
            tried += 1
            lost += root(options.converter, name, module, kind, options.folder / f'sweep_root_{i}')
    print(f'{tried} calls tried at two sizes each, {len(lost)} lost by pnnx: {" ".join(lost)}')


def root(converter, name, module, kind, folder):
    try:
        write_root(converter, name, module, kind, folder)
        return []
    except Exception as error:  # pylint: disable=broad-except
        print(f'{name}: {str(error).splitlines()[0][:200] if str(error) else type(error).__name__}', flush=True)
        return [name]


def flatten(outputs):
    if isinstance(outputs, torch.Tensor):
        return (outputs,)
    return tuple(tensor for part in outputs for tensor in flatten(part))


def write_root(converter, name, module, kind, folder):
    sets = [INPUTS[kind](SIZES[0])] * 2
    folder.mkdir(parents=True, exist_ok=True)
    module.eval()
    with torch.no_grad():
        shape = ','.join('[' + ','.join(map(str, x.shape)) + ']' + NAMES[x.dtype] for x in sets[0])
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch)
            torch.jit.trace(module, tuple(sets[0]), check_trace=False).save(path / 'net.pt')
            subprocess.run([converter, path / 'net.pt', 'inputshape=' + shape], capture_output=True, text=True, timeout=60, check=False)
            for suffix in ('param', 'bin'):
                (path / f'net.pnnx.{suffix}').replace(folder / f'net.pnnx.{suffix}')
        record = {'inputs': {}, 'outputs': {}}
        for i, x in enumerate(sets[0]):
            np.save(folder / f'in_0_{i}.npy', x.numpy())
            record['inputs'][f'pnnx_input_{i}'] = {'file': f'in_0_{i}.npy'}
        for i, value in enumerate(flatten(module(*sets[0]))):
            np.save(folder / f'out_0_{i}.npy', value.contiguous().numpy())
            record['outputs'][str(i)] = {'file': f'out_0_{i}.npy', 'index': i}
    case = {'rtol': 1e-4, 'atol': 1e-5, 'model': 'net.pnnx.param', 'sets': [record],
            'outputs': [{'name': str(i)} for i in range(len(record['outputs']))]}
    (folder / 'case.json').write_text(json.dumps(case, indent=1) + '\n')
    (folder / 'calls.json').write_text(json.dumps([name], indent=1) + '\n')


if __name__ == '__main__':
    main()
