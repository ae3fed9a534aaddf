# SPDX-License-Identifier: Apache-2.0
"""Small modules that pnnx exports to one operator type, or a few."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision


class Call(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class Weighted(nn.Module):
    """A function of tensors and of one constant tensor."""

    def __init__(self, function, *shape):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.rand(*shape) - 0.5)

    def forward(self, *inputs):
        return self.function(*inputs, self.weight)


IMAGE = (1, 8, 6, 4)
SEQUENCE = (1, 8, 12)
VOLUME = (1, 4, 3, 4, 5)
ROWS = (1, 6, 16)


def cases():
    """Yields (name, module or function, shapes of the inputs, options)."""
    def case(name, function, *shapes, **options):
        module = function if isinstance(function, nn.Module) else Call(function)
        return name, module, shapes or (IMAGE,), options

    # Activations: as modules and as functions.
    for name, arguments in (
            ('CELU', (1.3,)), ('ELU', (0.7,)), ('GELU', ()), ('Hardshrink', (0.3,)), ('Hardsigmoid', ()), ('Hardswish', ()),
            ('Hardtanh', (-0.4, 0.7)), ('LeakyReLU', (0.2,)), ('LogSigmoid', ()), ('LogSoftmax', (1,)), ('Mish', ()),
            ('ReLU', ()), ('ReLU6', ()), ('SELU', ()), ('SiLU', ()), ('Sigmoid', ()), ('Softmax', (1,)), ('Softmax2d', ()),
            ('Softmin', (2,)), ('Softplus', (1.5, 3.0)), ('Softshrink', (0.2,)), ('Softsign', ()), ('Tanh', ()),
            ('Tanhshrink', ()), ('Threshold', (0.1, 0.5)), ('PReLU', (8,)), ('RReLU', ())):
        yield case('nn_' + name, getattr(nn, name)(*arguments))
    yield case('nn_GELU_tanh', nn.GELU(approximate='tanh'))
    yield case('nn_GLU', nn.GLU(1))
    for name, arguments in (
            ('celu', (1.3,)), ('elu', (0.7,)), ('gelu', ()), ('hardshrink', (0.3,)), ('hardsigmoid', ()), ('hardswish', ()),
            ('hardtanh', (-0.4, 0.7)), ('leaky_relu', (0.2,)), ('logsigmoid', ()), ('mish', ()), ('relu', ()), ('relu6', ()),
            ('selu', ()), ('silu', ()), ('softplus', (1.5, 3.0)), ('softshrink', (0.2,)), ('softsign', ()),
            ('tanhshrink', ()), ('threshold', (0.1, 0.5)), ('rrelu', ()), ('glu', (1,))):
        yield case('F_' + name, lambda x, f=getattr(F, name), a=arguments: f(x, *a))
    for name in ('sigmoid', 'tanh'):
        yield case('F_' + name, lambda x, f=getattr(F, name): f(x))
    for name in ('softmax', 'log_softmax', 'softmin'):
        yield case('F_' + name, lambda x, f=getattr(F, name): f(x, dim=-1))
    yield case('F_prelu', Weighted(F.prelu, 8))

    # Convolutions.
    for d, shape in ((1, SEQUENCE), (2, (1, 8, 7, 6)), (3, (1, 8, 4, 5, 3))):
        conv, transposed = getattr(nn, 'Conv%dd' % d), getattr(nn, 'ConvTranspose%dd' % d)
        yield case('nn_Conv%dd' % d, nn.Sequential(
            conv(8, 12, 3, padding=1), conv(12, 12, 3, stride=2, padding=2, dilation=2, groups=4, bias=False),
            conv(12, 6, 1)), shape)
        yield case('nn_Conv%dd_same' % d, nn.Sequential(conv(8, 8, 3, padding='same', groups=8), conv(8, 4, 3, padding='valid')), shape)
        modes = ('reflect', 'replicate') if d < 3 else ('replicate',)
        for mode in modes:
            yield case('nn_Conv%dd_%s' % (d, mode), conv(8, 4, 3, padding=1, padding_mode=mode), shape)
        yield case('nn_ConvTranspose%dd' % d, nn.Sequential(
            transposed(8, 6, 3, stride=2, padding=1, output_padding=1), transposed(6, 4, 2, groups=2, bias=False)), shape)
        yield case('F_conv%dd' % d, Weighted(lambda x, w, f=getattr(F, 'conv%dd' % d): f(x, w, None, 2, 1), 4, 8, *[3] * d), shape)
        yield case('F_conv_transpose%dd' % d,
                   Weighted(lambda x, w, f=getattr(F, 'conv_transpose%dd' % d): f(x, w, None, 2, 1), 8, 4, *[3] * d), shape)

        # Pooling.
        yield case('nn_MaxPool%dd' % d, nn.Sequential(
            getattr(nn, 'MaxPool%dd' % d)(3, 1, 1), getattr(nn, 'MaxPool%dd' % d)(2, 2, ceil_mode=True)), shape)
        yield case('nn_AvgPool%dd' % d, nn.Sequential(
            getattr(nn, 'AvgPool%dd' % d)(3, 1, 1), getattr(nn, 'AvgPool%dd' % d)(3, 2, 1, count_include_pad=False),
            getattr(nn, 'AvgPool%dd' % d)(2, 2, ceil_mode=True)), shape)
        yield case('F_max_pool%dd' % d, lambda x, f=getattr(F, 'max_pool%dd' % d): f(x, 3, 2, 1), shape)
        yield case('F_avg_pool%dd' % d, lambda x, f=getattr(F, 'avg_pool%dd' % d): f(x, 3, 2, 1), shape)
        sizes = [3, 4, 2][:d]
        yield case('nn_AdaptiveAvgPool%dd' % d, getattr(nn, 'AdaptiveAvgPool%dd' % d)(tuple(sizes)), shape)
        yield case('nn_AdaptiveMaxPool%dd' % d, getattr(nn, 'AdaptiveMaxPool%dd' % d)(tuple(sizes)), shape)
        yield case('F_adaptive_avg_pool%dd' % d, lambda x, s=sizes, f=getattr(F, 'adaptive_avg_pool%dd' % d): f(x, s), shape)
        yield case('F_adaptive_max_pool%dd' % d, lambda x, s=sizes, f=getattr(F, 'adaptive_max_pool%dd' % d): f(x, s), shape)

        # Normalisation by channel.
        norm = getattr(nn, 'BatchNorm%dd' % d)(8)
        norm.running_mean.uniform_(-0.5, 0.5)
        norm.running_var.uniform_(0.5, 1.5)
        yield case('nn_BatchNorm%dd' % d, norm, shape)
        yield case('nn_InstanceNorm%dd' % d, nn.Sequential(
            getattr(nn, 'InstanceNorm%dd' % d)(8, affine=True), getattr(nn, 'InstanceNorm%dd' % d)(8)), shape)
        yield case('nn_Dropout%s' % (d if d == 1 else '%dd' % d), nn.Sequential(
            nn.Dropout() if d == 1 else getattr(nn, 'Dropout%dd' % d)(), nn.ReLU()), shape)
        if d < 3:
            yield case('nn_ReflectionPad%dd' % d, getattr(nn, 'ReflectionPad%dd' % d)(2), shape)
            yield case('nn_LPPool%dd' % d, getattr(nn, 'LPPool%dd' % d)(2, 3, 2), shape, positive=True)
            yield case('F_lp_pool%dd' % d, lambda x, f=getattr(F, 'lp_pool%dd' % d): f(x, 2, 3, 2), shape, positive=True)
        yield case('nn_ReplicationPad%dd' % d, getattr(nn, 'ReplicationPad%dd' % d)(2), shape)
        yield case('nn_ConstantPad%dd' % d, getattr(nn, 'ConstantPad%dd' % d)(2, 0.5), shape)
    yield case('nn_ZeroPad2d', nn.ZeroPad2d((1, 2, 0, 3)))
    yield case('F_pad_constant', lambda x: F.pad(x, (1, 2, 3, 0), 'constant', 0.3))
    yield case('F_pad_reflect', lambda x: F.pad(x, (1, 2, 3, 0), 'reflect'))
    yield case('F_pad_replicate', lambda x: F.pad(x, (1, 2, 3, 0), 'replicate'))
    yield case('F_pad_crop', lambda x: F.pad(x, (-1, 2, 0, -2)))
    yield case('nn_AlphaDropout', nn.Sequential(nn.AlphaDropout(), nn.ReLU()))
    yield case('nn_AdaptiveAvgPool2d_keep', nn.AdaptiveAvgPool2d((None, 4)))

    # Normalisation.
    yield case('nn_GroupNorm', nn.GroupNorm(4, 8))
    yield case('nn_LayerNorm', nn.LayerNorm(16), ROWS)
    yield case('nn_LayerNorm_2', nn.LayerNorm((6, 16), elementwise_affine=False), ROWS)
    yield case('nn_LocalResponseNorm', nn.LocalResponseNorm(5, 0.01, 0.7, 1.5))
    yield case('F_local_response_norm', lambda x: F.local_response_norm(x, 3, 0.02, 0.6, 1.2))
    yield case('F_group_norm', Weighted(lambda x, w: F.group_norm(x, 2, w, w), 8))
    yield case('F_layer_norm', Weighted(lambda x, w: F.layer_norm(x, (16,), w, w), 16), ROWS)
    yield case('F_instance_norm', Weighted(lambda x, w: F.instance_norm(x, None, None, w, w), 8))
    yield case('F_batch_norm', Weighted(lambda x, w: F.batch_norm(x, w.detach(), w.detach() ** 2 + 0.5, w, w), 8))
    yield case('F_normalize', lambda x: F.normalize(x, p=2.0, dim=1, eps=1e-6))
    yield case('F_normalize_1', lambda x: F.normalize(x, p=1.0, dim=-1, eps=1e-6))
    yield case('F_pairwise_distance', lambda x, y: F.pairwise_distance(x, y), (1, 16), (1, 16))
    yield case('F_cosine_similarity', lambda x, y: F.cosine_similarity(x, y), ROWS, ROWS)

    # Resizing and rearranging.
    yield case('nn_Upsample_nearest', nn.Upsample(scale_factor=2))
    yield case('nn_Upsample_bilinear', nn.Upsample(scale_factor=(1.5, 2), mode='bilinear'))
    yield case('nn_Upsample_corners', nn.Upsample(size=(9, 7), mode='bilinear', align_corners=True))
    yield case('nn_Upsample_bicubic', nn.Upsample(size=(9, 7), mode='bicubic'))
    yield case('nn_Upsample_linear', nn.Upsample(scale_factor=2, mode='linear'), SEQUENCE)
    yield case('nn_Upsample_trilinear', nn.Upsample(scale_factor=2, mode='trilinear'), VOLUME)
    yield case('nn_UpsamplingNearest2d', nn.UpsamplingNearest2d(scale_factor=3))
    yield case('nn_UpsamplingBilinear2d', nn.UpsamplingBilinear2d(size=(9, 7)))
    yield case('F_interpolate', lambda x: F.interpolate(x, size=(5, 9)))
    yield case('F_interpolate_area', lambda x: F.interpolate(x, size=(4, 5), mode='area'))
    yield case('F_upsample', lambda x: F.upsample(x, scale_factor=2, mode='bilinear'))
    yield case('F_upsample_bilinear', lambda x: F.upsample_bilinear(x, scale_factor=2))
    yield case('F_upsample_nearest', lambda x: F.upsample_nearest(x, scale_factor=2))
    yield case('nn_PixelShuffle', nn.PixelShuffle(2))
    yield case('nn_PixelUnshuffle', nn.PixelUnshuffle(2))
    yield case('F_pixel_shuffle', lambda x: F.pixel_shuffle(x, 2))
    yield case('F_pixel_unshuffle', lambda x: F.pixel_unshuffle(x, 2))
    yield case('nn_ChannelShuffle', nn.ChannelShuffle(4))
    yield case('nn_Unfold', nn.Unfold(3, stride=2))
    yield case('nn_Fold', nn.Fold((8, 9), (2, 3)), (1, 24, 49))
    yield case('F_unfold', lambda x: F.unfold(x, (3, 2), stride=2, padding=1))
    yield case('F_fold', lambda x: F.fold(x, (8, 9), (2, 3)), (1, 24, 49))
    yield case('F_grid_sample', lambda x, g: F.grid_sample(x, g, align_corners=False), IMAGE, (1, 5, 6, 2))
    yield case('F_grid_sample_corners', lambda x, g: F.grid_sample(x, g, mode='nearest', padding_mode='border', align_corners=True), IMAGE, (1, 5, 6, 2))
    yield case('F_affine_grid', lambda x: F.affine_grid(x, (1, 3, 6, 7), align_corners=False), (1, 2, 3), static=True)

    # Layers with weights.
    yield case('nn_Linear', nn.Sequential(nn.Linear(16, 8), nn.Linear(8, 5, bias=False)), ROWS)
    yield case('F_linear', Weighted(F.linear, 5, 16), ROWS)
    yield case('nn_Embedding', nn.Embedding(30, 7), (1, 9), integers=30)
    yield case('F_embedding', Weighted(F.embedding, 30, 7), (1, 9), integers=30)
    yield case('nn_LSTM', Call(nn.LSTM(16, 9, 2, batch_first=True)), ROWS)
    yield case('nn_LSTM_bidirectional', Call(nn.LSTM(16, 9, 2, bidirectional=True, bias=False)), (6, 1, 16), batch_axis=1)
    yield case('nn_LSTM_state', _State(nn.LSTM(16, 9, 1)),
               (6, 1, 16), (1, 1, 9), (1, 1, 9), batch_axis=1)
    yield case('nn_GRU', Call(nn.GRU(16, 9, 2, batch_first=True)), ROWS)
    yield case('nn_GRU_bidirectional', Call(nn.GRU(16, 9, 2, bidirectional=True, bias=False)), (6, 1, 16), batch_axis=1)
    yield case('nn_RNN', Call(nn.RNN(16, 9, 2, batch_first=True, bidirectional=True)), ROWS)
    yield case('nn_RNN_relu', Call(nn.RNN(16, 9, nonlinearity='relu', batch_first=True)), ROWS)
    yield case('nn_MultiheadAttention', _Attention(nn.MultiheadAttention(16, 4, batch_first=True)), ROWS)
    yield case('nn_MultiheadAttention_cross', _Attention(nn.MultiheadAttention(16, 4, kdim=12, vdim=10)),
               (6, 1, 16), (5, 1, 12), (5, 1, 10), batch_axis=1)

    # Elementwise functions, alone and in expressions.
    for name in ('abs', 'acos', 'asin', 'asinh', 'atan', 'atanh', 'ceil', 'cos', 'cosh', 'erf', 'exp', 'floor', 'neg',
                 'round', 'sign', 'sin', 'sinh', 'square', 'tan', 'tanh', 'trunc', 'sigmoid', 'relu'):
        yield case('torch_' + name, lambda x, f=getattr(torch, name): f(x) * 0.5)
    for name in ('log', 'log10', 'log2', 'reciprocal', 'rsqrt', 'sqrt'):
        yield case('torch_' + name, lambda x, f=getattr(torch, name): f(x) - 0.5, positive=True)
    yield case('torch_acosh', lambda x: torch.acosh(x + 1.5), positive=True)
    for name in ('maximum', 'minimum', 'atan2', 'fmod', 'remainder', 'floor_divide', 'max', 'min'):
        yield case('torch_%s_2' % name, lambda x, y, f=getattr(torch, name): f(x, y), ROWS, ROWS)
    yield case('expr_mixed', lambda x, y: (2 * x + y) / 12 - (x - 3) ** 2 * torch.sqrt(y * y + 1), ROWS, ROWS)
    yield case('expr_integers', lambda x, y: (x // 3) * 2 + (y % 4) - (x & 3) + (y | 1) + (x ^ y), (1, 9), (1, 9), integers=50)
    yield case('expr_shifts', lambda x, y: (x << 2) + (y >> 1), (1, 9), (1, 9), integers=50)
    yield case('expr_pow', lambda x, y: torch.pow(x, 3) + torch.pow(y, 0.5) + torch.pow(2.0, x), ROWS, ROWS, positive=True)
    yield case('expr_broadcast', lambda x, y: x * y + x.mean(1, keepdim=True), (1, 6, 16), (1, 1, 16))
    yield case('expr_size', lambda x: x.reshape(x.size(0), x.size(1) * 2, x.size(2) // 2, x.size(3)))
    for name in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
        yield case('torch_' + name, lambda x, y, f=getattr(torch, name): torch.where(f(x, y), x, y), ROWS, ROWS)
    yield case('torch_logical', lambda x, y: torch.where(torch.logical_and(x > 0, y > 0) | torch.logical_not(x > y), x, y), ROWS, ROWS)
    yield case('torch_logical_xor', lambda x, y: torch.where(torch.logical_xor(torch.logical_or(x > 0.3, y > 0.3), x > y), x, y), ROWS, ROWS)
    yield case('torch_clamp', lambda x: torch.clamp(x, -0.3, 0.4))
    yield case('torch_clamp_min', lambda x: torch.clamp(x, min=-0.3))
    yield case('torch_addcmul', lambda x, y: torch.addcmul(x, y, x, value=0.3), ROWS, ROWS)
    yield case('torch_lerp', lambda x, y: torch.lerp(x, y, 0.3), ROWS, ROWS)

    # Reductions.
    for name in ('sum', 'mean', 'amax', 'amin'):
        yield case('torch_%s_dims' % name, lambda x, f=getattr(torch, name): f(x, (2, 3)))
        yield case('torch_%s_keep' % name, lambda x, f=getattr(torch, name): f(x, (1,), keepdim=True))
    yield case('torch_prod', lambda x: torch.prod(x, 3))
    yield case('torch_sum_all', lambda x: torch.sum(x))
    yield case('torch_mean_all', lambda x: torch.mean(x))
    yield case('torch_max_dim', lambda x: torch.max(x, 1))
    yield case('torch_min_dim', lambda x: torch.min(x, 1))
    yield case('torch_max_all', lambda x: torch.max(x))
    yield case('torch_min_all', lambda x: torch.min(x))
    yield case('torch_argmax', lambda x: torch.argmax(x, 1))
    yield case('torch_argmin', lambda x: torch.argmin(x, 1, keepdim=True))
    yield case('torch_var', lambda x: torch.var(x, (2, 3), unbiased=True))
    yield case('torch_std', lambda x: torch.std(x, (1,), unbiased=False, keepdim=True))
    yield case('torch_norm', lambda x: torch.norm(x, 2, (1,)))
    yield case('torch_norm_fro', lambda x: torch.norm(x, 'fro', (2, 3)))
    yield case('torch_logsumexp', lambda x: torch.logsumexp(x, (1,)))
    yield case('torch_cumsum', lambda x: torch.cumsum(x, 2))
    yield case('torch_topk', lambda x: torch.topk(x, 3, 1))
    yield case('torch_any', lambda x: torch.where(torch.any(x > 0.9, 3, keepdim=True), x, -x))
    yield case('torch_all', lambda x: torch.where(torch.all(x > -0.9, 3, keepdim=True), x, -x))

    # Shapes.
    yield case('torch_flatten', lambda x: torch.flatten(x, 1, 2))
    yield case('torch_permute', lambda x: torch.permute(x, (0, 2, 3, 1)) * 2)
    yield case('Tensor_permute', lambda x: x.permute(0, 2, 3, 1))
    yield case('torch_transpose', lambda x: torch.transpose(x, 1, 3))
    yield case('torch_t', lambda x: torch.t(x), (6, 9), static=True)
    yield case('torch_squeeze', lambda x: torch.squeeze(x, 1) + 1, (1, 1, 6, 5))
    yield case('torch_unsqueeze', lambda x: torch.unsqueeze(x, 1))
    yield case('torch_stack', lambda x, y: torch.stack((x, y), 1), ROWS, ROWS)
    yield case('torch_cat', lambda x, y: torch.cat((x, y), 1), ROWS, (1, 3, 16))
    yield case('torch_chunk', lambda x: torch.chunk(x, 3, 1))
    yield case('torch_split', lambda x: torch.split(x, 2, 1))
    yield case('torch_split_sizes', lambda x: torch.split(x, [3, 4, 1], 1))
    yield case('torch_tensor_split', lambda x: torch.tensor_split(x, 3, 1))
    yield case('torch_unbind', lambda x: torch.unbind(x, 1), (1, 3, 7))
    yield case('torch_roll', lambda x: torch.roll(x, (2, -3), (2, 3)))
    yield case('torch_flip', lambda x: torch.flip(x, (1, 3)))
    yield case('torch_repeat_interleave', lambda x: torch.repeat_interleave(x, 3, 1))
    yield case('torch_narrow', lambda x: torch.narrow(x, 1, 2, 4))
    yield case('torch_slice', lambda x: x[:, 1:7:2, :-2, 3:])
    yield case('Tensor_select', lambda x: x[:, 3] + x[:, -1])
    yield case('Tensor_expand', lambda x: x.expand(-1, 4, -1), (1, 1, 6))
    yield case('Tensor_expand_as', lambda x, y: x.expand_as(y), (1, 1, 6), (1, 5, 6))
    yield case('Tensor_repeat', lambda x: x.repeat(1, 2, 1, 3))
    yield case('torch_tile', lambda x: torch.tile(x, (1, 2, 3)))
    yield case('Tensor_reshape', lambda x: x.reshape(-1, 4, 2, 6, 4))
    yield case('Tensor_reshape_as', lambda x, y: x.reshape_as(y), (1, 6, 16), (1, 8, 12))
    yield case('Tensor_view', lambda x: x.view(-1, 8 * 6, 4))
    yield case('Tensor_unflatten', lambda x: x.unflatten(1, (2, 4)))
    yield case('Tensor_contiguous', lambda x: x.permute(0, 2, 1).contiguous().view(-1, 96), ROWS)
    yield case('Tensor_to', lambda x: x.to(torch.int32).to(torch.float32) + x)
    yield case('Tensor_type_as', lambda x, y: x.to(torch.int64).type_as(y) + y, ROWS, ROWS)
    yield case('Tensor_masked_fill', lambda x, y: x.masked_fill(y > 0, -3.0), ROWS, ROWS)
    yield case('Tensor_fill', lambda x: torch.cat((x, x.new_zeros(x.shape), x.new_ones(x.shape), x.new_full(x.shape, 2.5)), 1))
    yield case('torch_full', lambda x: x + torch.full((8, 1, 1), 2.0) + torch.zeros(8, 1, 1) + torch.ones(1, 6, 1))
    yield case('torch_like', lambda x: x + torch.zeros_like(x) - torch.ones_like(x) * torch.full_like(x, 0.3))
    yield case('torch_arange', lambda x: x + torch.arange(0, x.size(3)).to(torch.float32))
    yield case('torch_gather', lambda x, y: torch.gather(x, 1, (y.abs() * 5).to(torch.int64)), (1, 6, 16), (1, 4, 16))
    yield case('torch_index_select', Call(lambda x: torch.index_select(x, 1, torch.tensor([3, 0, 5]))))
    yield case('Tensor_index', Call(lambda x: x[:, torch.tensor([1, 1, 4, 0])]))
    yield case('torch_scatter_add', lambda x, y: torch.scatter_add(x, 1, torch.zeros(1, 4, 16, dtype=torch.int64), y),
               (1, 6, 16), (1, 4, 16), static=True)
    yield case('torch_tril', lambda x: torch.tril(x) + torch.triu(x, 1) * 2, (1, 6, 6))

    # Matrices.
    yield case('torch_matmul', lambda x, y: torch.matmul(x, y), (1, 6, 16), (1, 16, 5))
    yield case('torch_bmm', lambda x, y: torch.bmm(x, y), (1, 6, 16), (1, 16, 5))
    yield case('torch_mm', lambda x, y: torch.mm(x, y), (6, 16), (16, 5), static=True)
    yield case('torch_mv', lambda x, y: torch.mv(x, y), (6, 16), (16,), static=True)
    yield case('torch_addmm', lambda z, x, y: torch.addmm(z, x, y, beta=0.5, alpha=2.0), (6, 5), (6, 16), (16, 5), static=True)
    yield case('torch_baddbmm', lambda z, x, y: torch.baddbmm(z, x, y, beta=0.5, alpha=2.0), (1, 6, 5), (1, 6, 16), (1, 16, 5))
    yield case('torch_einsum', lambda x, y: torch.einsum('bij,bkj->bik', x, y), (1, 6, 16), (1, 5, 16))
    yield case('torch_outer', lambda x, y: torch.outer(x, y), (6,), (5,), static=True)

    # Weights that are inputs.
    for d, shape in ((1, (1, 8, 7)), (2, (1, 8, 7, 6)), (3, (1, 8, 4, 5, 3))):
        conv, transposed = getattr(F, 'conv%dd' % d), getattr(F, 'conv_transpose%dd' % d)
        yield case('F_conv%dd_input' % d, lambda x, w, b, f=conv: f(x, w, b, 2, 1), shape, (4, 8, *[3] * d), (4,), static=True)
        yield case('F_conv%dd_grouped_input' % d, lambda x, w, b, f=conv: f(x, w, None, 1, 0, 1, 2), shape, (4, 4, *[2] * d), (4,), static=True)
        yield case('F_conv_transpose%dd_input' % d, lambda x, w, b, f=transposed: f(x, w, b, 2, 1), shape, (8, 4, *[3] * d), (4,), static=True)
    yield case('F_linear_input', lambda x, w, b: F.linear(x, w, b), (2, 5, 16), (7, 16), (7,), static=True)
    yield case('F_embedding_input', lambda w, i: F.embedding((i * 0 + 3).to(torch.int64), w), (9, 16), (4,), static=True)
    yield case('F_batch_norm_input', lambda x, w, b: F.batch_norm(x, w, b * b + 0.5, b, w), IMAGE, (8,), (8,), static=True)
    yield case('F_group_norm_input', lambda x, w, b: F.group_norm(x, 4, w, b), IMAGE, (8,), (8,), static=True)
    yield case('F_instance_norm_input', lambda x, w, b: F.instance_norm(x, None, None, w, b), IMAGE, (8,), (8,), static=True)
    yield case('F_layer_norm_input', lambda x, w, b: F.layer_norm(x, (4,), w[:4], b[:4]), IMAGE, (8,), (8,), static=True)
    yield case('F_prelu_input', lambda x, w, b: F.prelu(x, w), IMAGE, (8,), (8,), static=True)

    # Written in place, and chosen by masks.
    yield case('Tensor_fill', lambda x: torch.cat((x.clone().fill_(0.3), x), 1))
    yield case('Tensor_copy', _copied)
    yield case('Tensor_index_put', lambda x, y: x.clone().index_put([torch.tensor([4, 1])], y), (6, 5), (2, 5), static=True)
    yield case('Tensor_index_put_two', lambda x, y: x.clone().index_put(
        [torch.tensor([1, 0, 0]), torch.tensor([3, 2, 1])], y, accumulate=True), (6, 5), (3,), static=True)
    yield case('Tensor_index_put_mask', lambda x: x.clone().index_put([x > 0.2], torch.tensor(-1.0)), (6, 5), static=True)
    yield case('torch_masked_select', lambda x: torch.masked_select(x, x > 0.2), (6, 5), static=True)
    yield case('Tensor_index_mask', lambda x: x[x > 0.2], (6, 5), static=True)
    yield case('torch_slice_scatter', lambda x, y: torch.slice_scatter(x, y, 1, 1, 6, 2), (1, 8, 3), (1, 3, 3))
    yield case('torch_select_scatter', lambda x, y: torch.select_scatter(x, y, 1, 2), (1, 8, 3), (1, 3))

    # Products and others.
    yield case('torch_cross', lambda x, y: torch.cross(x, y, 1), (1, 3, 5), (1, 3, 5))
    yield case('torch_cumprod', lambda x: torch.cumprod(x, 2), ROWS)
    yield case('torch_diag', lambda x: torch.diag(x, 1), (6, 6), static=True)
    yield case('torch_diag_make', lambda x: torch.diag(x, -1), (5,), static=True)
    yield case('torch_positive', lambda x: torch.positive(x) * 2)
    yield case('torch_bitwise', lambda x, y: torch.bitwise_not(x) + torch.bitwise_left_shift(x, y % 4)
               + torch.bitwise_right_shift(y, 1), (1, 9), (1, 9), integers=50)
    yield case('torch_addcdiv', lambda x, y: torch.addcdiv(x, x, y * y + 1, value=0.5), ROWS, ROWS)
    yield case('torch_logaddexp', lambda x, y: torch.logaddexp(x, y) + torch.hypot(x, y), ROWS, ROWS)
    yield case('torch_sort', lambda x: torch.sort(x, 1, descending=True))
    yield case('torch_var_mean', lambda x: torch.std(x, 1) + torch.var(x, 1, unbiased=False))
    yield case('torch_linalg_norm', lambda x: torch.linalg.vector_norm(x, 3, (2, 3)))
    yield case('torch_dot', lambda x, y: torch.dot(x, y), (6,), (6,), static=True)
    yield case('torch_addmv', lambda z, x, y: torch.addmv(z, x, y), (6,), (6, 16), (16,), static=True)
    yield case('rms_norm', Weighted(lambda x, w: w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)), 16), ROWS)
    yield case('attention', lambda q, k, v: torch.softmax(q @ k.transpose(-2, -1) / 4, -1) @ v,
               (1, 2, 5, 16), (1, 2, 7, 16), (1, 2, 7, 16))
    yield case('F_multi_head_attention_mask', _Masked(nn.MultiheadAttention(16, 4, batch_first=True)), ROWS)
    yield case('nn_Flatten', nn.Sequential(nn.Unflatten(1, (2, 4)), nn.Flatten(2), nn.Identity()))

    # Complex numbers: made and taken apart, functions of them, moved elements.
    waves, spectra = (1, 6, 16), (1, 6, 8)
    yield case('torch_complex', lambda x, y: torch.complex(x, y) * 2, waves, waves)
    yield case('torch_real', lambda x: (torch.real(x), torch.imag(x)), spectra, complex=True)
    yield case('torch_view_as_complex', lambda x: torch.view_as_complex(x) + 3, (1, 5, 3, 2))
    yield case('torch_view_as_real', lambda x: torch.view_as_real(x) * 2, spectra, complex=True)
    yield case('complex_numbers', lambda x: (x + 3, x - 4j, x * (1.2 - 0.9j - (x + 3)), 3 - x, 2j / (x + 2)), spectra, complex=True)
    yield case('complex_functions', lambda x: (torch.exp(x), 1 / (x + 2), x / (x + 2j), x * x.abs(), -x, x ** 2, torch.sqrt(x), torch.log(x + 2)),
               spectra, complex=True)
    yield case('complex_real', lambda x: (x * x.real, x / (x.imag + 2), x + x.real, x.real - x), spectra, complex=True)
    yield case('complex_angle', lambda x: (torch.angle(x), torch.conj(x).resolve_conj() * 2, torch.abs(x)), spectra, complex=True)
    yield case('complex_polar', lambda x, y: torch.polar(x, y * 4), waves, waves)
    yield case('complex_shapes', lambda x: (
        x.reshape(x.size(0), 12, 4), x.view(-1, 48), x.permute(0, 2, 1), x[:, 1:3], torch.cat((x, x * 2), 1), x.unsqueeze(1),
        x.transpose(1, 2), x[:, 0], x.flatten(1), torch.stack((x, -x), 1), x.sum(1), x.mean(2), x.roll(2, 1), x.flip(2),
        x.repeat(1, 2, 1), x[:, :, None].expand(-1, -1, 3, -1)) + torch.chunk(x, 2, 1), spectra, complex=True)

    # Fourier transforms.
    for norm in ('backward', 'ortho', 'forward'):
        yield case('fft_' + norm, lambda x, n=norm: (
            torch.fft.fft(x, norm=n), torch.fft.fft2(x, s=(5, 9), norm=n), torch.fft.fftn(x, dim=(1, 2), norm=n),
            torch.fft.ifft(x, 9, 1, norm=n), torch.fft.ifft2(x, norm=n), torch.fft.ifftn(x, s=(4, 5), norm=n)), waves)
        yield case('rfft_' + norm, lambda x, n=norm: (
            torch.fft.rfft(x, norm=n), torch.fft.rfft(x, 11, 1, norm=n), torch.fft.rfft2(x, norm=n), torch.fft.rfftn(x, dim=(1, 2), norm=n),
            torch.fft.ihfft(x, norm=n), torch.fft.ihfft2(x, norm=n), torch.fft.ihfftn(x, s=(4, 7), dim=(1, 2), norm=n)), waves)
        yield case('irfft_' + norm, lambda x, n=norm: (
            torch.fft.irfft(x, norm=n), torch.fft.irfft(x, 7, 1, norm=n), torch.fft.irfft2(x, norm=n), torch.fft.irfftn(x, dim=(1, 2), norm=n),
            torch.fft.hfft(x, norm=n), torch.fft.hfft2(x, norm=n), torch.fft.hfftn(x, s=(4, 7), dim=(1, 2), norm=n),
            torch.fft.fft(x, norm=n), torch.fft.ifft2(x, norm=n)), spectra, complex=True)
    yield case('fft_of_real', lambda x: (torch.fft.irfft(x), torch.fft.hfft(x, 9), torch.fft.irfft(torch.fft.rfft(x) * 2)), waves)
    yield case('fft_all_axes', lambda x: (torch.fft.fftn(x), torch.fft.ifftn(x, norm='forward')), (2, 6, 8), static=True)

    # Spectra of frames.
    sound = (1, 256)
    hann, hamming = torch.hann_window(44), torch.hamming_window(64)
    yield case('torch_stft', lambda x: (
        torch.stft(x, 64, window=hann, win_length=44, normalized=True, return_complex=True),
        torch.stft(x, 64, 20, center=False, return_complex=True),
        torch.stft(x, 33, window=torch.hann_window(33), pad_mode='constant', onesided=False, return_complex=True),
        torch.stft(x, 64, onesided=False, return_complex=True).abs().pow(2)), sound)
    yield case('torch_stft_row', lambda x: torch.stft(x, 64, return_complex=True), (256,), static=True)
    yield case('torch_istft', lambda x: (
        torch.istft(x, 64, window=hann, win_length=44, normalized=True), torch.istft(x, 64, 32, length=200),
        torch.istft(x, 64, center=False)), (1, 33, 12), complex=True)
    yield case('torch_istft_full', lambda x: (
        torch.istft(x, 64, center=False, onesided=False, return_complex=True),
        torch.istft(x, 64, window=hamming, onesided=False)), (1, 64, 12), complex=True)
    yield case('torch_istft_odd', lambda x: torch.istft(x, 33, 8, onesided=False, return_complex=True), (1, 33, 12), complex=True)
    yield case('stft_and_back', lambda x: torch.istft(
        torch.stft(x, 64, window=hamming, return_complex=True) * 0.5, 64, window=hamming), sound)
    for power in (None, 1.0, 2.0):
        yield case('spectrogram', _Spectrogram(power, power != 2), (1, 2, 256))
        yield case('inverse_spectrogram', _InverseSpectrogram(power == 1), (1, 33, 12), complex=True)

    yield case('torch_lgamma', lambda x: (torch.lgamma(x), torch.lgamma(x * 40), torch.lgamma(x * 3 - 2.5)))
    for bidirectional in (False, True):
        lstm = nn.LSTM(16, 9, 2, proj_size=5, batch_first=True, bidirectional=bidirectional)
        yield case('nn_LSTM_projected', Call(lstm), ROWS)
        yield case('nn_LSTM_projected_state', _State(nn.LSTM(16, 9, 1, proj_size=5, bidirectional=bidirectional)),
                   (6, 1, 16), (1 + bidirectional, 1, 5), (1 + bidirectional, 1, 9), batch_axis=1)
    yield case('nn_MultiheadAttention_padding', _Padded(nn.MultiheadAttention(16, 4, batch_first=True)), ROWS, (1, 6))

    # Several inputs and outputs.
    yield case('graph_outputs', lambda x, y: (x + y, x * y, (x - y).sum(1)), ROWS, ROWS)

    # torchvision.
    yield case('torchvision_RoIAlign', _Boxes(torchvision.ops.RoIAlign((3, 4), 0.5, 2)), static=True)
    yield case('torchvision_DeformConv2d', torchvision.ops.DeformConv2d(8, 4, 3, padding=1), IMAGE, (1, 18, 6, 4))

    # Sizes that scale factors give, in one to three dimensions.
    exact = 'nearest-exact'
    yield case('interpolate_1d', lambda x: (
        _grown(x, 'nearest', None, 1.5), _grown(x, 'linear', False, 1.2), _grown(x, 'linear', True, 0.8),
        F.interpolate(x, size=16, mode=exact), F.interpolate(x, scale_factor=3.0, mode=exact)), (1, 3, 10))
    yield case('interpolate_2d', lambda x: (
        _grown(x, 'nearest', None, 1.6, 2), _grown(x, 'bilinear', False, 2, 1.2), _grown(x, 'bilinear', True, 0.5, 0.4),
        _grown(x, 'bicubic', False, 0.8, 0.9), _grown(x, 'bicubic', True, 1.1, 0.5), F.interpolate(x, size=(11, 12), mode=exact),
        F.interpolate(x, scale_factor=(2.976744, 2.976744), recompute_scale_factor=False)), (1, 3, 10, 12))
    yield case('interpolate_3d', lambda x: (
        _grown(x, 'nearest', None, 1.5, 2.5, 2), _grown(x, 'trilinear', False, 0.7, 0.5, 1), _grown(x, 'trilinear', True, 0.9, 0.8, 1.2),
        F.interpolate(x, size=(3, 4, 2), mode='area')), (1, 3, 6, 8, 7))
    for corners in (False, True):
        yield case('F_affine_grid_3d', lambda x, c=corners: F.affine_grid(x, (2, 3, 4, 5, 6), align_corners=c), (2, 3, 4), static=True)
        for mode, padding in (('bilinear', 'zeros'), ('bilinear', 'border'), ('bilinear', 'reflection'), ('nearest', 'zeros'), ('nearest', 'reflection')):
            yield case('F_grid_sample_3d', lambda x, g, m=mode, p=padding, c=corners: F.grid_sample(x, g * 1.5, m, p, c),
                       (1, 2, 4, 5, 6), (1, 3, 4, 2, 3))
    yield case('Tensor_index_masks', lambda x: (
        x[[True, False], [False, False, True, False]], x[:, [True, False, True, True]], x[..., [1, 0]]), (2, 4, 5, 3), static=True)
    for mode in ('circular', 'replicate'):
        yield case('nn_Conv3d_' + mode, nn.Conv3d(4, 6, (3, 2, 3), padding=(2, 0, 1), padding_mode=mode), (1, 4, 6, 7, 5))
    yield case('torch_std_all', lambda x: (torch.std(x), torch.var(x, False)), (2, 3, 4), static=True)
    for first in (False, True):
        attention = nn.MultiheadAttention(16, 4, add_bias_kv=True, add_zero_attn=True, batch_first=first)
        nn.init.uniform_(attention.bias_k)
        nn.init.uniform_(attention.bias_v)
        yield case('nn_MultiheadAttention_added', _Attention(attention), (1, 7, 16) if first else (7, 1, 16), batch_axis=0 if first else 1)


def _grown(x, mode, corners, *scales):
    """Resized by scale factors that the rounded sizes replace."""
    return F.interpolate(x, scale_factor=scales, mode=mode, align_corners=corners, recompute_scale_factor=True)


def _copied(x):
    y = x.clone()
    y[:, 1:5] = x[:, 2:6] * 2
    y[:, :, ::2] += 1
    y[:, 0] = 0.5
    return y


class _Masked(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, x):
        hidden = torch.ones(6, 6).triu(1) > 0
        return self.attention(x, x, x, attn_mask=hidden, need_weights=False)[0]


class _State(nn.Module):
    def __init__(self, lstm):
        super().__init__()
        self.lstm = lstm

    def forward(self, x, h, c):
        return self.lstm(x, (h, c))


class _Padded(nn.Module):
    """Keys that a mask hides, one mask per element of the batch; at least one key stays."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, x, hidden):
        return self.attention(x, x, x, key_padding_mask=hidden > hidden.amin(1, keepdim=True) + 0.5, need_weights=False)[0]


