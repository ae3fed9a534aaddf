# SPDX-License-Identifier: Apache-2.0
"""Calls of PyTorch's functions with each parameter off its default: at edge values, and computed from the shape.

table() yields (name, function, input set). A value of a parameter is a number, or a function of the size of the last axis, which the
exported network computes.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

INF, NAN = math.inf, math.nan


# Functions of the size n of the last axis. The first sets of inputs has 8 elements there, the second 6.
def count(n):
    return n


def few(n):
    return n - 4


def below(n):
    return 3 - n


def part(n):
    return n * 0.125


def inverse(n):
    return 1 / n


REAL = [0.3, 2.5, part, inverse]
NONNEGATIVE = [0, *REAL]
ANY = [0, -0.75, *REAL]
OFFSETS = [0, 1, -1, 2, -9, 9, few, below]

# Function, inputs, parameters with their values. Each value is tried alone.
NUMBERS = [
    ('celu', F.celu, 'edge', {'alpha': REAL}),
    ('elu', F.elu, 'edge', {'alpha': ANY}),
    ('hardshrink', F.hardshrink, 'edge', {'lambd': NONNEGATIVE}),
    ('softshrink', F.softshrink, 'edge', {'lambd': NONNEGATIVE}),
    ('hardtanh', F.hardtanh, 'edge', {'min_val': [-0.5, 0, below], 'max_val': [0.5, 0, few]}),
    ('leaky_relu', F.leaky_relu, 'edge', {'negative_slope': ANY}),
    ('rrelu', F.rrelu, 'edge', {'lower': [0.01, inverse], 'upper': [0.9, part]}),
    ('softplus', F.softplus, 'edge', {'beta': REAL, 'threshold': [1, 30, few]}),
    ('glu', F.glu, 'plain', {'dim': [-1, 1]}),
    ('gelu', F.gelu, 'edge', {'approximate': ['none', 'tanh']}),
    ('softmax', F.softmax, 'rows', {'dim': [0, -1], 'dtype': [torch.float64]}),
    ('log_softmax', F.log_softmax, 'rows', {'dim': [0, -1], 'dtype': [torch.float64]}),
    ('softmin', lambda x, dim=1, dtype=None: F.softmin(x, dim, dtype=dtype), 'rows', {'dim': [0, -1], 'dtype': [torch.float64]}),
    ('clamp', torch.clamp, 'edge', {'min': [0.5, -1, few, NAN], 'max': [-0.5, 1, below]}),
    ('clamp_crossed', lambda x, low: torch.clamp(x, low, -1), 'edge', {'low': [1, few]}),
    ('clamp_integers', torch.clamp, 'integers', {'min': [0, 1, 0.5, few], 'max': [2, below]}),
    ('logit', torch.logit, 'unit', {'eps': [0.1, 1e-6, inverse]}),
    ('nan_to_num', torch.nan_to_num, 'edge', {'nan': [1.5, count], 'posinf': [7, count], 'neginf': [-7, below]}),
    ('xlogy_number', lambda x, number: torch.xlogy(number, x), 'edge', {'number': [0, 2.0, -1, part]}),
    ('xlogy_second', torch.xlogy, 'edge', {'other': [0, 2.0, NAN]}),
    ('xlog1py_number', lambda x, number: torch.special.xlog1py(number, x), 'edge', {'number': [0, 2.0, part]}),
    ('xlog1py', torch.special.xlog1py, 'edge', {'other': [0.0, 1e-9, NAN]}),
    ('float_power_number', lambda x, number: torch.float_power(number, x), 'unit', {'number': [0.1, 2, part]}),
    ('float_power', torch.float_power, 'edge', {'exponent': [0, 0.1, 2, -1]}),
    ('pow_number', lambda x, number: torch.pow(number, x), 'unit', {'number': [0.5, 2, part]}),
    ('pow', torch.pow, 'edge', {'exponent': [0, 0.5, 2, -1, 3, part]}),
    ('fmod', torch.fmod, 'plain', {'other': [0.7, -2, part]}),
    ('remainder', torch.remainder, 'plain', {'other': [0.7, -2, part]}),
    ('addcmul', lambda x, value: torch.addcmul(x, x, x + 1, value=value), 'plain', {'value': ANY}),
    ('addcdiv', lambda x, value: torch.addcdiv(x, x, x + 3, value=value), 'plain', {'value': ANY}),
    ('lerp', lambda x, weight: torch.lerp(x, x * 2, weight), 'plain', {'weight': [0, 0.3, part]}),
    ('isclose', lambda x, **k: torch.isclose(x, x * 1.01, **k), 'edge', {'rtol': [0.1, 0, part], 'atol': [1, inverse], 'equal_nan': [True]}),
    ('allclose', lambda x, **k: torch.isclose(x, x + 0.01, **k).all(), 'plain', {'rtol': [0.1, 0], 'atol': [1, inverse]}),
    ('threshold', lambda x, threshold=0.1, value=20: F.threshold(x, threshold, value), 'edge', {'threshold': [0, -1, inverse], 'value': [0, -3, count]}),
    ('masked_fill', lambda x, value: x.masked_fill(x > 0, value), 'plain', {'value': [0, NAN, INF, -INF, count]}),
    ('where_number', lambda x, value: torch.where(x > 0, x, value), 'plain', {'value': [0, NAN, -INF, part]}),
    ('where_first', lambda x, value: torch.where(x > 0, value, x), 'plain', {'value': [0, NAN, -INF, part]}),
    ('tril', torch.tril, 'plain', {'diagonal': OFFSETS}),
    ('triu', torch.triu, 'plain', {'diagonal': OFFSETS}),
    ('diag', torch.diag, 'plain', {'diagonal': OFFSETS}),
    ('diag_row', lambda x, diagonal: torch.diag(x[0], diagonal), 'plain', {'diagonal': [0, 1, -2, few]}),
    ('diagonal', torch.diagonal, 'plain', {'offset': OFFSETS}),
    ('diagonal_axes', lambda x, offset: torch.diagonal(x, offset, 2, 0), 'block', {'offset': [0, 1, -1, few]}),
    ('diag_embed', torch.diag_embed, 'plain', {'offset': [0, 1, -1, few], 'dim1': [0, 1]}),
    ('diagflat', torch.diagflat, 'plain', {'offset': [0, 2, -1, few]}),
    ('diagonal_scatter', lambda x, offset: torch.diagonal_scatter(x, torch.zeros(1), offset), 'plain', {'offset': [7, -2]}),
    ('addmm', lambda x, **k: torch.addmm(x @ x.T, x, x.T, **k), 'plain', {'alpha': ANY, 'beta': ANY}),
    ('addmm_nan', lambda x, **k: torch.addmm(x @ x.T * NAN, x, x.T, **k), 'plain', {'beta': [0, few]}),
    ('addmv', lambda x, **k: torch.addmv(x[:, 0], x, x[0], **k), 'plain', {'alpha': ANY, 'beta': ANY}),
    ('addr', lambda x, **k: torch.addr(x, x[:, 0], x[0], **k), 'plain', {'alpha': ANY, 'beta': ANY}),
    ('baddbmm', lambda x, **k: torch.baddbmm(x @ x.mT, x, x.mT, **k), 'block', {'alpha': ANY, 'beta': ANY}),
    ('addbmm', lambda x, **k: torch.addbmm((x @ x.mT)[0], x, x.mT, **k), 'block', {'alpha': ANY, 'beta': ANY}),
    ('var', torch.var, 'plain', {'correction': [0, 1, 2, 9, count], 'dim': [0, 1, (0, 1)], 'unbiased': [False], }),
    ('var_keep', lambda x, **k: torch.var(x, 1, **k), 'plain', {'keepdim': [True], 'correction': [0, 2, few, 8]}),
    ('std', lambda x, **k: torch.std(x, 1, **k), 'plain', {'keepdim': [True], 'correction': [0, 2, few]}),
    ('var_mean', lambda x, correction: torch.cat([y.flatten() for y in torch.var_mean(x, 1, correction=correction)]), 'plain', {'correction': [0, 2, few]}),
    ('std_mean', lambda x, correction: torch.cat([y.flatten() for y in torch.std_mean(x, 1, correction=correction)]), 'plain', {'correction': [0, 2, few]}),
    ('index_add', lambda x, alpha: torch.index_add(x, 1, torch.tensor([0, 2]), x[:, :2] + 1, alpha=alpha), 'plain', {'alpha': ANY}),
    ('index_fill', lambda x, value: x.index_fill(1, torch.tensor([0, 2]), value), 'plain', {'value': [0, NAN, part]}),
    ('scatter_number', lambda x, value: x.scatter(1, torch.tensor([[0, 2], [1, 3], [4, 5]]), value), 'plain', {'value': [0, -INF, part]}),
    ('histc', lambda x, **k: torch.histc(x, 5, **k), 'plain', {'max': [1, count], 'min': [-1, below]}),
    ('bincount', lambda x, minlength: torch.bincount(x.flatten().abs(), minlength=minlength), 'integers', {'minlength': [0, 9, count]}),
    ('rfft', lambda x, **k: torch.view_as_real(torch.fft.rfft(x, **k)), 'plain', {'n': [4, 11, count, few], 'dim': [0], 'norm': ['ortho', 'forward']}),
    ('fft', lambda x, **k: torch.view_as_real(torch.fft.fft(x, **k)), 'plain', {'n': [4, 11, few], 'dim': [0], 'norm': ['ortho', 'forward']}),
    ('ifft', lambda x, **k: torch.view_as_real(torch.fft.ifft(x, **k)), 'plain', {'n': [4, 11], 'dim': [0], 'norm': ['ortho', 'forward']}),
    ('irfft', lambda x, **k: torch.fft.irfft(torch.complex(x, x), **k), 'plain', {'n': [4, 11, few], 'dim': [0], 'norm': ['ortho', 'forward']}),
    ('hfft', lambda x, **k: torch.fft.hfft(torch.complex(x, x), **k), 'plain', {'n': [4, 11], 'norm': ['ortho', 'forward']}),
    ('ihfft', lambda x, **k: torch.view_as_real(torch.fft.ihfft(x, **k)), 'plain', {'n': [4, 11], 'norm': ['ortho', 'forward']}),
    ('rfft2', lambda x, **k: torch.view_as_real(torch.fft.rfft2(x, **k)), 'plain', {'s': [(4, 5)], 'dim': [(1, 0)], 'norm': ['ortho', 'forward']}),
    ('trapezoid', torch.trapezoid, 'plain', {'dx': [0, 0.5, part], 'dim': [0]}),
    ('cumulative_trapezoid', torch.cumulative_trapezoid, 'plain', {'dx': [0.5, part], 'dim': [0]}),
    ('diff', torch.diff, 'plain', {'n': [0, 2], 'dim': [0]}),
    ('vander', lambda x, **k: torch.vander(x[0], **k), 'plain', {'N': [1, 3, few], 'increasing': [True]}),
    ('quantile', lambda x, **k: torch.quantile(x, k.pop('q', 0.3), **k), 'plain', {'q': [0, 1, 0.5, inverse], 'dim': [0, 1], 'keepdim': [True], 'interpolation': ['lower', 'higher', 'nearest', 'midpoint']}),
    ('kthvalue', lambda x, k: torch.cat(torch.kthvalue(x, k, 1)), 'plain', {'k': [1, 4, few]}),
    ('topk', lambda x, **k: torch.cat(torch.topk(x, k.pop('k', 2), **k)[:1]), 'plain', {'k': [1, 4, few], 'dim': [0], 'largest': [False]}),
    ('full', lambda x, value: torch.full((2, 3), value) + x[0, 0], 'plain', {'value': [0.5, INF, part]}),
    ('full_like', torch.full_like, 'plain', {'fill_value': [0.5, 2, part]}),
    ('new_full', lambda x, value: x.new_full((2, 3), value), 'plain', {'value': [0.5, part]}),
    ('fill', lambda x, value: (x * 1).fill_(value), 'plain', {'value': [0.5, part]}),
    ('linspace', lambda x, end: torch.linspace(0, end, 5) + x[0, 0], 'plain', {'end': [-2, count]}),
    ('logspace', lambda x, base: torch.logspace(0, 2, 5, base) + x[0, 0], 'plain', {'base': [2, 0.5]}),
    ('arange', lambda x, end: torch.arange(1, end, 2) + x[0, 0].long(), 'plain', {'end': [7, count]}),
    ('eye', lambda x, n: torch.eye(n) + x[0, 0], 'plain', {'n': [1, 3, few]}),
    ('one_hot', lambda x, **k: F.one_hot(x.abs(), **k), 'integers', {'num_classes': [-1, 9, count]}),
    ('narrow', lambda x, start: x.narrow(1, start, 2), 'plain', {'start': [0, 1, -2, few]}),
    ('narrow_length', lambda x, length: x.narrow(1, 1, length), 'plain', {'length': [0, 3, few]}),
    ('roll', lambda x, shifts: x.roll(shifts, 1), 'plain', {'shifts': [0, 3, -2, few]}),
    ('repeat_interleave', lambda x, repeats: x.repeat_interleave(repeats, 1), 'plain', {'repeats': [0, 1, 3, few]}),
    ('pad', lambda x, value: F.pad(x, (1, 2), value=value), 'plain', {'value': [0.5, -INF, NAN, part]}),
    ('pad_sizes', lambda x, size: F.pad(x, (size, 0)), 'plain', {'size': [0, 3, -2, few]}),
    ('normalize', F.normalize, 'plain', {'p': [1, 3, 0.5, INF], 'dim': [0, -1], 'eps': [3, count]}),
    ('pairwise_distance', lambda x, **k: F.pairwise_distance(x, x + 1, **k), 'plain', {'p': [1, 3, INF, 0], 'eps': [0.5, inverse], 'keepdim': [True]}),
    ('cosine_similarity', lambda x, **k: F.cosine_similarity(x, x.flip(1) + 0.1, **k), 'plain', {'dim': [0, -1], 'eps': [1, 50, count]}),
    ('cosine_rows', lambda x, **k: F.cosine_similarity(x[:1], x, **k), 'plain', {'dim': [0, 1, -1]}),
    ('cosine_row', lambda x, **k: F.cosine_similarity(x[0], x, **k), 'plain', {'dim': [1, 0]}),
    ('cdist', lambda x, p: torch.cdist(x, x + 1, p), 'plain', {'p': [0, 1, 2, 3.5, INF]}),
    ('pdist', F.pdist, 'plain', {'p': [0, 1, 3.5, INF]}),
    ('dist', lambda x, p: torch.dist(x, x * 2, p), 'plain', {'p': [0, 1, 3.5, INF, -INF]}),
    ('renorm', lambda x, maxnorm: torch.renorm(x, 2, 0, maxnorm), 'plain', {'maxnorm': [0, 1, part]}),
    ('norm', lambda x, **k: torch.norm(x, k.pop('p', 2), **k), 'plain', {'p': [0, 1, 3, INF, -INF, 'fro'], 'dim': [0, (0, 1)], 'keepdim': [True]}),
    ('linalg_norm', torch.linalg.norm, 'plain', {'ord': [1, -1, INF, -INF, 'fro'], 'dim': [0, (1, 0)], 'keepdim': [True], 'dtype': [torch.float64]}),
    ('vector_norm', torch.linalg.vector_norm, 'plain', {'ord': [0, 1, 3, INF, -INF], 'dim': [0, (1, 0)], 'keepdim': [True], 'dtype': [torch.float64]}),
    ('matrix_norm', torch.linalg.matrix_norm, 'plain', {'ord': [1, -1, INF, -INF], 'keepdim': [True]}),
    ('cov', torch.cov, 'plain', {'correction': [0, 2, few]}),
    ('group_norm', lambda x, **k: F.group_norm(x, k.pop('num_groups', 1), **k), 'image', {'num_groups': [2, 4], 'eps': [0.5]}),
    ('layer_norm', lambda x, eps: F.layer_norm(x, (5,), eps=eps), 'image', {'eps': [0.5]}),
    ('layer_norm_computed', lambda x: F.layer_norm(x, x.shape[-2:]), 'image', {}),
    ('rms_norm', lambda x, eps: F.rms_norm(x, (5,), eps=eps), 'image', {'eps': [None, 0.5]}),
    ('local_response_norm', lambda x, **k: F.local_response_norm(x, k.pop('size', 2), **k), 'image', {'size': [1, 2, 3, 4, 5, 6], 'alpha': [1], 'beta': [0.5], 'k': [2]}),
    ('batch_statistics', lambda x, **k: F.batch_norm(x, None, None, training=True, **k), 'image', {'eps': [0.5]}),
    ('instance_norm', F.instance_norm, 'image', {'eps': [0.5]}),
    # Reductions.
    ('sum', torch.sum, 'plain', {'dim': [0, (0, 1), ()], 'keepdim': [], 'dtype': [torch.float64]}),
    ('sum_integers', lambda x, **k: torch.sum(x, 1, **k), 'integers', {'dtype': [torch.int32, torch.float32, torch.float64]}),
    ('prod_integers', lambda x, **k: torch.prod(x, 1, **k), 'integers', {'dtype': [torch.int32, torch.float32]}),
    ('cumsum', lambda x, **k: torch.cumsum(x, 1, **k), 'integers', {'dtype': [torch.int32, torch.float32]}),
    ('cumprod', lambda x, **k: torch.cumprod(x, 1, **k), 'integers', {'dtype': [torch.int32, torch.float32]}),
    ('argmax', torch.argmax, 'plain', {'dim': [None, 0, -1], 'keepdim': [True]}),
    ('argmin', torch.argmin, 'plain', {'dim': [None, 0, -1], 'keepdim': [True]}),
    ('logsumexp', lambda x, **k: torch.logsumexp(x, k.pop('dim', 1), **k), 'rows', {'dim': [0, -1, (0, 1)], 'keepdim': [True]}),
    ('logcumsumexp', torch.logcumsumexp, 'rows', {'dim': [0, -1]}),
    ('median', lambda x, **k: torch.cat(torch.median(x, k.pop('dim', 1), **k)), 'rows', {'dim': [0, -1], 'keepdim': [True]}),
    ('amax', lambda x, **k: torch.amax(x, k.pop('dim', 1), **k), 'rows', {'dim': [0, (0, 1)], 'keepdim': [True]}),
    ('aminmax', lambda x, **k: torch.stack(torch.aminmax(x, **k)), 'plain', {'dim': [0, 1], 'keepdim': [True]}),
    ('nansum', torch.nansum, 'rows', {'dim': [0, 1], }),
    ('nanmean', torch.nanmean, 'rows', {'dim': [0, 1]}),
    ('count_nonzero', torch.count_nonzero, 'integers', {'dim': [0, 1]}),
    ('all', lambda x, **k: torch.all(x > 0, k.pop('dim', 1), **k), 'plain', {'dim': [0], 'keepdim': [True]}),
    ('any', lambda x, **k: torch.any(x > 0, k.pop('dim', 1), **k), 'plain', {'dim': [0], 'keepdim': [True]}),
    ('sort', lambda x, **k: torch.sort(x, **k)[0], 'rows', {'dim': [0], 'descending': [True], 'stable': [True]}),
    ('argsort', torch.argsort, 'plain', {'dim': [0], 'descending': [True], 'stable': [True]}),
    ('searchsorted', lambda x, **k: torch.searchsorted(torch.linspace(-1, 1, 9), x, **k), 'plain', {'right': [True], 'side': ['right'], 'out_int32': [True]}),
    ('searched_number', lambda x, value: torch.searchsorted(x[0].sort()[0], value), 'plain', {'value': [0.5, part]}),
    ('bucketize', lambda x, **k: torch.bucketize(x, torch.linspace(-1, 1, 9), **k), 'plain', {'right': [True], 'out_int32': [True]}),
    ('bucketized_number', lambda x, value: torch.bucketize(value, x[0].sort()[0]), 'plain', {'value': [0.5]}),
    ('tensor_split', lambda x, indices: torch.cat([y.flatten() for y in torch.tensor_split(x, indices, 1)]), 'plain', {'indices': [3, (2, 5), (5, 2), (-3, 20)]}),
    # Edge values and forms that one of these calls once got wrong.
    ('lerp_edges', lambda x, weight: torch.lerp(x, x.flip(0), weight), 'edge', {'weight': [0, 1, 0.3, 0.7]}),
    ('lerp_tensor', lambda x: torch.lerp(x, x.flip(0), x[0].sigmoid()), 'edge', {}),
    ('trapezoid_of_rows', lambda x, dx: torch.trapezoid(x, dx=dx), 'rows', {'dx': [0.5, part]}),
    ('index_fill_ends', lambda x, value: x.index_fill(1, torch.tensor([4, -1]), value), 'integers', {'value': [0, 7, count]}),
    ('cummax', lambda x, dim: torch.cat(torch.cummax(x, dim)), 'rows', {'dim': [0, 1]}),
    ('cummin', lambda x, dim: torch.cat(torch.cummin(x, dim)), 'rows', {'dim': [0, 1]}),
    ('cummax_equal', lambda x, dim: torch.cat(torch.cummax(x, dim)), 'equal', {'dim': [0, 1]}),
    ('cummin_equal', lambda x, dim: torch.cat(torch.cummin(x, dim)), 'equal', {'dim': [0, 1]}),
    ('cummax_integers', lambda x, dim: torch.cat(torch.cummax(x, dim)), 'integers', {'dim': [0, 1]}),
    ('cummin_integers', lambda x, dim: torch.cat(torch.cummin(x, dim)), 'integers', {'dim': [0, 1]}),
    ('max_index', lambda x, dim: torch.max(x, dim)[1], 'rows', {'dim': [0, 1]}),
    ('min_index', lambda x, dim: torch.min(x, dim)[1], 'rows', {'dim': [0, 1]}),
    ('argmax_rows', torch.argmax, 'rows', {'dim': [None, 0, 1]}),
    ('argmin_rows', torch.argmin, 'rows', {'dim': [None, 0, 1]}),
    ('quantile_rows', lambda x, **k: torch.quantile(x, 0.3, **k), 'rows', {'dim': [0, 1], 'interpolation': ['lower', 'higher', 'nearest', 'midpoint']}),
    ('max_of_booleans', lambda x, y, dim: torch.max(x, dim)[0], 'booleans', {'dim': [0, 1]}),
    ('min_of_booleans', lambda x, y, dim: torch.min(x, dim)[0], 'booleans', {'dim': [0, 1]}),
    ('any_u8', lambda x: torch.any(x, 1), 'u8', {}),
    ('all_u8', lambda x: torch.all(x, 1), 'u8', {}),
    ('sigmoid_integers', torch.sigmoid, 'integers', {}),
    ('tanh_integers', torch.tanh, 'integers', {}),
    ('chunk', lambda x, chunks: torch.cat(torch.chunk(x, chunks, 1)[::-1], 1), 'plain', {'chunks': [2, 3]}),
    ('split', lambda x: torch.cat(torch.split(x, 5, 1)[::-1], 1), 'plain', {}),
    # Images.
    ('interpolate_exact_recomputed', lambda x, scale_factor: F.interpolate(x, scale_factor=scale_factor, mode='nearest-exact', recompute_scale_factor=True), 'image', {'scale_factor': [0.4, 1.7]}),
    ('antialias_corners', lambda x, **k: F.interpolate(x, k.pop('size', None), mode='bilinear', antialias=True, align_corners=True, **k), 'image', {'scale_factor': [2.0, 0.4], 'size': [1, (3, 4)]}),
    ('antialias_bicubic_corners', lambda x, **k: F.interpolate(x, k.pop('size', None), mode='bicubic', antialias=True, align_corners=True, **k), 'image', {'scale_factor': [0.4], 'size': [(3, 4)]}),
    ('interpolate', lambda x, **k: F.interpolate(x, k.pop('size', None), **k), 'image', {'scale_factor': [2.0, 0.4, (1.5, 0.2)], 'size': [1, (1, 4), (7, 1)]}),
    ('interpolate_bilinear', lambda x, **k: F.interpolate(x, k.pop('size', None), mode='bilinear', **k), 'image', {'scale_factor': [2.0, 0.2, (1.5, 0.2)], 'size': [1, (1, 4), (7, 1), (3, 3)]}),
    ('interpolate_corners', lambda x, **k: F.interpolate(x, k.pop('size', None), mode='bilinear', align_corners=True, **k), 'image', {'scale_factor': [2.0, 0.2], 'size': [1, (1, 4), (7, 1)]}),
    ('interpolate_bicubic', lambda x, **k: F.interpolate(x, k.pop('size', None), mode='bicubic', **k), 'image', {'scale_factor': [2.0, 0.2], 'size': [1, (1, 4), (7, 1)]}),
    ('interpolate_exact', lambda x, **k: F.interpolate(x, k.pop('size', None), mode='nearest-exact', **k), 'image', {'scale_factor': [2.0, 0.4], 'size': [1, (1, 4), (7, 1)]}),
    ('interpolate_area', lambda x, **k: F.interpolate(x, k.pop('size', None), mode='area', **k), 'image', {'scale_factor': [2.0, 0.4], 'size': [1, (1, 4), (7, 3)]}),
    ('interpolate_recomputed', lambda x, **k: F.interpolate(x, mode='bilinear', recompute_scale_factor=True, **k), 'image', {'scale_factor': [1.3, 0.4]}),
    ('antialias', lambda x, **k: F.interpolate(x, k.pop('size', None), mode='bilinear', antialias=True, **k), 'image', {'scale_factor': [2.0, 0.5, 0.4], 'size': [1, (3, 4)]}),
    ('antialias_bicubic', lambda x, **k: F.interpolate(x, k.pop('size', None), mode='bicubic', antialias=True, **k), 'image', {'scale_factor': [2.0, 0.5], 'size': [(3, 4)]}),
    ('avg_pool2d', lambda x, **k: F.avg_pool2d(x, 3, **{'padding': 1, **k}), 'image', {'stride': [1, 2, (2, 3)], 'padding': [0, (1, 0)], 'ceil_mode': [True], 'count_include_pad': [False], 'divisor_override': [1, 2, -3]}),
    ('avg_pool2d_ceil', lambda x, **k: F.avg_pool2d(x, 3, **{'padding': 1, 'stride': 2, 'ceil_mode': True, **k}), 'image', {'stride': [3, (2, 3)], 'padding': [0, (1, 0)], 'count_include_pad': [False], 'divisor_override': [2, 7]}),
    ('avg_pool1d_ceil', lambda x, **k: F.avg_pool1d(x, 4, **{'padding': 1, 'stride': 3, 'ceil_mode': True, **k}), 'block', {'padding': [0, 2], 'count_include_pad': [False]}),
    ('avg_pool3d_ceil', lambda x, **k: F.avg_pool3d(x, 2, **{'padding': 1, 'stride': 3, 'ceil_mode': True, **k}), 'image', {'padding': [0], 'count_include_pad': [False], 'divisor_override': [3]}),
    ('max_pool2d', lambda x, **k: F.max_pool2d(x, 3, **k), 'image', {'stride': [1, 2], 'padding': [1], 'ceil_mode': [True], 'dilation': [1]}),
    ('max_pool2d_ceil', lambda x, **k: F.max_pool2d(x, 3, ceil_mode=True, **k), 'image', {'stride': [2, 3], 'padding': [1]}),
    ('lp_pool2d', lambda x, **k: F.lp_pool2d(x.abs(), k.pop('norm_type', 2), 3, **k), 'image', {'norm_type': [1, 3.0], 'stride': [1, 2], 'ceil_mode': [True]}),
    ('adaptive_avg_pool2d', F.adaptive_avg_pool2d, 'image', {'output_size': [1, (2, 3), (None, 2), (1, 7)]}),
    ('adaptive_computed', lambda x: F.adaptive_avg_pool2d(x, (x.size(2) // 2, x.size(3) - 2)), 'image', {}),
    ('adaptive_max_pool2d', F.adaptive_max_pool2d, 'image', {'output_size': [1, (2, 3), (None, 2)]}),
    ('pixel_shuffle', lambda x: F.pixel_shuffle(x, 2), 'image', {}),
    ('pixel_shuffle_3', lambda x: F.pixel_shuffle(x[0], 2), 'image', {}),
    ('pixel_shuffle_5', lambda x: F.pixel_shuffle(x[None], 2), 'image', {}),
    ('pixel_unshuffle', lambda x: F.pixel_unshuffle(torch.cat((x, x), 3)[:, :, :4], 2), 'image', {}),
    ('pixel_unshuffle_3', lambda x: F.pixel_unshuffle(torch.cat((x, x), 3)[0, :, :4], 2), 'image', {}),
    ('unfold', lambda x, **k: F.unfold(x, 3, **k), 'image', {'dilation': [1, 2], 'padding': [1, (1, 0)], 'stride': [2, (1, 2)]}),
    ('unfold_3', lambda x: F.unfold(x[0], 3), 'image', {}),
    ('circular', lambda x, pad: F.pad(x, pad, mode='circular'), 'image', {'pad': [(1, 2, 0, 3), (-1, 2, 0, 0), (2, -1, 1, -2)]}),
    ('reflect', lambda x, pad: F.pad(x, pad, mode='reflect'), 'image', {'pad': [(1, 2, 0, 3), (-1, 2, 0, 0)]}),
    ('replicate', lambda x, pad: F.pad(x, pad, mode='replicate'), 'image', {'pad': [(1, 2, 0, 3), (-1, 2, 0, 0)]}),
    ('grid_sample', lambda x, **k: F.grid_sample(x, (x[..., :2] + x[:, :2, :, :1].permute(0, 2, 3, 1)[:, :1])[:, 0].unsqueeze(1), **{'align_corners': False, **k}), 'image', {'mode': ['nearest', 'bicubic'], 'padding_mode': ['border', 'reflection'], 'align_corners': [True]}),
    # Attention.
    ('attention', lambda x, **k: F.scaled_dot_product_attention(x, x + 0.1, x * 2, **k), 'image', {'scale': [0.3, 2.0], 'is_causal': [True]}),
    ('attention_computed', lambda x: F.scaled_dot_product_attention(x, x, x, scale=1 / x.size(-1)), 'image', {}),
    ('attention_hidden', lambda x: F.scaled_dot_product_attention(x, x, x, x @ x.mT > 1.5), 'image', {}),
    ('attention_hidden_numbers', lambda x: F.scaled_dot_product_attention(x, x, x, torch.where(x @ x.mT > 1.5, 0.0, -INF)), 'image', {}),
]

# Functions of one tensor, at edge values.
UNARY = ('abs acos acosh asin asinh atan atanh ceil cos cosh erf exp expm1 floor lgamma log log10 log1p log2 logical_not neg reciprocal round rsqrt sign '
         'sin sinh sqrt square tan tanh trunc deg2rad erfc exp2 frac isfinite isinf isnan isneginf isposinf rad2deg sgn signbit sinc nan_to_num logit '
         'digamma erfinv i0 positive sigmoid relu selu').split()
SPECIAL = 'entr ndtr ndtri i0e i1 i1e'.split()
TINY = 'expm1 log1p erfc sinh tanh sin'.split()
ACTIVATIONS = 'hardsigmoid hardswish logsigmoid mish relu6 silu softsign tanhshrink'.split()
BINARY = ('add sub mul div pow fmod remainder atan2 copysign fmax fmin maximum minimum heaviside hypot logaddexp logaddexp2 xlogy eq ne lt le gt ge '
          'float_power ldexp floor_divide').split()
LOGICAL = 'add mul maximum minimum'.split()
INTEGER_UNARY = 'abs neg bitwise_not square sign sgn logical_not relu ceil floor round trunc exp sqrt reciprocal'.split()
INTEGER_BINARY = ('add sub mul floor_divide remainder fmod maximum minimum bitwise_and bitwise_or bitwise_xor eq ne lt le gt ge div pow').split()


def call(function, **values):
    """The function with parameters that are numbers, or functions of the size of the last axis."""
    def made(x, *more):
        return function(x, *more, **{key: value(x.size(-1)) if callable(value) and not isinstance(value, torch.dtype) else value for key, value in values.items()})
    return made


def label(value):
    return getattr(value, '__name__', str(value))


def table():
    for name, function, inputs, parameters in NUMBERS:
        if not parameters:
            yield name, function, inputs
        for key, values in parameters.items():
            for value in values:
                yield f'{name}({key}={label(value)})', call(function, **{key: value}), inputs
    for name in UNARY:
        yield name, getattr(torch, name), 'edge'
    for name in SPECIAL:
        yield f'special_{name}', getattr(torch.special, name), 'edge'
    for name in TINY:
        yield f'tiny_{name}', getattr(torch, name), 'tiny'
    yield 'tiny_expression', lambda x: torch.expm1(x) * 2 + torch.log1p(x.abs()), 'tiny'
    yield 'tiny_xlog1py', lambda x: torch.special.xlog1py(x.abs(), x.abs()), 'tiny'
    yield 'tiny_logaddexp', lambda x: torch.logaddexp(x * 1e9, x * 1e8), 'tiny'
    for name in ACTIVATIONS:
        yield name, getattr(F, name), 'edge'
    for name in BINARY:
        yield name, getattr(torch, name), 'pair'
    for kind in ('integers', 'u8', 'i8', 'i32'):
        for name in INTEGER_UNARY:
            yield f'{kind}_{name}', getattr(torch, name), kind
    for kind in ('integer_pair', 'u8_pair', 'i8_pair'):
        for name in INTEGER_BINARY:
            yield f'{kind}_{name}', getattr(torch, name), kind
    for name in LOGICAL:
        yield f'booleans_{name}', getattr(torch, name), 'booleans'
    for name in ('bitwise_and', 'bitwise_or', 'bitwise_xor', 'bitwise_left_shift', 'bitwise_right_shift'):
        function = getattr(torch, name)
        yield f'{name}_number_first', lambda x, f=function: f(6, x.abs()), 'integers'
        yield f'{name}_number', lambda x, f=function: f(x, 3), 'integers'
    for name, module, inputs in modules():
        yield name, module, inputs


class Child(nn.Module):
    """pnnx knows modules only inside of others."""

    def __init__(self, module):
        super().__init__()
        self.m = module

    def forward(self, *x):
        made = self.m(*x)
        return made[0] if isinstance(made, tuple) else made


def modules():
    torch.manual_seed(1)
    for spatial, inputs in ((1, 'block'), (2, 'image')):
        for affine in (False, True):
            norm = getattr(nn, f'InstanceNorm{spatial}d')
            yield f'InstanceNorm{spatial}d(affine={affine})', Child(norm(4, affine=affine)), inputs
            yield f'InstanceNorm{spatial}d(affine={affine}) without batch', Child(Select(norm(4, affine=affine))), inputs
            tracked = norm(4, affine=affine, track_running_stats=True)
            tracked.running_mean.uniform_(-1, 1)
            tracked.running_var.uniform_(0.5, 2)
            yield f'InstanceNorm{spatial}d(affine={affine},tracked)', Child(tracked), inputs
            yield f'InstanceNorm{spatial}d(affine={affine},tracked) without batch', Child(Select(tracked)), inputs
    for options in ({}, {'bias': False}, {'dilation': 2}, {'groups': 2}, {'padding': 'same'}, {'padding': 'valid'}, {'padding': (1, 0)}, {'stride': (2, 1)},
                    {'padding': 1, 'padding_mode': 'circular'}, {'padding': 1, 'padding_mode': 'reflect'}, {'padding': 1, 'padding_mode': 'replicate'},
                    {'padding': 'same', 'padding_mode': 'circular'}):
        yield f'Conv2d({options})', Child(nn.Conv2d(4, 6, 2, **options)), 'image'
    for options in ({}, {'bias': False}, {'dilation': 2}, {'groups': 2}, {'padding': 1}, {'stride': 2, 'output_padding': 1}, {'stride': (2, 1)}):
        yield f'ConvTranspose2d({options})', Child(nn.ConvTranspose2d(4, 6, 3, **options)), 'image'
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        for options in ({}, {'bias': False}, {'bidirectional': True}, {'num_layers': 2}, {'batch_first': True}):
            yield f'{kind.__name__}({options})', Child(kind(8, 3, **options)), 'sequence'
    yield 'LSTM(proj_size)', Child(nn.LSTM(8, 3, proj_size=2)), 'sequence'
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        yield f'{kind.__name__} used twice', Twice(kind(8, 8)), 'sequence'
        shared = kind(8, 3)
        yield f'{kind.__name__} shared', Child(shared), 'sequence'
        yield f'{kind.__name__} shared, of an element', Child(Select(shared)), 'sequence'
    yield 'Linear used twice', Twice(nn.Linear(8, 8)), 'sequence'
    yield 'MultiheadAttention used twice', Twice(nn.MultiheadAttention(8, 2), 3), 'sequence'
    yield 'RNN(relu)', Child(nn.RNN(8, 3, nonlinearity='relu')), 'sequence'


class Twice(nn.Module):
    """The module of what it makes of its input."""

    def __init__(self, module, inputs=1):
        super().__init__()
        self.m = module
        self.inputs = inputs

    def forward(self, x):
        for _ in range(2):
            made = self.m(*[x] * self.inputs)
            x = made[0] if isinstance(made, tuple) else made
        return x


class Select(nn.Module):
    """The module of the first element of the batch."""

    def __init__(self, module):
        super().__init__()
        self.part = module

    def forward(self, x):
        return self.part(x[0])


# Modules that are traced alone.
def roots():
    torch.manual_seed(2)
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        for options in ({}, {'bias': False}, {'bidirectional': True, 'num_layers': 2}, {'batch_first': True}):
            yield f'root_{kind.__name__}({options})', kind(8, 3, **options), 'sequence'
    yield 'root_RNN(relu)', nn.RNN(8, 3, nonlinearity='relu'), 'sequence'
    yield 'root_LSTM(proj_size)', nn.LSTM(8, 3, proj_size=2, num_layers=2, bidirectional=True), 'sequence'
    for options in ({}, {'affine': True}, {'track_running_stats': True}, {'affine': True, 'track_running_stats': True}):
        yield f'root_InstanceNorm2d({options})', nn.InstanceNorm2d(4, **options), 'image'
    for options in ({}, {'track_running_stats': False}, {'affine': False, 'track_running_stats': False}):
        yield f'root_BatchNorm2d({options})', nn.BatchNorm2d(4, **options), 'image'
    for options in ({}, {'norm_first': True}, {'activation': 'gelu'}, {'batch_first': True}, {'batch_first': True, 'norm_first': True},
                    {'batch_first': True, 'activation': 'gelu'}, {'batch_first': True, 'bias': False}):
        yield f'root_TransformerEncoderLayer({options})', nn.TransformerEncoderLayer(8, 2, 16, **options), 'sequence'
    yield 'root_TransformerEncoder', nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False), 'sequence'
