# SPDX-License-Identifier: Apache-2.0
# unicode_data.py: writes src/ops/extension/unicode_data.cc, the facts of Unicode that normalisation needs. It needs a Python whose
# unicodedata has the version of OpenVINO Tokenizers' tables, 14.0.0: Python 3.11.
import pathlib
import sys
import unicodedata

if unicodedata.unidata_version != '14.0.0':
    sys.exit(f'error: this Python has Unicode {unicodedata.unidata_version}, expected 14.0.0 (Python 3.11)')

POINTS = [point for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF]
HANGUL = range(0xAC00, 0xD7A4)


def number(value):  # seven bits a byte, the lowest first
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def signed(value):
    return number(value * 2 if value >= 0 else -value * 2 - 1)


# Per code point with a decomposition: its distance from the last one; 4 * length, + 1 for one of compatibility, + 2 if the pair
# composes; the distance of each code point of the decomposition from the one before in the table.
decompositions = bytearray()
last, last_mapped = 0, 0
for point in POINTS:
    mapping = unicodedata.decomposition(chr(point)).split()
    if not mapping or point in HANGUL:
        continue
    compatible = mapping[0].startswith('<')
    mapped = [int(each, 16) for each in mapping[compatible:]]
    composes = not compatible and unicodedata.normalize('NFC', ''.join(map(chr, mapped))) == chr(point)
    decompositions += number(point - last) + number(4 * len(mapped) + 2 * composes + compatible)
    for each in mapped:
        decompositions += signed(each - last_mapped)
        last_mapped = each
    last = point

# Runs of code points with the same combining class: distance from the end of the last run, length, class.
classes = bytearray()
run, end = [], 0


def close():
    global end
    if run:
        classes.extend(number(run[0] - end) + number(len(run)) + number(unicodedata.combining(chr(run[0]))))
        end = run[-1] + 1


for point in POINTS:
    combining = unicodedata.combining(chr(point))
    if run and (point != run[-1] + 1 or combining != unicodedata.combining(chr(run[0]))):
        close()
        run = []
    if combining:
        run.append(point)
close()

# Simple case folding: distance from the last code point, distance of the folded one.
folds = bytearray()
last = 0
for point in POINTS:
    folded = chr(point).casefold()
    if len(folded) > 1:  # the simple folding is the lower-case letter, if that is one
        folded = chr(point).lower()
    if len(folded) == 1 and folded != chr(point):
        folds += number(point - last) + signed(ord(folded) - point)
        last = point


def array(name, values):
    lines = [f'constexpr uint8_t {name}[] = {{']
    line = '   '
    for value in values:
        if len(line) + 5 > 130:
            lines.append(line)
            line = '   '
        line += f' {value},'
    return '\n'.join(lines + [line, '};'])


target = pathlib.Path(__file__).parent.parent / 'src/ops/extension/unicode_data.cc'
target.write_text(f'''// SPDX-License-Identifier: Apache-2.0 AND Unicode-DFS-2016
// Made by scripts/unicode_data.py from the Unicode Character Database {unicodedata.unidata_version}.
#include "ops/extension/unicode_data.h"

namespace wasmvino::ops::extension {{
namespace {{

// clang-format off
{array('kDecompositions', decompositions)}

{array('kCombiningClasses', classes)}

{array('kFolds', folds)}
// clang-format on

}}  // namespace

std::span<const uint8_t> decomposition_data() {{ return kDecompositions; }}
std::span<const uint8_t> combining_class_data() {{ return kCombiningClasses; }}
std::span<const uint8_t> fold_data() {{ return kFolds; }}

}}  // namespace wasmvino::ops::extension
''')
print(len(decompositions), len(classes), len(folds))
