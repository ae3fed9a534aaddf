# SPDX-License-Identifier: Apache-2.0
"""Adds the TFLite form to cases that have graph.json: python -m models.tflite --out DIR [NAME…]

An optional step, for LiteRT.js, in an environment of its own (requirements-tflite.txt: TensorFlow). The graph
is rebuilt with TensorFlow's operations, pictures channels-last as TFLite wants them, converted, and run by
TensorFlow's own interpreter against the goldens. Inputs and outputs of pictures change their layout, so the
case gets a second copy of them. int8 is TFLite's own quantisation of the f32 graph, another model than the
one in QDQ form. LSTM has no form: TFLite's fused operation is not reached from here.
"""

import argparse
import json
import os
import re
import warnings

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # read at the import
import tensorflow as tf

from .tolerance import largest_error

CALIBRATION_RUNS = 6
INT8_TOLERANCE = 0.1  # YOLOv8n: 0.089, as with NNCF
BINARY = {"Add": tf.add, "Sub": tf.subtract, "Mul": tf.multiply, "Div": tf.divide, "Max": tf.maximum}
UNARY = {
    "Relu": tf.nn.relu,
    "Clip": tf.nn.relu6,
    "Sigmoid": tf.sigmoid,
    "Tanh": tf.tanh,
    "Softmax": tf.nn.softmax,
}
TO_NHWC, TO_NCHW = (0, 2, 3, 1), (0, 3, 1, 2)


def read_graph(folder):
    with open(os.path.join(folder, "graph.json"), encoding="utf-8") as file:
        graph = json.load(file)
    blob = np.fromfile(os.path.join(folder, "weights.bin"), np.uint8)
    weights = {}
    for name, w in graph["weights"].items():
        data = blob[w["offset"] : w["offset"] + w["bytes"]].view(w["dtype"])
        weights[name] = data.reshape(w["shape"])
    return graph, weights


def find_gelu(nodes):
    """x / sqrt(2), Erf, + 1, * x, * 0.5: {name of the last value: name of x}, and the names between."""
    producer = {output: node for node in nodes for output in node["outputs"]}
    consumers = {}
    for node in nodes:
        for name in node["inputs"]:
            consumers.setdefault(name, []).append(node)
    found, inner = {}, set()
    for erf in nodes:
        if erf["op"] != "Erf":
            continue
        divide = producer[erf["inputs"][0]]
        [add] = consumers[erf["outputs"][0]]
        [multiply] = consumers[add["outputs"][0]]
        [halve] = consumers[multiply["outputs"][0]]
        found[halve["outputs"][0]] = divide["inputs"][0]
        inner |= {node["outputs"][0] for node in (divide, erf, add, multiply)}
    return found, inner


