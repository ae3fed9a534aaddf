#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numpy_tensor.py >numpy_tensor.json: what numpy gives for the calls of ov.Tensor that are named after its functions.

Each line: a tensor (element type, shape, values), and calls with what comes of them: a tensor (shape, values), or a value.
"""
import json

import numpy as np

TYPES = {'boolean': np.bool_, 'f16': np.float16, 'f32': np.float32, 'f64': np.float64, 'i8': np.int8, 'i32': np.int32,
         'i64': np.int64, 'u8': np.uint8, 'u64': np.uint64}
SHAPES = [(), (0, 3), (1,), (7,), (2, 6), (3, 1, 4), (1, 2, 3, 4)]


def listed(array):
    """Values in row-major order; booleans as 0 and 1."""
    values = array.astype(np.uint8) if array.dtype == np.bool_ else array
    return values.ravel().tolist()


def cases():
    """Yields (type, array, call, result): an array, or a value."""
    def make(name, shape):
        count = int(np.prod(shape, dtype=int))
        return (np.arange(count) * 3 % 5 - (0 if name[0] in 'ub' else 2)).astype(TYPES[name]).reshape(shape)

    for name in TYPES:
        for shape in SHAPES if name == 'f32' else [(2, 6)]:
            a = make(name, shape)
            for wanted in ([-1], [a.size], [1, a.size, 1], [2, -1], [3, -1, 2], [4, 3], [2, 2, 3], []):
                if int(np.prod([size for size in wanted if size > 0])) == 0 or a.size == 0:
                    continue
                try:
                    row = a.reshape(wanted)
                except ValueError:
                    continue
                yield name, a, ['reshape', wanted], row
                yield name, a, ['reshape', wanted, 'C'], row
                yield name, a, ['reshape', wanted, 'F'], a.reshape(wanted, order='F')
            for begin, end in ((0, None), (1, None), (-1, None), (1, 2), (0, -1), (-3, -1), (2, 1), (0, 99), (-99, 2)):
                if a.ndim:
                    yield name, a, ['slice', begin] + ([] if end is None else [end]), a[begin:end]
                if a.ndim > 1 and a.shape[0] == 1:
                    yield name, a, ['slice', begin, a.shape[1] if end is None else end, 1], a[:, begin:end]
            if a.size:
                for indices in ([0] * a.ndim, [-1] * a.ndim, [size // 2 for size in a.shape], [size - 1 for size in a.shape]):
                    yield name, a, ['at', *indices], a[tuple(indices)]
            filled = a.copy()
            filled.fill(1)
            yield name, a, ['fill', 1], filled
            yield name, a, ['pad', 1], np.pad(a, 1)
            widths = [[i, 2 - i % 3] for i in range(a.ndim)]
            yield name, a, ['pad', widths, 1], np.pad(a, widths, constant_values=1) if a.ndim else a
    for name, shape, value in (('f16', (2, 2), 0.1), ('f32', (3,), 1 / 3), ('f64', (3,), 1 / 3), ('i8', (2,), -128)):
        filled = make(name, shape)
        filled.fill(value)
        yield name, make(name, shape), ['fill', value], filled
    for name in ('f16', 'f32', 'f64'):
        for seed in (0, 1, 42, 5489, 2 ** 32 - 1):
            for shape in ((), (5,), (2, 3)):
                random = np.random.RandomState(seed)  # pylint: disable=no-member
                yield name, make(name, shape), ['rand', seed], np.asarray(random.random_sample(shape)).astype(TYPES[name])
    # Two states of the generator and a part of the third.
    random = np.random.RandomState(7)  # pylint: disable=no-member
    yield 'f64', np.zeros(700), ['rand', 7], random.random_sample(700)


def main():
    tensors = {}
    for name, before, call, after in cases():
        after = np.asarray(after)
        result = listed(after) if call[0] == 'at' else [list(after.shape), listed(after)]
        calls = tensors.setdefault(json.dumps([name, before.shape, listed(before)], separators=(',', ':')), {})
        calls[json.dumps([call, *result], separators=(',', ':'))] = None
    print('[' + ',\n'.join(f'{tensor[:-1]},[{",".join(calls)}]]' for tensor, calls in tensors.items()) + ']')


if __name__ == '__main__':
    main()
