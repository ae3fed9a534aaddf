#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks OpenVINO's CPU plugin which element types each operation takes.

One small case of every operation is changed: one input at a time, and all inputs of one type together, get every
element type. A type counts as taken where the model is built, compiled and run.

    pip install openvino==2026.4.1 numpy
    scripts/setup/testdata.sh && python3 tests/sweep/element_types.py > tests/sweep/element_types.txt

`--cases DIR` writes the models of CASES_OF_TYPES to DIR, with inputs and with outputs of OpenVINO: tests/data/types.tar.xz.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TYPES = ("boolean bf16 f16 f32 f64 i4 i8 i16 i32 i64 u1 u2 u3 u4 u6 u8 u16 u32 u64 nf4 f8e4m3 f8e5m2 f4e2m1 f8e8m0 "
         "string").split()
# Operations with bodies or with variables take what these take.
LEFT_OUT = {"If", "Loop", "TensorIterator", "ReadValue", "Assign", "Parameter", "Result", "Constant"}
# Mixed and integer types: operation, types of the inputs ("*": as the case has them).
CASES_OF_TYPES = [
    ("DetectionOutput:opset1", "* * f16 * *"), ("DetectionOutput:opset8", "f16 f16 f32 f16 f16"),
    ("FakeQuantize:opset1", "f32 f16 f32 f16 f32"), ("FakeQuantize:opset1", "f16 f32 f32 f32 f32"),
    ("PSROIPooling:opset1", "f16 f32"),
    ("PSROIPooling:opset1", "f32 f16"), ("CTCGreedyDecoder:opset1", "f16 f32"), ("CTCGreedyDecoder:opset1", "f32 f16"),
    ("GroupNormalization:opset12", "f32 f16 f16"), ("GroupNormalization:opset12", "f16 f32 i32"),
    ("LSTMSequence:opset5", "* * * u8 * * *"), ("GRUSequence:opset5", "* * i64 * * *"),
    ("SoftMax:opset8", "i32"), ("LogSoftmax:opset5", "i8"), ("GRN:opset1", "u8"), ("NormalizeL2:opset1", "i8 *"),
    ("CTCGreedyDecoderSeqLen:opset6", "* i16 u8"), ("CTCLoss:opset4", "* i64 u8 i16 i32"),
    ("GenerateProposals:opset9", "f32 f16 f32 f16"), ("DeformablePSROIPooling:opset1", "f16 f32"),
    ("DeformableConvolution:opset8", "* * * f16"), ("DeformableConvolution:opset1", "i32 i32 i32"),
    ("ROIPooling:opset2", "f16 f16"), ("MVN:opset6", "i32 *"),
]
SECONDS = 20  # of one combination: a plugin that takes longer hangs
CASES = pathlib.Path(__file__).parents[2] / "build/testdata/cases/ops"


def choose_cases():
    """The best case of each version of each operation: static, not empty, most inputs, most of them parameters."""
    best = {}
    for path in sorted(CASES.iterdir()):
        case = json.loads((path / "case.json").read_text())
        ops = case.get("ops", [])
        if len(ops) != 1 or case["op"] in LEFT_OUT or not case["inputs"]:
            continue
        text = (path / "model.xml").read_text()
        layers = re.findall(r'<layer [^>]*type="(\w+)"', text)
        if len([t for t in layers if t not in ("Parameter", "Const", "Result")]) != 1:
            continue
        shapes = [i["shape"] for i in case["inputs"]]
        dynamic = any("?" in i["declared"] or ".." in i["declared"] for i in case["inputs"])
        types = [i["type"] for i in case["inputs"]]
        inputs = layers.count("Parameter") + layers.count("Const")
        size = sum(max(1, abs(int.__mul__(*(s[:2] + [1, 1])[:2]))) for s in shapes)
        rank = (0 not in sum(shapes, []), inputs, not dynamic, layers.count("Parameter"), "f32" in types, -size)
        if ops[0] not in best or rank > best[ops[0]][0]:
            best[ops[0]] = (rank, path)
    return {op: path for op, (_, path) in sorted(best.items(), key=lambda item: item[0].lower())}


def combinations(base):
    """(label, types of all inputs) of everything that is tried for an operation with inputs of the types `base`."""
    groups = [[i] for i in range(len(base))]
    for kind in dict.fromkeys(base):
        same = [i for i, t in enumerate(base) if t == kind]
        if len(same) > 1:
            groups.append(same)
    for group in groups:
        for kind in TYPES:
            yield ",".join(map(str, group)), kind, [kind if i in group else t for i, t in enumerate(base)]


