# SPDX-License-Identifier: Apache-2.0
"""Makes the randomly initialised networks that the guides' commands convert.

networks.py KIND writes one of them into the current folder, under the names that the guides use. Each kind needs
the framework that the guide's section is about.
"""

import sys


def onnx():
    """model.onnx: picture "image" [N,3,H,W] to 10 scores."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save

    random = np.random.default_rng(1)

    def weights(name, *shape):
        return numpy_helper.from_array((0.1 * random.standard_normal(shape)).astype(np.float32), name)

    nodes = [
        helper.make_node("Conv", ["image", "filters", "bias"], ["a"], strides=[4, 4], pads=[3, 3, 3, 3]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "more_filters"], ["c"], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["d"]),
        helper.make_node("GlobalAveragePool", ["d"], ["e"]),
        helper.make_node("Flatten", ["e"], ["f"]),
        helper.make_node("Gemm", ["f", "matrix", "offset"], ["scores"]),
    ]
    tensors = [
        *(weights("filters", 16, 3, 7, 7), weights("bias", 16), weights("more_filters", 32, 16, 3, 3)),
        *(weights("matrix", 32, 10), weights("offset", 10)),
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, "h", "w"])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", 10])
    graph = helper.make_graph(nodes, "network", [image], [scores], tensors)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), "model.onnx")


def tensorflow():
    """The folder saved_model, and model.tflite: picture [N,32,32,3] to 10 scores."""
    import keras
    import tensorflow as tf

    keras.utils.set_random_seed(1)
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((32, 32, 3)),
            layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
            layers.DepthwiseConv2D(3, padding="same"),
            layers.BatchNormalization(),
            layers.ReLU(6),
            layers.GlobalAveragePooling2D(),
            layers.Dense(10, activation="softmax"),
        ]
    )
    model.export("saved_model")
    with open("model.tflite", "wb") as file:
        file.write(tf.lite.TFLiteConverter.from_saved_model("saved_model").convert())


def hugging_face():
    """sentence-transformers/all-MiniLM-L6-v2, smaller and with a vocabulary of its own."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = "sentence-transformers/all-MiniLM-L6-v2"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(chr(ord("a") + i) for i in range(26))]
    config = BertConfig(
        vocab_size=len(words), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96
    )
    BertModel(config).save_pretrained(folder)
    with open("vocab.txt", "w") as file:
        file.write("\n".join(words))
    BertTokenizerFast("vocab.txt").save_pretrained(folder)


def ultralytics():
    """yolov8n.pt."""
    from ultralytics import YOLO

    YOLO("yolov8n.yaml").save("yolov8n.pt")


def paddle():
    """The folder inference with inference.json and inference.pdiparams: picture [N,3,48,48] to 10 scores."""
    import paddle
    from paddle import nn

    paddle.seed(1)
    network = nn.Sequential(
        nn.Conv2D(3, 16, 3, stride=2, padding=1),
        nn.BatchNorm2D(16),
        nn.Hardswish(),
        nn.AdaptiveAvgPool2D(1),
        nn.Flatten(),
        nn.Linear(16, 10),
    )
    network.eval()
    spec = [paddle.static.InputSpec([None, 3, 48, 48], "float32", "x")]
    paddle.jit.save(network, "inference/inference", spec)


if __name__ == "__main__":
    {function.__name__: function for function in (onnx, tensorflow, hugging_face, ultralytics, paddle)}[sys.argv[1]]()