class _Spectrogram(nn.Module):
    """torchaudio's Spectrogram, written out; pnnx finds it."""

    def __init__(self, power, normalized):
        super().__init__()
        self.power, self.normalized = power, normalized
        self.register_buffer('window', torch.hann_window(64))

    def forward(self, x):
        shape = x.size()
        spectra = torch.stft(x.reshape(-1, shape[-1]), 64, 32, 64, self.window, True, 'reflect', False, True, True)
        spectra = spectra.reshape(shape[:-1] + spectra.shape[-2:])
        if self.normalized:
            spectra = spectra / self.window.pow(2.0).sum().sqrt()
        if self.power is None:
            return spectra
        return spectra.abs() if self.power == 1 else spectra.abs().pow(self.power)


class _InverseSpectrogram(nn.Module):
    """torchaudio's InverseSpectrogram, written out."""

    def __init__(self, normalized):
        super().__init__()
        self.normalized = normalized
        self.register_buffer('window', torch.hamming_window(64))

    def forward(self, x):
        if self.normalized:
            x = x * self.window.pow(2.0).sum().sqrt()
        shape = x.size()
        sound = torch.istft(x.reshape(-1, shape[-2], shape[-1]), 64, 32, 64, self.window, True, False, True, None, False)
        return sound.reshape(shape[:-2] + sound.shape[-1:])


class _Attention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, x, k=None, v=None):
        return self.attention(x, x if k is None else k, x if v is None else v, need_weights=k is None)[0]


class _Boxes(nn.Module):
    def __init__(self, align):
        super().__init__()
        self.align = align
        self.boxes = nn.Parameter(torch.tensor([[0.0, 1.0, 2.0, 15.0, 17.0], [0.0, 0.0, 0.0, 9.0, 20.0]]))

    def forward(self, x):
        return self.align(x, self.boxes)
