# SPDX-License-Identifier: Apache-2.0
"""Writes networks of torchvision and others as ONNX: /usr/bin/python3 export.py (--list | --out DIR [NAME…])

The weights are random. Batch norms get the statistics of random inputs. Without them, values would grow or vanish
in deep networks. A network that is there already is left alone: delete build/bench/survey after changing this file.
"""

import argparse
import os
import tempfile

import torch
from torch import nn
from torchvision import models, ops

CALIBRATION = 4  # inputs for the statistics of batch norms

# torchvision 0.14's Swin calls dropout without training=False. The export would contain Dropout in training mode,
# which OpenVINO does not read.
nn.functional.dropout = lambda x, *_, **__: x


def conv(inputs, outputs, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


class UNet(nn.Module):
    """Segmentation with transposed convolutions and skip connections."""

    def __init__(self, widths=(16, 32, 64, 128)):
        super().__init__()
        pairs = list(zip(widths, widths[1:]))
        self.down = nn.ModuleList(
            nn.Sequential(conv(i, o), conv(o, o)) for i, o in zip((3, *widths), widths)
        )
        self.grow = nn.ModuleList(nn.ConvTranspose2d(o, i, 2, 2) for i, o in reversed(pairs))
        self.up = nn.ModuleList(nn.Sequential(conv(2 * i, i), conv(i, i)) for i, _ in reversed(pairs))
        self.head = nn.Conv2d(widths[0], 4, 1)

    def forward(self, x):
        kept = []
        for block in self.down[:-1]:
            x = block(x)
            kept.append(x)
            x = nn.functional.max_pool2d(x, 2)
        x = self.down[-1](x)
        for grow, block in zip(self.grow, self.up):
            x = block(torch.cat([grow(x), kept.pop()], 1))
        return self.head(x)


class SuperResolution(nn.Module):
    """Residual blocks without normalisation and a DepthToSpace, as EDSR."""

    def __init__(self, width=32, blocks=8, factor=4):
        super().__init__()

        def plain(i, o):
            return nn.Conv2d(i, o, 3, padding=1)

        self.head = plain(3, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(plain(width, width), nn.ReLU(), plain(width, width)) for _ in range(blocks)
        )
        self.tail = nn.Sequential(plain(width, 3 * factor**2), nn.PixelShuffle(factor))

    def forward(self, x):
        first = x = self.head(x)
        for block in self.blocks:
            x = x + block(x)
        return self.tail(first + x)


class FaceEmbedding(nn.Module):
    """Convolutions with PReLU, as networks that recognise faces have."""

    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        layers = []
        for i, o in zip((3, *widths), widths):
            layers += [nn.Conv2d(i, o, 3, 2, 1), nn.BatchNorm2d(o), nn.PReLU(o)]
            layers += [nn.Conv2d(o, o, 3, 1, 1), nn.BatchNorm2d(o), nn.PReLU(o)]
        self.features = nn.Sequential(*layers)
        self.embed = nn.Linear(7 * 7 * widths[-1], 128)

    def forward(self, x):
        return self.embed(self.features(x).flatten(1))


class TextRecognition(nn.Module):
    """A convolutional network and LSTMs in two directions over the columns (CRNN)."""

    def __init__(self, classes=64):
        super().__init__()
        self.features = nn.Sequential(
            conv(1, 32), nn.MaxPool2d(2), conv(32, 64), nn.MaxPool2d(2), conv(64, 128), conv(128, 128),
            nn.MaxPool2d((2, 1)), conv(128, 256), nn.MaxPool2d((4, 1)),
        )
        self.recurrent = nn.LSTM(256, 128, num_layers=2, bidirectional=True)
        self.classes = nn.Linear(256, classes)

    def forward(self, x):
        columns = self.features(x).squeeze(2).permute(2, 0, 1)
        return self.classes(self.recurrent(columns)[0])


class Sound(nn.Module):
    """Convolutions over time: pointwise and depthwise ones with SiLU, as in the Conformer."""

    def __init__(self, width=128, blocks=6):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv1d(width, 2 * width, 1),
                nn.SiLU(),
                nn.Conv1d(2 * width, 2 * width, 15, padding=7, groups=2 * width),
                nn.BatchNorm1d(2 * width),
                nn.SiLU(),
                nn.Conv1d(2 * width, width, 1),
            )
            for _ in range(blocks)
        )

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