class Builder:
    """Runs the nodes as TensorFlow operations. In a network of convolutions values of rank 4 are NHWC."""

    def __init__(self, graph, weights):
        self.graph = graph
        self.weights = weights
        self.pictures = any(node["op"] == "Conv" for node in graph["nodes"])
        self.gelu, self.inner = find_gelu(graph["nodes"])

    def is_picture(self, shape):
        return self.pictures and len(shape) == 4

    def input_specs(self):
        specs = []
        for value in self.graph["inputs"]:
            shape = value["shape"]
            if self.is_picture(shape):
                shape = [shape[i] for i in TO_NHWC]
            specs.append(tf.TensorSpec(shape, tf.float32, name=value["name"]))
        return specs

    def __call__(self, *tensors):
        values = {value["name"]: tensor for value, tensor in zip(self.graph["inputs"], tensors, strict=True)}
        for node in self.graph["nodes"]:
            outputs = node["outputs"]
            if outputs[0] in self.inner:
                continue
            if outputs[0] in self.gelu:
                results = tf.nn.gelu(values[self.gelu[outputs[0]]], approximate=False)
            else:
                inputs = [values.get(name, self.weights.get(name)) for name in node["inputs"]]
                results = self.run(node["op"], inputs, node["attrs"])
            results = results if isinstance(results, list) else [results]
            values |= dict(zip(outputs, results, strict=False))
        return {value["name"]: values[value["name"]] for value in self.graph["outputs"]}

    def run(self, op, inputs, attributes):
        x = inputs[0]
        if op in UNARY:
            return UNARY[op](x)
        if op in BINARY:
            return BINARY[op](x, inputs[1])
        return getattr(self, "_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", op).lower())(inputs, attributes)

    def _conv(self, inputs, attributes):
        x, weights, bias = inputs
        pad, [kernel, _], [stride, _] = (
            attributes["pads"][0],
            attributes["kernel_shape"],
            attributes["strides"],
        )
        # SAME pads the end more than the start where the stride leaves a rest, ONNX both sides alike.
        same = stride == 1 and pad == (kernel - 1) // 2
        if pad and not same:
            x = tf.pad(x, [[0, 0], [pad, pad], [pad, pad], [0, 0]])
        padding = "SAME" if pad and same else "VALID"
        if attributes["group"] > 1:
            y = tf.nn.depthwise_conv2d(
                x, tf.constant(weights.transpose(2, 3, 0, 1)), [1, stride, stride, 1], padding
            )
        else:
            y = tf.nn.conv2d(x, tf.constant(weights.transpose(2, 3, 1, 0)), stride, padding)
        return tf.nn.bias_add(y, tf.constant(bias))

    def _max_pool(self, inputs, attributes):
        [x] = inputs
        pad, kernel, stride = attributes["pads"][0], attributes["kernel_shape"][0], attributes["strides"][0]
        if stride == 1:
            return tf.nn.max_pool2d(x, kernel, stride, "SAME")
        # Only behind Relu here, where a border of zeros is as good as none.
        return tf.nn.max_pool2d(tf.pad(x, [[0, 0], [pad, pad], [pad, pad], [0, 0]]), kernel, stride, "VALID")

    def _global_average_pool(self, inputs, _):
        return tf.reduce_mean(inputs[0], [1, 2], keepdims=True)

    def _flatten(self, inputs, _):
        return tf.reshape(inputs[0], [1, -1])  # of 1x1 pixels: the order of the channels stays

    def _gemm(self, inputs, attributes):
        x, y, *bias = inputs
        transposed = {f"transpose_{side.lower()}": bool(attributes.get(f"trans{side}")) for side in "AB"}
        product = tf.matmul(x, y, **transposed)
        return product + bias[0] if bias else product

    def _mat_mul(self, inputs, _):
        x, y = inputs
        if len(x.shape) == 2 or not isinstance(y, np.ndarray):
            return tf.matmul(x, y)
        # TFLite has a fully connected layer for two dimensions.
        return tf.reshape(tf.matmul(tf.reshape(x, [-1, x.shape[-1]]), y), [*x.shape[:-1], y.shape[-1]])

    def _layer_normalization(self, inputs, attributes):
        x, scale, bias = inputs
        centred = x - tf.reduce_mean(x, -1, keepdims=True)
        variance = tf.reduce_mean(tf.square(centred), -1, keepdims=True)
        return centred * tf.math.rsqrt(variance + attributes["epsilon"]) * scale + bias

    def _reshape(self, inputs, _):
        x, shape = inputs
        if self.is_picture(x.shape):  # [1,C,H,W] to [1,C,H*W]
            return tf.transpose(tf.reshape(x, [1, -1, x.shape[3]]), [0, 2, 1])
        return tf.reshape(x, shape.tolist())

    def _transpose(self, inputs, attributes):
        return tf.transpose(inputs[0], attributes["perm"])

    def _concat(self, inputs, attributes):
        return tf.concat(inputs, 3 if self.is_picture(inputs[0].shape) else attributes["axis"])

    def _split(self, inputs, _):
        x, sizes = inputs
        return tf.split(x, sizes.tolist(), 3)

    def _resize(self, inputs, _):
        x = inputs[0]
        return tf.image.resize(x, [x.shape[1] * 2, x.shape[2] * 2], method="nearest")


