# SPDX-License-Identifier: Apache-2.0
"""Networks of torchvision, scaled down, and others written out."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision.models import convnext, densenet, efficientnet, mobilenetv2, mobilenetv3, mnasnet
from torchvision.models import regnet, resnet, segmentation, shufflenetv2, squeezenet, swin_transformer, vgg
from torchvision.models import vision_transformer
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.detection.ssdlite import SSDLiteHead
from torchvision.models.googlenet import Inception
from torchvision.models.inception import InceptionA
from torchvision.ops import FeaturePyramidNetwork

CLASSES = 10


class NarrowResNet(resnet.ResNet):
    """torchvision's ResNet with an eighth of the channels behind the stem."""

    def __init__(self, block, layers, **options):
        super().__init__(block, layers, num_classes=CLASSES, **options)
        self.fc = nn.Linear(64 * block.expansion, CLASSES)

    def _make_layer(self, block, planes, *arguments, **options):
        return super()._make_layer(block, planes // 8, *arguments, **options)


def features(**layers):
    """A backbone that gives some of a ResNet's layers by name."""
    return IntermediateLayerGetter(NarrowResNet(resnet.BasicBlock, [1, 1, 1, 1]), return_layers=layers)


class Listed(nn.Module):
    """A module that gives a dictionary, which pnnx does not take: its values as a tuple."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return tuple(self.module(x).values())


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = features(layer2='0', layer3='1', layer4='2')
        self.pyramid = FeaturePyramidNetwork([16, 32, 64], 16)

    def forward(self, x):
        return self.pyramid(self.backbone(x))


class SsdLite(nn.Module):
    """Backbone and heads; boxes are decoded by the application."""

    def __init__(self):
        super().__init__()
        self.backbone = features(layer3='0', layer4='1')
        self.head = SSDLiteHead([32, 64], [4, 6], 5, nn.BatchNorm2d)

    def forward(self, x):
        return self.head(list(self.backbone(x).values()))


class ConvUnit(nn.Module):
    """Convolution, normalisation, SiLU: the unit of YOLO."""

    def __init__(self, inputs, outputs, kernel=1, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return F.silu(self.norm(self.conv(x)))


class Bottleneck(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = ConvUnit(channels, channels, 3), ConvUnit(channels, channels, 3)

    def forward(self, x):
        return x + self.second(self.first(x))


class SplitStage(nn.Module):
    """YOLOv8's C2f: halves, and each bottleneck's result, joined."""

    def __init__(self, inputs, outputs, count):
        super().__init__()
        self.first = ConvUnit(inputs, outputs)
        self.blocks = nn.ModuleList(Bottleneck(outputs // 2) for _ in range(count))
        self.last = ConvUnit((count + 2) * outputs // 2, outputs)

    def forward(self, x):
        parts = list(self.first(x).chunk(2, 1))
        for block in self.blocks:
            parts.append(block(parts[-1]))
        return self.last(torch.cat(parts, 1))


class PoolPyramid(nn.Module):
    """YOLO's SPPF: three poolings of one input, one after the other."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.last = ConvUnit(channels, channels // 2), ConvUnit(channels * 2, channels)
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        x = self.first(x)
        one = self.pool(x)
        two = self.pool(one)
        return self.last(torch.cat((x, one, two, self.pool(two)), 1))


class Yolo(nn.Module):
    """YOLOv8's blocks with its head: boxes as distributions over distances."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(ConvUnit(3, 8, 3, 2), ConvUnit(8, 16, 3, 2), SplitStage(16, 16, 1))
        self.down = nn.Sequential(ConvUnit(16, 32, 3, 2), SplitStage(32, 32, 2), PoolPyramid(32))
        self.merge = SplitStage(48, 16, 1)
        self.boxes, self.classes = nn.Conv2d(16, 4 * 8, 1), nn.Conv2d(16, 5, 1)
        self.distance = nn.Conv2d(8, 1, 1, bias=False)
        self.distance.weight.data[:] = torch.arange(8.0).view(1, 8, 1, 1)

    def forward(self, x):
        fine = self.stem(x)
        coarse = self.down(fine)
        merged = self.merge(torch.cat((F.interpolate(coarse, scale_factor=2.0), fine), 1))
        boxes, classes = self.boxes(merged).flatten(2), self.classes(merged).flatten(2)
        spread = boxes.view(-1, 4, 8, boxes.shape[2]).transpose(2, 1).softmax(1)
        return torch.cat((self.distance(spread).view(-1, 4, boxes.shape[2]), classes.sigmoid()), 1)


class CrossStage(nn.Module):
    """YOLOv5's C3."""

    def __init__(self, channels):
        super().__init__()
        self.left, self.right = ConvUnit(channels, channels // 2), ConvUnit(channels, channels // 2)
        self.blocks = nn.Sequential(Bottleneck(channels // 2), Bottleneck(channels // 2))
        self.last = ConvUnit(channels, channels)

    def forward(self, x):
        return self.last(torch.cat((self.blocks(self.left(x)), self.right(x)), 1))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()

        def block(inputs, outputs):
            return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
                                 nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))

        self.down = nn.ModuleList((block(3, 8), block(8, 16), block(16, 32)))
        self.up = nn.ModuleList((nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)))
        self.merge = nn.ModuleList((block(32, 16), block(16, 8)))
        self.last = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        skipped = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else F.max_pool2d(x, 2))
            skipped.append(x)
        for up, merge, skip in zip(self.up, self.merge, (skipped[1], skipped[0])):
            x = merge(torch.cat((up(x), skip), 1))
        return torch.sigmoid(self.last(x))