class Segmentation(nn.Module):
    """torchvision's segmentation networks return a dictionary."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x)["out"]


class TextEncoder(nn.Module):
    """A transformer in plain operations: not every version of PyTorch exports its own."""

    def __init__(self, width=256, heads=4, layers=4):
        super().__init__()
        self.heads = heads
        self.layers = nn.ModuleList(
            nn.ModuleDict({
                "norm": nn.LayerNorm(width),
                "qkv": nn.Linear(width, 3 * width),
                "out": nn.Linear(width, width),
                "norm2": nn.LayerNorm(width),
                "grow": nn.Linear(width, 4 * width),
                "shrink": nn.Linear(4 * width, width),
            })
            for _ in range(layers)
        )

    def forward(self, x):
        batch, tokens, width = x.shape
        for layer in self.layers:
            parts = layer["qkv"](layer["norm"](x)).reshape(batch, tokens, 3, self.heads, width // self.heads)
            q, k, v = parts.permute(2, 0, 3, 1, 4)
            weights = torch.softmax(q @ k.transpose(2, 3) * (width // self.heads) ** -0.5, -1)
            x = x + layer["out"]((weights @ v).transpose(1, 2).reshape(batch, tokens, width))
            x = x + layer["shrink"](nn.functional.gelu(layer["grow"](layer["norm2"](x))))
        return x


def picture(size, channels=3):
    return (1, channels, size, size)


# Networks and the shapes of their inputs: the usual sizes, or smaller ones if a run would take long.
NETWORKS = {
    "convnext_tiny": (models.convnext_tiny, picture(224)),
    "deeplabv3_mobilenet_v3": (
        lambda: Segmentation(models.segmentation.deeplabv3_mobilenet_v3_large(weights_backbone=None)),
        picture(256),
    ),
    "densenet121": (models.densenet121, picture(224)),
    "efficientnet_b0": (models.efficientnet_b0, picture(224)),
    "efficientnet_v2_s": (models.efficientnet_v2_s, picture(224)),
    "face_embedding": (FaceEmbedding, picture(112)),
    "googlenet": (lambda: models.googlenet(aux_logits=False, init_weights=False), picture(224)),
    "inception_v3": (lambda: models.inception_v3(aux_logits=False, init_weights=False), picture(299)),
    "lraspp_mobilenet_v3": (
        lambda: Segmentation(models.segmentation.lraspp_mobilenet_v3_large(weights_backbone=None)),
        picture(256),
    ),
    "mnasnet1_0": (models.mnasnet1_0, picture(224)),
    "mobilenet_v3_large": (models.mobilenet_v3_large, picture(224)),
    "mobilenet_v3_small": (models.mobilenet_v3_small, picture(224)),
    "regnet_x_800mf": (models.regnet_x_800mf, picture(224)),
    "regnet_y_400mf": (models.regnet_y_400mf, picture(224)),
    "resnet18": (models.resnet18, picture(224)),
    "resnext50": (models.resnext50_32x4d, picture(224)),
    "shufflenet_v2": (models.shufflenet_v2_x1_0, picture(224)),
    "sound": (Sound, (1, 128, 400)),
    "squeezenet1_1": (models.squeezenet1_1, picture(224)),
    "super_resolution": (SuperResolution, picture(96)),
    "swin_t": (models.swin_t, picture(224)),
    "text_encoder": (TextEncoder, (1, 128, 256)),
    "text_recognition": (TextRecognition, (1, 1, 32, 128)),
    "unet": (UNet, picture(128)),
    "vit_tiny": (
        lambda: models.VisionTransformer(
            image_size=224, patch_size=16, num_layers=12, num_heads=3, hidden_dim=192, mlp_dim=768
        ),
        picture(224),
    ),
}


def calibrated(network, shape):
    """Sets the statistics of batch norms to those of random inputs."""
    for module in network.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.momentum = None  # the mean of all inputs
        if isinstance(module, ops.StochasticDepth):
            module.p = 0.0  # otherwise the statistics lack the blocks that it drops
    network.train()
    with torch.no_grad():
        network(torch.randn(CALIBRATION, *shape[1:]))
    return network.eval()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(NETWORKS))
        return
    for name in arguments.names or NETWORKS:
        path = os.path.join(arguments.out, f"{name}.onnx")
        if os.path.exists(path):
            continue
        os.makedirs(arguments.out, exist_ok=True)
        torch.manual_seed(99)
        make, shape = NETWORKS[name]
        network = calibrated(make(), shape)
        with tempfile.TemporaryDirectory(dir=arguments.out) as folder:
            unfinished = os.path.join(folder, "model.onnx")
            torch.onnx.export(
                network,
                torch.randn(shape),
                unfinished,
                opset_version=14,
                input_names=["x"],
                output_names=["y"],
            )
            os.replace(unfinished, path)
        print(f"{name}.onnx", flush=True)


if __name__ == "__main__":
    main()