class Judge:
    """Builds, compiles and runs a case with other types."""

    def __init__(self, path):
        import numpy
        import openvino
        self.np, self.ov, self.path = numpy, openvino, path
        self.core = openvino.Core()
        self.case = json.loads((path / "case.json").read_text())
        model, node = self.load()
        self.base = [i.get_element_type().get_type_name() for i in node.inputs()]

    def load(self):
        model = self.core.read_model(self.path / "model.xml")
        node = next(n for n in model.get_ordered_ops() if n.get_type_name() not in ("Parameter", "Constant", "Result"))
        return model, node

    def value(self, number):
        return self.np.load(self.path / f"in_{number}.npy")

    def run(self, types, changed=None):
        np, ov = self.np, self.ov
        model, node = self.load()
        parameters = list(model.get_parameters())
        names = [i["name"] for i in self.case["inputs"]]
        values = {}
        made = []
        for i, name in enumerate(types):
            source = node.input_value(i).get_node()
            kind = getattr(ov.Type, name)
            if name == self.base[i]:
                continue
            if source.get_type_name() == "Constant":
                data = source.get_data()
                shape = list(data.shape)
                if name == "string":
                    constant = ov.op.Constant(np.full(shape, "a"))
                else:
                    constant = ov.op.Constant(kind, ov.Shape(shape), data.astype(np.float64).reshape(-1).tolist())
                node.input(i).replace_source_output(constant.output(0))
            else:
                source.set_element_type(kind)
        model.validate_nodes_and_infer_types()
        if changed is not None:
            changed.append(model)
        compiled = self.core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1,
                                                          "INFERENCE_NUM_THREADS": 1})
        request = compiled.create_infer_request()
        inputs = []
        for i, port in enumerate(compiled.inputs):
            name = model.inputs[i].get_node().get_friendly_name()
            value = self.value(names.index(name) if name in names else i)
            kind = port.get_element_type()
            if value.dtype.kind == "f" and kind.is_integral() and kind != ov.Type.boolean:
                value = value * 8  # so that not all are 0
                value = abs(value) if not kind.is_signed() else value
            if kind.get_type_name() == "string":
                tensor = ov.Tensor(np.full(value.shape, "a"))
            elif kind.bitwidth % 8 or kind.get_type_name() in ("bf16", "f8e4m3", "f8e5m2", "f8e8m0"):
                tensor = ov.Tensor(kind, ov.Shape(value.shape))
                as_constant = ov.op.Constant(kind, ov.Shape(value.shape),
                                             value.astype(np.float64).reshape(-1).tolist())
                if tensor.byte_size:
                    tensor.data.reshape(-1)[:] = as_constant.data.reshape(-1)
            else:
                tensor = ov.Tensor(value.astype(kind.to_dtype(), order="C"))
            request.set_input_tensor(i, tensor)
            inputs.append(tensor)
        request.infer()
        return compiled, inputs, [request.get_output_tensor(i) for i in range(len(compiled.outputs))]


def work(path, first):
    """Prints a line for each combination from `first` on; a crash of the plugin ends it."""
    judge = Judge(path)
    print("base", ",".join(judge.base), flush=True)
    for number, (_, _, types) in enumerate(combinations(judge.base)):
        if number < first:
            continue
        print("try", number, flush=True)
        signal.alarm(SECONDS)  # ends the process, as a crash does
        try:
            judge.run(types)
            print("yes", number, flush=True)
        except Exception as error:  # whatever the plugin says
            print("no", number, " ".join(str(error).split())[-200:], flush=True)


def write_case(folder, op, path, given):
    """A case of other types, as tests/data/README.md has them."""
    judge = Judge(path)
    types = [base if kind == "*" else kind for base, kind in zip(judge.base, given.split(), strict=True)]
    changed = []
    compiled, inputs, outputs = judge.run(types, changed)
    name = "_".join([op.replace(":opset", "_"), *types])
    to = folder / name
    to.mkdir(parents=True)
    judge.ov.save_model(changed[0], to / "model.xml", compress_to_fp16=False)
    case = dict(judge.case, name=name, suite="types", source="tests/sweep/element_types.py")
    for number, (key, port, tensor) in enumerate(
            [("inputs", p, t) for p, t in zip(compiled.inputs, inputs)] +
            [("outputs", p, t) for p, t in zip(compiled.outputs, outputs)]):
        number -= 0 if key == "inputs" else len(inputs)
        judge.np.save(to / f"{'in' if key == 'inputs' else 'out'}_{number}.npy", tensor.data)
        case[key] = (case[key] if number else []) + [
            dict(case[key][0], name=sorted(port.get_names())[0], type=tensor.element_type.get_type_name(),
                 shape=list(tensor.shape), **({"declared": str(list(tensor.shape))} if key == "inputs" else {}))]
    if "f16" in types:
        case.update(rtol=max(case["rtol"], 2e-3), atol=max(case["atol"], 2e-3))
    (to / "case.json").write_text(json.dumps(case, indent=1) + "\n")


def sweep(op, path):
    taken, reasons, base, first = {}, {}, None, 0
    while True:
        try:
            out = subprocess.run([sys.executable, __file__, "--work", str(path), "--first", str(first)],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=300).stdout
        except subprocess.TimeoutExpired as late:
            out = (late.stdout or b"").decode()
        tried = None
        for line in out.splitlines():
            word, _, rest = line.partition(" ")
            if word == "base":
                base = rest.split(",")
            elif word == "try":
                tried = int(rest)
            elif word in ("yes", "no"):
                number, _, reason = rest.partition(" ")
                taken[int(number)], reasons[int(number)] = word == "yes", reason
        if base is None:
            return f"# {op}: {path.name} does not load\n"
        todo = list(combinations(base))
        if tried is None or tried in taken and tried + 1 >= len(todo):
            break
        taken.setdefault(tried, False)
        first = tried + 1
        if first >= len(todo):
            break
    kinds = {}
    for number, (label, kind, _) in enumerate(todo):
        kinds.setdefault(label, [])
        if taken.get(number):
            kinds[label].append(kind)
    return " | ".join([op.replace(":opset", "-"), path.name, ",".join(base)] +
                      [f"{label}: {' '.join(names)}" for label, names in kinds.items()]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--cases", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.work:
        return work(arguments.work, arguments.first)
    cases = choose_cases()
    if arguments.cases:
        for op, given in CASES_OF_TYPES:
            try:
                write_case(arguments.cases, op, cases[op], given)
            except RuntimeError as error:
                print(op, given, " ".join(str(error).split())[-150:], file=sys.stderr)
        return 0
    if arguments.only:
        cases = {op: path for op, path in cases.items() if re.fullmatch(arguments.only, op.split(":")[0])}
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for line in pool.map(lambda item: sweep(*item), cases.items()):
            sys.stdout.write(line)
            sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
