# SPDX-License-Identifier: Apache-2.0
"""Numbers that come from seeds. seeded.mjs makes the same ones when the tests run, so that they are not stored."""
import base64
import zipfile

import numpy as np

# A prime number of steps: rows of weights then begin at different places.
PERIOD = 1021


class Stream:
    """A linear congruential generator of 32 bits."""

    def __init__(self, seed):
        self.state = seed

    def below(self, count):
        self.state = (self.state * 1664525 + 1013904223) % 2 ** 32
        return (self.state >> 8) * count >> 24


def _pattern():
    stream = Stream(1)
    return [stream.below(15) - 7 for _ in range(PERIOD)]


# The integers of all weights, -7 to 7, again and again.
PATTERN = np.array(_pattern(), np.float32)


def weights(start, count):
    """`count` integers of the pattern."""
    return PATTERN[(start + np.arange(count)) % PERIOD]


def distinct(seed, count, low, high):
    """Values that are all different, so that no maximum is found twice: multiples of 1/4096."""
    stream, order = Stream(seed), list(range(count))
    for i in range(count - 1, 0, -1):
        j = stream.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return np.array([np.floor((place / count * (high - low) + low) * 4096 + 0.5) / 4096 for place in order], np.float32)


def eighths(seed, count):
    """Multiples of 1/8, from -7/8 to 7/8."""
    stream = Stream(seed)
    return np.array([(stream.below(15) - 7) / 8 for _ in range(count)], np.float32)


def integers(seed, count, below):
    stream = Stream(seed)
    return np.array([stream.below(below) for _ in range(count)], np.int64)


def _origin(values):
    """Finds step, start and offset with values = offset + step * pattern. None if there are none."""
    twice = np.concatenate((PATTERN, PATTERN))
    for offset in (0, 1):
        scaled = values - np.float32(offset)
        largest = np.abs(scaled).max(initial=0)
        if largest == 0:
            continue
        for most in range(1, 8):
            step = largest / most
            if np.frexp(step)[0] != 0.5:
                continue
            head = scaled[:PERIOD] / step
            for start in np.flatnonzero(twice[:PERIOD] == head[0]):
                if not np.array_equal(twice[start:start + head.size], head):
                    continue
                if np.array_equal(scaled, weights(int(start), scaled.size) * step):
                    return {'start': int(start), 'step': float(step), 'offset': offset}
    return None


def describe_weights(path):
    """The entries of a .bin: where their values are in the pattern, or the values themselves."""
    entries = []
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            long = len(content) % 4 == 0 and len(content) > 64
            found = _origin(np.frombuffer(content, np.float32)) if long else None
            if found is None:
                entries.append({'name': name, 'base64': base64.b64encode(content).decode()})
            else:
                entries.append({'name': name, 'count': len(content) // 4, **found})
    return entries
