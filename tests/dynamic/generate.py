# SPDX-License-Identifier: Apache-2.0
"""Makes the cases of tests/data/dynamic.tar.xz: matmuls with quantised weights, by OpenVINO with and without dynamic
quantisation. Usage: generate.py FOLDER, with openvino 2026.4.1 on a processor that has VNNI (without, OpenVINO does not
quantise activations).

A case has one model and sets of 1, 3 and 40 rows. `file` is the output with DYNAMIC_QUANTIZATION_GROUP_SIZE=0,
`file_int8_kernels` that with OpenVINO's default of 32. Where OpenVINO quantises nothing, both are the same.
"""
import json
import sys
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as op

TYPES = {'u4': ov.Type.u4, 'i4': ov.Type.i4, 'u8': ov.Type.u8, 'i8': ov.Type.i8}
RANGES = {'u4': (0, 15), 'i4': (-8, 7), 'u8': (0, 255), 'i8': (-128, 127)}
ROWS = (1, 3, 40)

# Name, type, columns, depth, depth of a group, zero points.
CASES = [
    ('u4_groups_of_32', 'u4', 24, 128, 32, True),
    ('u4_groups_of_64', 'u4', 20, 192, 64, True),
    ('i4_groups_of_32', 'i4', 24, 128, 32, False),
    ('i4_channels', 'i4', 24, 96, 96, False),
    ('u8_groups_of_32', 'u8', 24, 128, 32, True),
    ('u8_channels', 'u8', 21, 128, 128, True),
    ('i8_channels', 'i8', 24, 128, 128, False),
    ('i8_short_last_group', 'i8', 24, 144, 144, False),
    ('i8_wide', 'i8', 100, 64, 64, False),
    # OpenVINO quantises no activations for these.
    ('u4_groups_of_16', 'u4', 24, 128, 16, True),
    ('i8_zero_points', 'i8', 24, 128, 128, True),
    ('i4_zero_points', 'i4', 24, 128, 32, True),
    ('i8_shallow', 'i8', 24, 16, 16, False),
]

kept = []  # memory that constants of 4 bits read


def constant(values, name):
    if name in ('u8', 'i8'):
        return op.constant(values.astype(np.uint8 if name == 'u8' else np.int8))
    digits = (values.reshape(-1).astype(np.int16) & 15).astype(np.uint8)
    if digits.size % 2:
        digits = np.append(digits, np.uint8(0))
    kept.append(digits[0::2] | (digits[1::2] << 4))
    return op.constant(ov.Tensor(kept[-1], ov.Shape(values.shape), TYPES[name]))


def build(random, name, n, k, group, zero_points):
    low, high = RANGES[name]
    groups = k // group
    shape = [n, groups, group] if groups > 1 else [n, k]
    parameters = [n, groups, 1] if groups > 1 else [n, 1]
    weights = op.convert(constant(random.integers(low, high + 1, shape), name), 'f16')
    if zero_points:
        weights = op.subtract(weights, op.convert(constant(random.integers(low, high + 1, parameters), name), 'f16'))
    scale = 0.16 / (high - low)
    weights = op.multiply(weights, op.constant((random.random(parameters) * scale + scale / 4).astype(np.float16)))
    if groups > 1:
        weights = op.reshape(weights, op.constant(np.array([n, k])), False)
    data = op.parameter([-1, k], np.float32, name='x')
    product = op.matmul(data, op.convert(weights, 'f32'), False, True)
    product.output(0).set_names({'y'})
    return ov.Model([product], [data])


def main(to):
    core = ov.Core()
    for i, (case, name, n, k, group, zero_points) in enumerate(CASES):
        random = np.random.default_rng(i)
        folder = to / 'dynamic' / case
        folder.mkdir(parents=True, exist_ok=True)
        ov.save_model(build(random, name, n, k, group, zero_points), folder / 'model.xml', compress_to_fp16=False)
        compiled = [core.compile_model(folder / 'model.xml', 'CPU',
                                       {'INFERENCE_PRECISION_HINT': 'f32', 'DYNAMIC_QUANTIZATION_GROUP_SIZE': size})
                    for size in (0, 32)]
        sets = []
        for s, rows in enumerate(ROWS):
            x = random.standard_normal((rows, k)).astype(np.float32)
            np.save(folder / f'in_{s}.npy', x)
            outputs = [each([x])[0] for each in compiled]
            np.save(folder / f'out_{s}.npy', outputs[0])
            np.save(folder / f'out_int8_{s}.npy', outputs[1])
            print(f'{case} {rows}: largest difference by quantisation {np.abs(outputs[1] - outputs[0]).max():.2e}')
            sets.append({
                'inputs': {'x': {'file': f'in_{s}.npy', 'shape': list(x.shape), 'dtype': 'float32'}},
                'outputs': {'y': {'file': f'out_{s}.npy', 'file_int8_kernels': f'out_int8_{s}.npy',
                                  'shape': list(outputs[0].shape), 'dtype': 'float32', 'index': 0}},
            })
        record = {
            'name': case,
            'source': 'tests/dynamic/generate.py',
            'golden': f'OpenVINO {ov.__version__} CPU, inference precision f32',
            'inputs': [{'name': 'x', 'shape': f'[?,{k}]', 'type': 'f32'}],
            'outputs': [{'name': 'y', 'shape': f'[?,{n}]', 'type': 'f32'}],
            'rtol': 1e-5,
            'atol': 1e-5,
            'sets': sets,
        }
        (folder / 'case.json').write_text(json.dumps(record, indent=1) + '\n')


if __name__ == '__main__':
    main(Path(sys.argv[1]))
