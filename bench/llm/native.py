# SPDX-License-Identifier: Apache-2.0
"""native.py DIR CONFIGURATION THREADS TOKENS PROMPT…: runs DIR/openvino_model.xml in native OpenVINO, and prints a sample for
compare.mjs as JSON. CONFIGURATION is f32 (nothing is quantised but the weights) or default."""

import json
import resource
import sys
import time

import numpy as np
import openvino as ov
from openvino import opset13

CONFIGURATIONS = {
    "f32": {
        "INFERENCE_PRECISION_HINT": "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
        "KV_CACHE_PRECISION": "f32",
    },
    "default": {},
}

folder, configuration, threads, tokens, *prompts = sys.argv[1:]


def milliseconds():
    return time.perf_counter() * 1000


def keep_last_logits(model):
    """Lets the last MatMul read the last position only, as GenAI does."""
    node = model.output("logits").get_node()
    while node.get_type_name() != "MatMul":
        node = node.input_value(0).get_node()
    begin, end, one = (
        opset13.constant(np.array([value], np.int64)) for value in (-1, 2**62, 1)
    )
    last = opset13.slice(node.input_value(0), begin, end, one, one)
    node.input(0).replace_source_output(last.output(0))
    model.validate_nodes_and_infer_types()


def run(request, ids, past):
    """Returns the next token and the milliseconds."""
    start = milliseconds()
    count = len(ids)
    result = request.infer(
        {
            "input_ids": np.array([ids], np.int64),
            "attention_mask": np.ones((1, past + count), np.int64),
            "position_ids": np.arange(past, past + count, dtype=np.int64)[None],
            "beam_idx": np.zeros(1, np.int32),
        }
    )
    best = int(result["logits"][0, -1].argmax())
    return best, milliseconds() - start


core = ov.Core()
begin = milliseconds()
model = core.read_model(f"{folder}/openvino_model.xml")
keep_last_logits(model)
options = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": "1"}
options |= CONFIGURATIONS[configuration]
request = core.compile_model(model, "CPU", options).create_infer_request()
load_ms = milliseconds() - begin

results = []
for length in map(int, prompts):
    ids = [i * 37 % 1000 for i in range(length)]
    # The first run prepares shapes and packs weights. It is not measured.
    run(request, ids, 0)
    request.reset_state()
    best, prompt_ms = run(request, ids, 0)
    token_ms = []
    for step in range(int(tokens)):
        best, elapsed = run(request, [best], length + step)
        token_ms.append(elapsed)
    results.append({"prompt": length, "promptMs": prompt_ms, "tokenMs": token_ms})
    request.reset_state()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(
    json.dumps(
        {
            "version": ov.__version__.split("-")[0],
            "loadMs": load_ms,
            "memoryMiB": peak,
            "results": results,
        }
    )
)