def run_interpreter(model, inputs):
    warnings.filterwarnings("ignore", "(?s).*tf.lite.Interpreter is deprecated", UserWarning)
    interpreter = tf.lite.Interpreter(model_content=model, num_threads=1)
    runner = interpreter.get_signature_runner()
    return runner(**inputs)


def convert(folder, case):
    """Returns the .tflite bytes, its inputs and its outputs as the interpreter gives them."""
    graph, weights = read_graph(folder)
    builder = Builder(graph, weights)
    module = tf.Module()
    module.run = tf.function(builder, input_signature=builder.input_specs())
    inputs = {}
    [one_set] = case["sets"]
    for name, array in one_set["inputs"].items():
        data = np.load(os.path.join(folder, array["file"]))
        inputs[name] = np.ascontiguousarray(
            data.transpose(TO_NHWC) if builder.is_picture(data.shape) else data
        )
    converter = tf.lite.TFLiteConverter.from_concrete_functions([module.run.get_concrete_function()], module)
    if "base" in case:
        random = np.random.default_rng(5)
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: (
            {name: random.standard_normal(x.shape, dtype=np.float32) for name, x in inputs.items()}
            for _ in range(CALIBRATION_RUNS)
        )
    model = converter.convert()
    return model, inputs, run_interpreter(model, inputs)


def add_form(root, name):
    folder = os.path.join(root, name)
    path = os.path.join(folder, "case.json")
    with open(path, encoding="utf-8") as file:
        case = json.load(file)
    graph_folder = os.path.join(root, case.get("base", name))
    graph_file = os.path.join(graph_folder, "graph.json")
    if "tflite" in case["forms"] or not os.path.exists(graph_file) or name.startswith("lstm_"):
        return
    # TFLite would quantise the sums of scores and mask, from -10000 on: nothing is left of attention.
    if "base" in case and "mask" in case["sets"][0]["inputs"]:
        return
    model, inputs, outputs = convert(graph_folder, case)
    with open(os.path.join(folder, "model.tflite"), "wb") as file:
        file.write(model)
    [one_set] = case["sets"]
    changed = {"inputs": {}, "outputs": {}}

    def save(kind, key, data):
        file = f"{kind}_{key}_nhwc.npy"
        np.save(os.path.join(folder, file), np.ascontiguousarray(data))
        changed[f"{kind}s"][key] = {"file": file, "type": data.dtype.name, "shape": list(data.shape)}

    for key, data in inputs.items():
        if list(data.shape) != one_set["inputs"][key]["shape"]:
            save("input", key, data)
    worst = 0.0
    for key, got in outputs.items():
        # Against the f32 goldens also for int8: the two quantisations share nothing else.
        want = np.load(os.path.join(graph_folder, one_set["outputs"][key]["file"]))
        if list(got.shape) != list(want.shape):
            want = want.transpose(TO_NHWC)
        worst = max(worst, largest_error(got, want))
        if "base" in case:
            save("output", key, got)
        elif want.shape != tuple(one_set["outputs"][key]["shape"]):
            save("output", key, want)
    allowed = INT8_TOLERANCE if "base" in case else case["tolerance"]
    if worst > allowed:
        raise SystemExit(
            f"{name}: the TFLite form differs from the golden by {worst:.2e}, {allowed} is allowed"
        )
    one_set.setdefault("as", {})["tflite"] = changed
    case["forms"]["tflite"] = "model.tflite"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(case, file, indent=1)
    print(f"  {name:28} TFLite within {worst:.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", required=True, help="folder of the cases")
    parser.add_argument("names", nargs="*", help="regular expressions; all cases without one")
    options = parser.parse_args()
    for name in sorted(os.listdir(options.out)):
        if not options.names or any(re.fullmatch(pattern, name) for pattern in options.names):
            add_form(options.out, name)


if __name__ == "__main__":
    main()
