# SPDX-License-Identifier: Apache-2.0
"""Makes the benchmark cases: python -m models.generate --out DIR [--g2p DIR] [--list] [NAME…]

NAME is a regular expression that a case's whole name must match; all cases (1.4 GB) without one. A case
that is there already, made by the same generator, is left alone.
"""

import argparse
import hashlib
import json
import os
import re
import sys

import numpy as np

from .networks import NETWORKS

BEAMS = (1, 5, 10)
WORDS = ("browser", "rhythm", "darlie", "chanson", "hmmm", "iteration", "supersonics", "brandnew", "wynnona")
LOOP_OPERATIONS = (1, 4, 16)
LOOP_STEPS = (64, 1024)
NNCF_BASES = ("mobilenet_v2", "resnet50", "yolov8n_320", "minilm_l6_s128")
INT8_BASES = ("gemm_512", "conv3x3_64_56", *NNCF_BASES)


def random_input(random, name, shape):
    if name == "mask":  # additive attention mask: 100 tokens, the rest padding
        mask = np.zeros(shape, np.float32)
        mask[..., 100:] = -10000
        return mask
    return random.standard_normal(shape, dtype=np.float32)


def shape_of(value):
    return [d.dim_value for d in value.type.tensor_type.shape.dim]


def make_network(root, name, core):
    import openvino as ov

    from .case import CaseWriter

    graph = NETWORKS[name]()
    model = graph.model(name)
    writer = CaseWriter(root, name, core)
    writer.add_onnx(model)
    if hasattr(graph, "int4"):
        from .int4 import add_int4_ir

        [output] = model.graph.output
        add_int4_ir(writer, *graph.int4, shape_of(model.graph.input[0]), output.name)
    else:
        writer.add_graph(model)
        writer.add_ir(ov.convert_model(writer.path("model.onnx")))
    random = np.random.default_rng(99)
    inputs = {i.name: random_input(random, i.name, shape_of(i)) for i in model.graph.input}
    writer.add_set(inputs, [o.name for o in model.graph.output])
    # Engines may quantise activations to 8 bits where weights have 4.
    writer.finish(macs=int(graph.macs), tolerance=1e-2 if hasattr(graph, "int4") else 1e-3)
    return writer


def make_lstm(root, name, core):
    import openvino as ov

    from . import recurrent
    from .case import CaseWriter

    random = np.random.default_rng(99)
    writer = CaseWriter(root, name, core)
    if name in ("lstm_specification", "lstm_unrolled"):
        if name == "lstm_specification":
            writer.add_onnx(recurrent.onnx_lstm(initial_state=True).model(name))
            writer.add_ir(recurrent.specification_lstm())
        else:
            writer.add_ir(recurrent.unrolled_lstm())
        steps, inputs, hidden = recurrent.STEPS, recurrent.INPUT, recurrent.HIDDEN
        arrays = {
            "x": random.standard_normal((1, steps, inputs), dtype=np.float32),
            "h0": random.uniform(-1, 1, (1, hidden)).astype(np.float32),
            "c0": random.uniform(-1, 1, (1, hidden)).astype(np.float32),
        }
        shapes = {"x": [steps, 1, inputs], "h0": [1, 1, hidden], "c0": [1, 1, hidden]}
    else:
        inputs, hidden, steps = (int(n) for n in re.findall(r"\d+", name))
        model = recurrent.onnx_lstm(steps, inputs, hidden).model(name)
        writer.add_onnx(model)
        writer.add_graph(model)
        writer.add_ir(ov.convert_model(writer.path("model.onnx")))
        arrays, shapes = {"x": random.standard_normal((steps, 1, inputs), dtype=np.float32)}, {}
    writer.add_set(arrays, ["y"], shapes)
    writer.finish(macs=steps * 4 * hidden * (inputs + hidden))
    return writer


def make_iterations(root, name, core):
    from . import recurrent
    from .case import CaseWriter

    writer = CaseWriter(root, name, core)
    steps = int(name.rsplit("n", 1)[1])
    random = np.random.default_rng(99)
    h0 = random.standard_normal((1, recurrent.WIDTH), dtype=np.float32)
    if name.startswith("slices"):
        operations = 1
        writer.add_onnx(recurrent.onnx_iterator_slices().model(name))
        writer.add_ir(recurrent.iterator_slices())
        inputs = {"x": random.standard_normal((steps, recurrent.WIDTH), dtype=np.float32), "h0": h0}
    else:
        operations = int(re.search(r"m(\d+)", name).group(1))
        writer.add_onnx(recurrent.onnx_iterator_state(operations).model(name))
        writer.add_ir(recurrent.iterator_state(operations))
        inputs = {"ticks": np.zeros((steps, 1), np.float32), "h0": h0}
    writer.add_set(inputs, ["y"])
    writer.finish(iterations=steps, operations=operations, tolerance=1e-3)
    return writer