class Generator(nn.Module):
    """Images from noise, as in a GAN."""

    def __init__(self):
        super().__init__()
        self.start = nn.Linear(12, 16 * 4 * 4)
        self.grow = nn.Sequential(
            nn.ConvTranspose2d(16, 16, 4, 2, 1), nn.InstanceNorm2d(16, affine=True), nn.LeakyReLU(0.2),
            nn.ReflectionPad2d(1), nn.Conv2d(16, 32, 3), nn.PixelShuffle(2), nn.PReLU(8),
            nn.Upsample(scale_factor=2, mode='bilinear', align_corners=False), nn.Conv2d(8, 3, 3, padding=1), nn.Tanh())

    def forward(self, x):
        return self.grow(self.start(x).view(-1, 16, 4, 4))


class Tagger(nn.Module):
    """Words to tags by recurrent layers."""

    def __init__(self, kind):
        super().__init__()
        self.table = nn.Embedding(40, 12)
        self.layers = kind(12, 10, 2, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(20, 7)

    def forward(self, words):
        return F.log_softmax(self.tags(self.layers(self.table(words))[0]), -1)


class Encoder(nn.Module):
    """A transformer's encoder with its attention written out."""

    class Layer(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.parts, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

        def forward(self, x):
            n, t, width = x.shape
            parts = self.parts(self.first(x)).reshape(n, t, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
            q, k, v = parts[0], parts[1], parts[2]
            scores = torch.softmax(q @ k.transpose(-2, -1) * (width // self.heads) ** -0.5, -1)
            x = x + self.join((scores @ v).transpose(1, 2).reshape(n, t, width))
            return x + self.narrow(F.gelu(self.wide(self.second(x))))

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 16)
        self.positions = nn.Parameter(torch.rand(1, 11, 16) - 0.5)
        self.layers = nn.Sequential(self.Layer(16, 4), self.Layer(16, 4))

    def forward(self, words):
        return self.layers(self.table(words) + self.positions).mean(1)


class Heads(nn.Module):
    """What attention layers of language models share: projections, split into heads."""

    def __init__(self, width=16, heads=4, shared=4):
        super().__init__()
        self.heads, self.shared, self.size = heads, shared, width // heads
        self.q, self.k = nn.Linear(width, width), nn.Linear(width, shared * self.size)
        self.v, self.out = nn.Linear(width, shared * self.size), nn.Linear(width, width)

    def split(self, x, heads):
        return x.view(x.size(0), x.size(1), heads, self.size).transpose(1, 2)

    def project(self, x):
        return self.split(self.q(x), self.heads), self.split(self.k(x), self.shared), self.split(self.v(x), self.shared)

    def join(self, scores, v):
        mixed = torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2).contiguous()
        return self.out(mixed.view(mixed.size(0), mixed.size(1), -1))


class CausalAttention(Heads):
    """GPT-2: positions see those before them."""

    def forward(self, x):
        q, k, v = self.project(x)
        scores = torch.matmul(q, k.transpose(-1, -2)) / self.size ** 0.5
        seen = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
        return self.join(torch.where(seen, scores, torch.full([], torch.finfo(torch.float32).min)), v)


class RotaryAttention(Heads):
    """Llama, Qwen 2 and 3: rotated positions, normalised heads, keys that two heads share."""

    def __init__(self):
        super().__init__(shared=2)
        self.weight = nn.Parameter(torch.rand(self.size))
        self.register_buffer('frequencies', 1 / 100 ** (torch.arange(0, self.size, 2) / self.size))

    def normalize(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    def rotate(self, x, cos, sin):
        first, second = x[..., :self.size // 2], x[..., self.size // 2:]
        return x * cos + torch.cat((-second, first), -1) * sin

    def forward(self, x):
        q, k, v = self.project(x)
        angles = torch.outer(torch.arange(x.size(1), dtype=torch.float32), self.frequencies)
        angles = torch.cat((angles, angles), -1)
        q, k = (self.rotate(self.normalize(part), angles.cos(), angles.sin()) for part in (q, k))
        n, shared, length, size = k.shape
        k, v = (part[:, :, None].expand(n, shared, 2, length, size).reshape(n, shared * 2, length, size) for part in (k, v))
        return self.join(torch.matmul(q, k.transpose(2, 3)) * self.size ** -0.5, v)


class BucketAttention(Heads):
    """T5: a bias by the distance of positions, looked up in a table."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(8, self.heads)

    def forward(self, x):
        q, k, v = self.project(x)
        positions = torch.arange(x.size(1))
        distances = positions[None, :] - positions[:, None]
        far = 2 + (torch.log(distances.abs().float() / 2 + 1e-6) / 1.4 * 2).to(torch.long)
        buckets = (distances > 0).to(torch.long) * 4 + torch.where(distances.abs() < 2, distances.abs(), far.clamp(max=3))
        return self.join(torch.matmul(q, k.transpose(3, 2)) + self.table(buckets).permute(2, 0, 1).unsqueeze(0), v)


class DisentangledAttention(Heads):
    """DeBERTa: scores of contents and of relative positions, gathered."""

    def __init__(self):
        super().__init__()
        self.places = nn.Parameter(torch.rand(8, 16) - 0.5)

    def forward(self, x):
        q, k, v = self.project(x)
        length = x.size(1)
        steps = torch.arange(length)
        relative = (steps[:, None] - steps[None, :] + 4).clamp(0, 7)
        places = self.split(self.k(self.places).unsqueeze(0), self.heads)
        content = torch.matmul(q, places.transpose(-1, -2))
        content = torch.gather(content, -1, relative.expand(x.size(0), self.heads, length, length))
        return self.join((torch.matmul(q, k.transpose(-1, -2)) + content) / (2 * self.size) ** 0.5, v)


class ShiftedAttention(Heads):
    """XLNet: scores of relative positions, shifted by one row each, as an einsum."""

    def __init__(self):
        super().__init__()
        self.places = nn.Parameter(torch.rand(18, 4, 4) - 0.5)

    def forward(self, x):
        q, k, v = self.project(x)
        n, heads, length, _ = q.shape
        by_place = torch.einsum('bnid,jnd->bnij', q, self.places)
        shifted = by_place.reshape(n, heads, 18, length)[:, :, 1:].reshape(n, heads, length, 17)
        shifted = torch.index_select(shifted, 3, torch.arange(length))
        return self.join((torch.einsum('bnid,bnjd->bnij', q, k) + shifted) / self.size ** 0.5, v)


class ConvolvedAttention(Heads):
    """SqueezeBERT: projections as grouped convolutions of channels first; a mask of padding that is added."""

    def __init__(self):
        super().__init__()
        self.mix = nn.ModuleList(nn.Conv1d(16, 16, 1, groups=4) for _ in range(3))

    def forward(self, x, hidden):
        q, k, v = (conv(x.permute(0, 2, 1)).view(x.size(0), self.heads, self.size, x.size(1)) for conv in self.mix)
        scores = torch.matmul(q.permute(0, 1, 3, 2), k) / self.size ** 0.5 - hidden[:, None, None, :] * 1000
        return self.join(scores, v.permute(0, 1, 3, 2))


class GridHead(nn.Module):
    """Anchor points as Ultralytics makes them: centres of the cells of two feature maps, with their strides."""

    def __init__(self):
        super().__init__()
        self.maps = nn.ModuleList((nn.Conv2d(3, 6, 8, 8), nn.Conv2d(3, 6, 16, 16)))

    def forward(self, x):
        maps = [conv(x) for conv in self.maps]
        points, strides = [], []
        for part, stride in zip(maps, (8, 16)):
            height, width = part.shape[2:]
            columns = torch.arange(width).type_as(part) + 0.5
            rows = torch.arange(height).type_as(part) + 0.5
            rows, columns = torch.meshgrid(rows, columns, indexing='ij')
            points.append(torch.stack((columns, rows), -1).view(-1, 2))
            strides.append(torch.full((height * width, 1), stride, dtype=part.dtype))
        points, strides = torch.cat(points).transpose(0, 1), torch.cat(strides).transpose(0, 1)
        boxes, classes = torch.cat([part.flatten(2) for part in maps], 2).split((4, 2), 1)
        before, after = boxes.chunk(2, 1)
        corners = torch.cat((points.unsqueeze(0) - before, points.unsqueeze(0) + after), 1)
        return torch.cat((corners * strides, classes.sigmoid()), 1)


class CentreNet(nn.Module):
    """Peaks of a heat map with their classes, places and sizes."""

    def __init__(self):
        super().__init__()
        self.stem, self.heat, self.size = nn.Conv2d(3, 16, 3, 2, 1), nn.Conv2d(16, 4, 1), nn.Conv2d(16, 2, 1)

    def forward(self, x):
        x = F.silu(self.stem(x))
        heat = self.heat(x).sigmoid()
        heat = heat * (F.max_pool2d(heat, 3, 1, 1) == heat).float()
        n, _, height, width = heat.shape
        values, indices = torch.topk(heat.view(n, -1), 5)
        classes = torch.div(indices, height * width, rounding_mode='floor')
        places = indices % (height * width)
        sizes = self.size(x).view(n, 2, -1).permute(0, 2, 1).gather(1, places.unsqueeze(2).expand(-1, -1, 2))
        return values, classes.float(), (places % width).float(), sizes


class SpatialTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.locate = nn.Sequential(nn.Conv2d(3, 8, 7, 2), nn.MaxPool2d(2), nn.ReLU(), nn.AdaptiveAvgPool2d(3), nn.Flatten(), nn.Linear(72, 6))
        self.last = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        theta = self.locate(x).view(-1, 2, 3) * 0.1 + torch.tensor([[1.0, 0, 0], [0, 1, 0]])
        return self.last(F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False), align_corners=False))


class Cells(nn.Module):
    """Recurrent cells, step by step."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LSTMCell(6, 8), nn.GRUCell(8, 8)

    def forward(self, x):
        hidden, cell, other = (x.new_zeros(x.size(0), 8) for _ in range(3))
        steps = []
        for i in range(3):
            hidden, cell = self.first(x[:, i], (hidden, cell))
            other = self.second(hidden, other)
            steps.append(other)
        return torch.stack(steps, 1)


class Experts(nn.Module):
    """A mixture of experts: the two best of four, by a scatter of their weights."""

    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Linear(16, 4), nn.ModuleList(nn.Linear(16, 16) for _ in range(4))

    def forward(self, x):
        values, indices = self.gate(x).topk(2, dim=-1)
        weights = torch.zeros(x.size(0), x.size(1), 4).scatter(2, indices, F.softmax(values, -1))
        return (torch.stack([expert(x) for expert in self.experts], -1) * weights.unsqueeze(2)).sum(-1)


class UpAndPad(nn.Module):
    """The step of a U-Net that pads to the size of the skipped features."""

    def __init__(self):
        super().__init__()
        self.down, self.deep, self.last = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(16, 4, 1)

    def forward(self, x):
        skipped = F.relu(self.down(x))
        deep = F.interpolate(F.relu(self.deep(F.max_pool2d(skipped, 2))), scale_factor=2.0, mode='bilinear', align_corners=False)
        rows, columns = skipped.size(2) - deep.size(2), skipped.size(3) - deep.size(3)
        deep = F.pad(deep, [columns // 2, columns - columns // 2, rows // 2, rows - rows // 2])
        return self.last(torch.cat((skipped, deep), 1))


def cases():
    """Yields (name, module, shapes of the inputs, options)."""
    image, large = (1, 3, 32, 32), (1, 3, 32, 48)
    sizes = {'second': [(3, 3, 48, 32)]}

    yield 'resnet', NarrowResNet(resnet.BasicBlock, [1, 1, 1, 1]), (large,), sizes
    yield 'resnext', NarrowResNet(resnet.Bottleneck, [1, 1, 1, 1], groups=4, width_per_group=32), (large,), sizes
    yield 'mobilenet_v2', mobilenetv2.MobileNetV2(CLASSES, width_mult=0.125, inverted_residual_setting=[
        [1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 2, 2], [6, 64, 1, 2]]), (large,), sizes

    def bneck(*values):
        return mobilenetv3.InvertedResidualConfig(*values, 1, 0.5)
    yield 'mobilenet_v3', mobilenetv3.MobileNetV3(
        [bneck(16, 3, 16, 16, True, 'RE', 2), bneck(16, 3, 72, 24, False, 'RE', 2), bneck(24, 5, 96, 40, True, 'HS', 2)],
        last_channel=64, num_classes=CLASSES), (large,), sizes
    yield 'mnasnet', nn.Sequential(*list(mnasnet.MNASNet(0.1, CLASSES).layers.children())[:12]), (large,), sizes
    yield 'efficientnet', efficientnet.EfficientNet(
        [efficientnet.MBConvConfig(1, 3, 1, 16, 8, 1, 1.0, 1.0), efficientnet.FusedMBConvConfig(2, 3, 2, 8, 16, 2),
         efficientnet.MBConvConfig(4, 5, 2, 16, 24, 2, 1.0, 1.0)], 0.2, num_classes=CLASSES, last_channel=64), (large,), sizes
    yield 'convnext', convnext.ConvNeXt([convnext.CNBlockConfig(16, 32, 1), convnext.CNBlockConfig(32, 48, 2),
                                         convnext.CNBlockConfig(48, None, 1)], num_classes=CLASSES), (large,), sizes
    yield 'vit', vision_transformer.VisionTransformer(32, 8, 2, 4, 32, 64, num_classes=CLASSES), ((1, 3, 32, 32),), {}
    yield 'swin', swin_transformer.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=CLASSES), (image,), {'static': True}
    # pnnx fails to leave the batch of Swin open.
    yield 'swin_batch', swin_transformer.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=CLASSES), ((3, 3, 32, 32),), {'static': True}
    yield 'shufflenet', shufflenetv2.ShuffleNetV2([2, 2, 2], [8, 16, 32, 64, 64], CLASSES), (large,), sizes
    yield 'regnet', regnet.RegNet(regnet.BlockParams.from_init_params(4, 16, 8.0, 2.0, 8, 0.25), CLASSES, stem_width=16), (large,), sizes
    yield 'densenet', densenet.DenseNet(8, (2, 3), 16, 2, num_classes=CLASSES), (large,), sizes
    yield 'inception', nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), Inception(16, 8, 8, 12, 4, 8, 8), nn.MaxPool2d(3, 2),
                                     InceptionA(36, 8)), (large,), sizes
    yield 'squeezenet', nn.Sequential(nn.Conv2d(3, 16, 3, 2), squeezenet.Fire(16, 8, 16, 16), nn.MaxPool2d(3, 2, ceil_mode=True),
                                      squeezenet.Fire(32, 8, 32, 32)), (large,), sizes
    yield 'vgg', nn.Sequential(vgg.make_layers([8, 'M', 16, 16, 'M', 32, 'M'], True), nn.AdaptiveAvgPool2d((4, 4)),
                               nn.Flatten(), nn.Linear(512, CLASSES)), (large,), sizes
    yield 'fcn', Listed(segmentation.fcn.FCN(features(layer4='out'), segmentation.fcn.FCNHead(64, 5))), (large,), sizes
    yield 'deeplab', Listed(segmentation.deeplabv3.DeepLabV3(
        features(layer4='out'), nn.Sequential(segmentation.deeplabv3.ASPP(64, [2, 3], 16), nn.Conv2d(16, 5, 1)))), (large,), sizes
    yield 'lraspp', Listed(segmentation.lraspp.LRASPP(features(layer2='low', layer4='high'), 16, 64, 5, 24)), (large,), sizes
    yield 'fpn', Listed(Pyramid()), (large,), sizes
    yield 'ssdlite', Listed(SsdLite()), (large,), sizes
    yield 'yolo_v8', Yolo(), (large,), sizes
    yield 'yolo_v5', nn.Sequential(ConvUnit(3, 8, 6, 2), ConvUnit(8, 16, 3, 2), CrossStage(16), PoolPyramid(16)), (large,), sizes
    yield 'unet', UNet(), (large,), sizes
    yield 'generator', Generator(), ((1, 12),), {}
    yield 'tagger_lstm', Tagger(nn.LSTM), ((1, 9),), {'integers': 40, 'second': [(3, 14)]}
    yield 'tagger_gru', Tagger(nn.GRU), ((1, 9),), {'integers': 40, 'second': [(3, 14)]}
    yield 'encoder', Encoder(), ((1, 11),), {'integers': 50}
    yield 'encoder_torch', nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2,
                                                 enable_nested_tensor=False), ((1, 9, 16),), {'second': [(3, 14, 16)]}
    rows = ((1, 9, 16),)
    for name, attention in (('causal', CausalAttention()), ('rotary', RotaryAttention()), ('bucket', BucketAttention()),
                            ('disentangled', DisentangledAttention()), ('shifted', ShiftedAttention())):
        yield 'attention_' + name, attention, rows, {}
    yield 'attention_convolved', ConvolvedAttention(), ((1, 9, 16), (1, 9)), {}
    yield 'grid_head', GridHead(), (large,), {}
    yield 'centre_net', CentreNet(), (large,), {}
    yield 'spatial_transformer', SpatialTransformer(), (large,), sizes
    yield 'cells', Cells(), ((1, 3, 6),), {}
    yield 'experts', Experts(), rows, {'second': [(3, 12, 16)]}
    yield 'up_and_pad', UpAndPad(), ((1, 3, 33, 31),), {'second': [(3, 3, 40, 27)]}