def make_g2p(root, name, core, g2p_folder):
    from . import g2p
    from .case import CaseWriter

    stop_early = name.startswith("g2p_stop")
    beams = int(name.rsplit("beam", 1)[1])
    files = [
        os.path.join(g2p_folder, ("model_loop" if stop_early else "model") + end) for end in (".xml", ".bin")
    ]
    with open(os.path.join(g2p_folder, "vocab.json"), encoding="utf-8") as source:
        vocabulary = json.load(source)
    letters = {c: i for i, c in enumerate(vocabulary["graphemes"])}
    weights = g2p.read_weights(core, files[0])
    writer = CaseWriter(root, name, core)
    writer.add_onnx(g2p.decoder(weights, stop_early=stop_early))
    writer.add_ir_files(*files)
    vocab_size, hidden = weights["output_weights"].shape
    cell_macs = 3 * hidden * (hidden + weights["encoder_embedding"].shape[1])
    macs = 0
    for word in WORDS:
        ids = np.array(
            [[letters[c] for c in word] + [vocabulary["grapheme_eos"]]], np.int64 if stop_early else np.int32
        )
        inputs = {"graphemes": ids, "beam_width": np.array(beams, np.int32)}
        if stop_early:
            inputs["max_steps"] = np.array(vocabulary["max_steps"], np.int32)
        golden = writer.add_set(inputs, ["sequences", "scores", "sequence_lengths"])
        steps = golden["sequences"].shape[0]
        macs += ids.shape[1] * cell_macs + steps * beams * (cell_macs + vocab_size * hidden)
    writer.finish(
        macs=int(macs),
        unit="word",
        words=list(WORDS),
        exact=["sequences", "sequence_lengths"],
        tolerance=1e-3,
    )
    return writer


def make_int8(root, name, core):
    from .int8 import quantised_case

    return quantised_case(root, name, core)


def make_nncf(root, name, core):
    from .nncf_int8 import quantised_case

    return quantised_case(root, name, core)


def cases():
    """{name: (maker, names of the cases it needs first)}, cheap to list."""
    table = {}
    for beams in BEAMS:
        table[f"g2p_beam{beams}"] = (make_g2p, ())
        table[f"g2p_stop_beam{beams}"] = (make_g2p, ())
    for name in ("lstm_specification", "lstm_unrolled", "lstm_i512_h256_s25", "lstm_i512_h512_s100"):
        table[name] = (make_lstm, ())
    for steps in LOOP_STEPS:
        for operations in LOOP_OPERATIONS:
            table[f"iterations_m{operations}_n{steps}"] = (make_iterations, ())
        table[f"slices_n{steps}"] = (make_iterations, ())
    for name in NETWORKS:
        table[name] = (make_network, ())
    for base in INT8_BASES:
        table[f"{base}_qdq_u8s8"] = (make_int8, (base,))
    for base in NNCF_BASES:
        table[f"{base}_nncf"] = (make_nncf, (base,))
    return table


def generator_hash():
    """Of this package's sources: a case made by other sources is made anew."""
    digest = hashlib.sha256()
    folder = os.path.dirname(os.path.abspath(__file__))
    for file in sorted(os.listdir(folder)):
        if file.endswith(".py"):
            with open(os.path.join(folder, file), "rb") as source:
                digest.update(source.read())
    return digest.hexdigest()[:16]


def check_with_onnxruntime(writer):
    """Runs the ONNX form natively and compares: the two forms of a case must be the same network."""
    import onnxruntime

    from .tolerance import largest_error

    case = writer.case
    if "onnx" not in case["forms"]:
        return ""
    options = onnxruntime.SessionOptions()
    # With AVX2, sums of integers would saturate.
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(
        writer.path("model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    worst = 0.0
    for one_set in case["sets"]:
        feeds = {}
        changed = one_set.get("as", {}).get("onnx", {})
        for name, array in {**one_set["inputs"], **changed.get("inputs", {})}.items():
            feeds[name] = np.load(writer.path(array["file"])).reshape(array["shape"])
        for name, got in zip(one_set["outputs"], session.run(list(one_set["outputs"]), feeds)):
            want = np.load(writer.path(one_set["outputs"][name]["file"]))
            if name in case["exact"]:
                if not np.array_equal(got, want):
                    raise SystemExit(
                        f"{case['name']}: output '{name}' of the ONNX form differs from the golden"
                    )
                continue
            worst = max(worst, largest_error(got.reshape(-1), want.reshape(-1)))
    if worst > case["tolerance"]:
        raise SystemExit(
            f"{case['name']}: the ONNX form differs from the golden by {worst:.2e} of its largest value, "
            f"{case['tolerance']:.0e} is allowed"
        )
    return f"onnxruntime within {worst:.1e}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", help="folder of the cases")
    parser.add_argument(
        "--g2p", help="folder of the word decoder's IR (model.xml, model_loop.xml, vocab.json)"
    )
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    table = cases()
    wanted = [n for n in table if not options.names or any(re.fullmatch(p, n) for p in options.names)]
    if options.list:
        print("\n".join(wanted))
        return
    if not wanted:
        parser.error(f"no case is named {' or '.join(options.names)}")
    if not options.out:
        parser.error("--out DIR says where the cases go")
    wanted = sorted({*wanted, *(base for n in wanted for base in table[n][1])}, key=list(table).index)

    stamp = generator_hash()
    missing = []
    for name in wanted:
        try:
            with open(os.path.join(options.out, name, "case.json"), encoding="utf-8") as file:
                if json.load(file).get("generator") == stamp:
                    continue
        except (OSError, ValueError):
            pass
        missing.append(name)
    if not missing:
        return
    import openvino as ov

    core = ov.Core()
    for name in missing:
        maker = table[name][0]
        if maker is make_g2p:
            if not options.g2p:
                parser.error(f"{name} needs --g2p DIR")
            writer = make_g2p(options.out, name, core, options.g2p)
        else:
            writer = maker(options.out, name, core)
        checked = check_with_onnxruntime(writer)
        writer.finish(generator=stamp)
        print(f"  {name:28} {writer.case['macs'] / 1e6:9.2f} M multiply-adds  {checked}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
