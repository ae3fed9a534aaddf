# SPDX-License-Identifier: Apache-2.0
"""Functions that pnnx does not know and writes as calls by position, and operators without a batch."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision

from operators import Call, Weighted

PAIR = (3, 16)
BLOCK = (5, 9, 11)
IMAGES = (2, 8, 5, 9)


def integers(*values):
    return torch.tensor(values)


def cases():
    """Yields (name, module or function, shapes of the inputs, options)."""
    def case(name, function, *shapes, **options):
        module = function if isinstance(function, nn.Module) else Call(function)
        if 'second' not in options:
            options['static'] = True
        return name, module, shapes or (PAIR,), options

    # Elementwise.
    for name in ('exp2', 'frac', 'erfc', 'sinc', 'deg2rad', 'rad2deg', 'sgn', 'signbit'):
        yield case(name, lambda x, f=getattr(torch, name): f(x * 3))
    yield case('special', lambda x: (torch.special.entr(x.abs()), torch.xlogy(x.round(), x.abs()), torch.logit(x.abs() * 0.8 + 0.1),
                                     torch.logit(x, 0.01), torch.ldexp(x, torch.tensor(3)), torch.float_power(x.abs(), 2.5),
                                     torch.logaddexp2(x, x * 2), torch.heaviside(x.round(), torch.tensor(0.5))))
    yield case('copysign', lambda x: torch.copysign(x, (x + 0.01).roll(1)))
    yield case('undefined', lambda x: (torch.isnan(x.round() / x.round()), torch.isinf(1 / x.round()), torch.isfinite(1 / x.round()),
                                       torch.isposinf(1 / x.round().abs()), torch.isneginf(-1 / x.round().abs())))
    yield case('nan_to_num', lambda x: (torch.nan_to_num(x.round() / x.round(), 0.5, 2, 3), torch.nan_to_num(x.log()),
                                        torch.nansum(x.log(), 1), torch.nanmean(x.log(), 1), torch.fmax(x.log(), x), torch.fmin(x, x.log())))
    yield case('two_numbers', lambda x: (torch.where(x > 0, 1.5, -0.5), torch.where(x > 0, 2, 3)))
    yield case('quotients', lambda x, y: (torch.div(x, 3, rounding_mode='floor'), torch.div(x * 2, y + 1, rounding_mode='floor') + 1),
               (3, 7), (3, 7), integers=40)

    # Grids and ranges.
    yield case('meshgrid', lambda x, y: torch.meshgrid(x, y, indexing='ij') + torch.meshgrid(x * 2, y, indexing='xy'), (4,), (5,))
    yield case('meshgrid_three', lambda x, y, z: torch.meshgrid(x, y, z, indexing='xy'), (4,), (5,), (3,))
    yield case('meshgrid_one', lambda x: torch.meshgrid(x * 2, torch.arange(1.0), indexing='ij'), (4,))
    yield case('linspace', lambda x: (torch.linspace(-1, 1, x.size(1)) * x, torch.logspace(0, 1, x.size(1)) * x),
               PAIR, second=((5, 9),))
    yield case('eye', lambda x: torch.eye(x.size(1)) @ x.transpose(0, 1), PAIR, second=((4, 16),))
    yield case('in_place', lambda x: (x.clone().zero_() + x, torch.zeros_like(x).fill_(3) + x))
    yield case('one_hot', lambda x: F.one_hot(x, 40), (3, 7), integers=40)

    # Axes, joins, splits.
    yield case('movedim', lambda x: (torch.movedim(x, 1, 3), torch.movedim(x, (0, 1), (-1, 0)), torch.moveaxis(x, 0, -1)), IMAGES)
    yield case('flips', lambda x: (torch.fliplr(x), torch.flipud(x), torch.rot90(x), torch.rot90(x, 2), torch.rot90(x, -1, (0, 1))))
    yield case('stacks', lambda x, y: (torch.hstack((x, x)), torch.vstack((x, x)), torch.dstack((x, x)), torch.hstack((y, y)),
                                       torch.vstack((y, y)), torch.dstack((y, y)), torch.column_stack((y, y)), torch.row_stack((y, x))), PAIR, (16,))
    yield case('stacks_of_images', lambda x: (torch.hstack((x, x)), torch.vstack((x, x)), torch.dstack((x, x))), IMAGES)
    yield case('unsafe_parts', lambda x: (*torch.unsafe_chunk(x, 4, 1), *torch.unsafe_split(x, 5, 1), *torch.unsafe_split_with_sizes(x, [4, 12], 1)))
    yield case('parts', lambda x: (*torch.hsplit(x, 4), *torch.vsplit(x, 3), *torch.dsplit(x[None], 2), *torch.hsplit(x, [3, 5])))
    yield case('broadcasts', lambda x, y: (*torch.broadcast_tensors(x, y), torch.broadcast_to(y, (3, 16)), torch.atleast_2d(y),
                                           torch.atleast_3d(x), torch.atleast_1d(y)), PAIR, (16,))
    yield case('views', lambda x: (x.ravel(), x.numel() * x, x.mT, x.view_as(x * 2), x[0].T), BLOCK)
    yield case('windows', lambda x: (x.unfold(1, 4, 2), x.unfold(0, 2, 1), x.unfold(-1, 3, 3)), (6, 16))
    yield case('shifts', lambda x: (torch.fft.fftshift(x), torch.fft.ifftshift(x, 1)), (3, 5))

    # Reductions and order.
    yield case('prod', lambda x: (x.prod(), (x > 0).prod(), x.prod(dtype=torch.float64)))
    yield case('var_mean', lambda x: (*torch.var_mean(x, 1), *torch.std_mean(x, 0), *torch.var_mean(x), *torch.std_mean(x, unbiased=False),
                                      *torch.var_mean(x, (0, 1), keepdim=True), *torch.var_mean(x, 1, correction=0)))
    yield case('counts', lambda x: (torch.count_nonzero(x > 0), torch.count_nonzero(x.round(), 1), *torch.aminmax(x), *torch.aminmax(x, dim=1, keepdim=True)))
    yield case('argsort', lambda x: (torch.argsort(x, 1), x.argsort(0, True), x.msort(), *torch.sort(x, stable=True, dim=1)))
    yield case('middle', lambda x: (*torch.median(x, 1), x.median(), *torch.kthvalue(x, 3, 1), *x.kthvalue(2, 0, keepdim=True)))
    yield case('cumulative', lambda x: (*torch.cummax(x, 1), *torch.cummin(x, 0), torch.logcumsumexp(x, 1)))
    yield case('searched', lambda x: (torch.bucketize(x, torch.linspace(-1, 1, 9)), torch.searchsorted(torch.linspace(-1, 1, 9), x, right=True)))
    yield case('linalg_norms', lambda x: (torch.linalg.norm(x), torch.linalg.norm(x, dim=1), torch.linalg.matrix_norm(x)))
    yield case('softmax_f64', lambda x: (F.softmax(x, -1, dtype=torch.float64), F.log_softmax(x, 0, dtype=torch.float64)))

    # Matrices.
    yield case('einsum_ellipses', lambda x, y, z: (
        torch.einsum('...ij,...kj->...ik', z, z), torch.einsum('...i,i->...', z, x[0, :9]), torch.einsum('i...->...', x),
        torch.einsum('bijd,bd...->bij...', z, z[:, 0].transpose(1, 2)), torch.einsum('bij,bjk', y, y.transpose(1, 2))), PAIR, BLOCK, IMAGES)
    yield case('products', lambda x: (torch.inner(x, x), torch.vdot(x[0], x[1]), torch.chain_matmul(x, x.t(), x), torch.linalg.multi_dot((x, x.t(), x)),
                                      torch.tensordot(x, x.t(), 1), torch.tensordot(x, x, ([0, 1], [0, 1])), torch.addr(x, x[:, 0], x[0])))
    yield case('distances', lambda x: (torch.cdist(x, x[:2] * 2), torch.cdist(x, x + 1, p=1), torch.cdist(x[None], x[None] + 1)))
    yield case('diagonals', lambda x: (torch.trace(x), torch.diagonal(x, 1, 0, 1), torch.diagflat(x[0]), torch.diag_embed(x)))
    yield case('diagonal', lambda x: (torch.diagonal(x, dim1=1, dim2=2), torch.diagonal(x)), BLOCK)
    yield case('bilinear', nn.Bilinear(4, 5, 3), (2, 4), (2, 5))
    for mode in ('sum', 'mean'):
        yield case('embedding_bag', nn.EmbeddingBag(40, 6, mode=mode), (3, 7), integers=40)

    # Elements by indices.
    yield case('take', lambda x: (torch.take_along_dim(x, integers([1], [0], [2]), 1), torch.take_along_dim(x, integers([1, 2]), 1),
                                  torch.take_along_dim(x, integers(1, 47, 20)), torch.take(x, integers([1, 47], [3, 4]))))
    yield case('places', lambda x: (torch.nonzero(x > 0), torch.argwhere(x > 0.5), *torch.where(x > 0)))
    yield case('indices', lambda y: (y[integers(0, 3), integers(2, 5)], y[integers(1, 2), :, integers(3, 4)],
                                     y[:, integers(0, 1), integers(2, 3)], y[..., integers(-1, 0)], y[1, :, [0, 2]]), BLOCK)
    yield case('repeats', lambda x: (torch.repeat_interleave(x, integers(1, 0, 2), 0), torch.repeat_interleave(x, integers(*[2] * 16), 1),
                                     x[0].repeat_interleave(integers(*[1, 2] * 8))))
    yield case('repeats_computed', lambda x: torch.repeat_interleave(x, (x[0] > 0).to(torch.int64) + 1, 1))

    # Elements written to indices.
    some = integers([0, 2], [1, 3], [4, 5])
    yield case('scatter', lambda x, y: (torch.scatter(x, 1, some, 2.0), x.scatter(1, some, y), x.scatter(0, integers([0, 2], [1, 1]), y),
                                        x.scatter(1, integers([0, 2, 4]), x), x.scatter_add(1, integers([0, 2], [1, 1]), y)), PAIR, (3, 2))
    yield case('scatter_reduce', lambda x, y: (x.scatter_reduce(0, integers([0, 2]), y, 'mean'),
                                               x.scatter_reduce(1, integers([0, 2], [1, 1], [2, 2]), y, 'amax'),
                                               x.scatter_reduce(1, integers([0, 2], [1, 1], [2, 2]), y, 'sum', include_self=False)), PAIR, (3, 2))
    yield case('slices_written', lambda x, y: (torch.index_add(x, 1, integers(1, 1), y), torch.index_add(x, 1, integers(1, 5), y, alpha=0.5),
                                               x.index_copy(1, integers(4, 0), y), x.index_fill(1, integers(4, 0), 3.0)), PAIR, (3, 2))
    yield case('masked_scatter', lambda x, y: x.masked_scatter(x > 0, y), PAIR, PAIR)
    yield case('index_put', _written, (5, 6, 7))
    yield case('index_put_masks', _written_by_masks, (5, 6, 7))

    # Images.
    yield case('affine_grid', lambda t, x: F.grid_sample(x, F.affine_grid(t, x.size(), align_corners=True)),
               (1, 2, 3), (1, 3, 6, 7), second=((3, 2, 3), (3, 3, 8, 5),))
    yield case('affine_grid_volume', lambda t, x: F.affine_grid(t, x.size()), (1, 3, 4), (1, 3, 4, 6, 7), second=((3, 3, 4), (3, 3, 4, 8, 5),))
    yield case('antialias', lambda x: (F.interpolate(x, (7, 5), mode='bilinear', antialias=True), F.interpolate(x, (3, 4), mode='bicubic', antialias=True)), IMAGES)
    yield case('max_unpool', lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), (2, 3, 6, 8))
    yield case('pad_computed', lambda x, y: F.pad(x, (0, y.size(3) - x.size(3), 1, y.size(2) - x.size(2))), (1, 3, 5, 4), (1, 3, 8, 9),
               second=((3, 3, 6, 7), (3, 3, 6, 9),))
    boxes = torch.tensor([[0., 1, 2, 9, 10], [0, 3, 3, 11, 8], [1, 0, 0, 5, 5]])
    rough = torch.tensor([[0., 1, 2, 9, 10], [1, -3, 3, 11, 80], [1, 0, 0, 0.4, 0.3]])
    yield case('roi_align', lambda x: (torchvision.ops.roi_align(x, boxes, 3), torchvision.ops.roi_align(x, boxes, (2, 3), 0.5, 2, True)), (2, 4, 12, 12))
    yield case('roi_pool', lambda x: (torchvision.ops.roi_pool(x, boxes, 3), torchvision.ops.roi_pool(x, boxes, (2, 3), 0.5)), (2, 4, 12, 12))
    yield case('nms', lambda x, s: torchvision.ops.nms(torch.cat((x.abs(), x.abs() + 1), 1), s, 0.3), (12, 2), (12,))
    yield case('deform_conv', lambda x, o, m, w: (torchvision.ops.deform_conv2d(x, o, w, padding=1),
                                                  torchvision.ops.deform_conv2d(x, o, w, w[:, 0, 0, 0], padding=(1, 1), mask=m)),
               (2, 4, 6, 7), (2, 18, 6, 7), (2, 9, 6, 7), (5, 4, 3, 3))

    yield case('ps_roi', lambda x: (
        torchvision.ops.ps_roi_align(x, rough, (1, 2), 2.0), torchvision.ops.ps_roi_align(x, rough, (2, 2), 0.5, 2),
        torchvision.ops.ps_roi_pool(x, rough, (1, 4), 1.5), torchvision.ops.ps_roi_pool(x, rough, (2, 2), 0.5)), IMAGES)
    yield case('max_unpool_volume', lambda x: F.max_unpool3d(*F.max_pool3d(x, 2, return_indices=True), 2), (2, 3, 4, 6, 8))

    yield from _more(case, rough)

    # Without a batch.
    yield case('single_row', nn.Sequential(nn.Conv1d(4, 6, 3, padding=1), nn.MaxPool1d(2), nn.ConvTranspose1d(6, 4, 3, 2)), (4, 9))
    yield case('single_image', nn.Sequential(nn.Conv2d(4, 6, 3, groups=2), nn.MaxPool2d(2), nn.AvgPool2d(2, 1), nn.ConvTranspose2d(6, 4, 3, 2), nn.AdaptiveAvgPool2d(2)), (4, 12, 13))
    yield case('single_volume', nn.Sequential(nn.Conv3d(2, 3, 2), nn.MaxPool3d(2), nn.AvgPool3d(2, 1)), (2, 8, 7, 8))
    yield case('single_pools', lambda x: (F.adaptive_max_pool2d(x, 3), *F.max_pool2d(x, 2, return_indices=True), F.adaptive_avg_pool2d(x, 1)), (4, 6, 8))
    yield case('single_pools_of_rows', lambda x: (F.avg_pool1d(x, 2), F.adaptive_avg_pool1d(x, 3), F.adaptive_max_pool1d(x, 3)), (4, 8))
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        yield case('single_sequence', Call(kind(8, 5, 2, bidirectional=True)), (7, 8))

    # Types and sizes that are computed, and two masks.
    yield case('cumsum_of_booleans', lambda x: ((x > 0).cumsum(1, dtype=torch.float32), (x > 0).sum(1, dtype=torch.float32)))
    yield case('split_computed', lambda x: torch.split(torch.cat((x.mean(3), x.mean(2)), 2), [x.size(2), x.size(3)], 2), (1, 4, 6, 7),
               second=((3, 4, 5, 9),))
    yield case('two_masks', _TwoMasks(nn.MultiheadAttention(16, 4, batch_first=True)), (1, 6, 16), (1, 1), second=((3, 6, 16), (3, 1)))
    yield case('weighted', Weighted(lambda x, w: torch.einsum('...i,ij->...j', x, w), 9, 4), IMAGES)


def _more(case, rough):
    """Losses, distinct elements, special functions and others, in groups of one shape each."""
    def losses(function, **options):
        return tuple(function(reduction, **options) for reduction in ('none', 'mean', 'sum'))

    # Losses.
    classes, grid = integers(1, 0, 5), integers(*[[[1, 0, 5] * 3] * 5] * 2)
    yield case('losses', lambda x, y: (
        losses(lambda r: F.mse_loss(x, y, reduction=r)), losses(lambda r: F.l1_loss(x, y, reduction=r)),
        losses(lambda r: F.smooth_l1_loss(x, y, reduction=r, beta=0.5)), F.smooth_l1_loss(x, y, beta=0),
        losses(lambda r: F.huber_loss(x, y, reduction=r, delta=0.7)), losses(lambda r: F.soft_margin_loss(x, y.sign(), reduction=r))), PAIR, PAIR)
    yield case('losses_of_probabilities', lambda x, y: (
        losses(lambda r: F.binary_cross_entropy(x.abs(), y.abs(), reduction=r)), torch._C._nn.binary_cross_entropy(x.sign().abs(), y.abs(), y, 1),
        losses(lambda r: F.binary_cross_entropy_with_logits(x, y.abs(), reduction=r)),
        F.binary_cross_entropy_with_logits(x, y.abs(), y, pos_weight=x[0].abs()), losses(lambda r: F.kl_div(x, y.abs(), reduction=r)),
        F.kl_div(F.log_softmax(x, 1), y.softmax(1), reduction='batchmean'), F.kl_div(x, y, log_target=True, reduction='sum'),
        losses(lambda r: F.poisson_nll_loss(x, y.abs() * 5, full=True, reduction=r)), F.poisson_nll_loss(x.abs(), y.abs(), log_input=False)), PAIR, PAIR)
    yield case('losses_with_margins', lambda x, y: (
        losses(lambda r: F.hinge_embedding_loss(x, y.sign(), 0.7, reduction=r)), losses(lambda r: F.margin_ranking_loss(x, y, x.sign(), 0.1, reduction=r)),
        losses(lambda r: F.cosine_embedding_loss(x, y, integers(1, -1, 1), 0.1, reduction=r)), F.cosine_embedding_loss(x[0], y[0], integers(-1)[0]),
        losses(lambda r: F.triplet_margin_loss(x, y, x * y, reduction=r)), F.triplet_margin_loss(x, y, x * y, 0.3, 1.0, swap=True),
        losses(lambda r: F.multi_margin_loss(x, classes, reduction=r)), F.multi_margin_loss(x, classes, 2, 0.5, torch.arange(16.0))), PAIR, PAIR)
    yield case('losses_of_classes', lambda x: (
        losses(lambda r: F.nll_loss(F.log_softmax(x, 1), classes, reduction=r)), F.nll_loss(x, classes, x[0].abs(), ignore_index=5),
        losses(lambda r: F.cross_entropy(x, classes, reduction=r)), losses(lambda r: F.cross_entropy(x, x.softmax(0), reduction=r)),
        F.cross_entropy(x, classes, x[0].abs(), label_smoothing=0.1), F.cross_entropy(x, classes, ignore_index=0, label_smoothing=0.2),
        F.cross_entropy(x[0], integers(3)[0])))
    yield case('losses_of_images', lambda x: (
        losses(lambda r: F.nll_loss(F.log_softmax(x, 1), grid, reduction=r)), F.cross_entropy(x, grid, torch.arange(8.0) + 1, label_smoothing=0.2),
        F.cross_entropy(x, grid, torch.arange(8.0), reduction='sum', ignore_index=5), F.cross_entropy(x, x.softmax(1), torch.arange(8.0), label_smoothing=0.2)), IMAGES)

    yield case('lp_pool_of_negatives', lambda x: (F.lp_pool2d(x, 3.0, 2, ceil_mode=True), F.lp_pool2d(x, 1.0, 3, 2)), IMAGES)

    # Distinct elements and counts.
    yield case('unique', lambda x: (torch.unique((x * 3).round(), return_inverse=True, return_counts=True), torch.unique(x.round()), torch.unique(x > 0)))
    yield case('unique_slices', lambda x: (torch.unique((x > 0).float(), dim=1), torch.unique((x * 9).long(), True, True, True, 0)))
    yield case('unique_runs', lambda x: (torch.unique_consecutive((x * 2).round(), True, True), torch.unique_consecutive(x > 0)))
    yield case('bincount', lambda x: (torch.bincount(x.flatten()), torch.bincount(x.flatten(), x.flatten() * 0.5, 50)), (3, 7), integers=40)
    yield case('histogram', lambda x: (torch.histc(x, 7), torch.histc(x, 5, -0.3, 0.6)))
    # Of equally frequent elements, any index is right.
    yield case('mode', lambda x: (torch.mode((x * 3).round(), 0, keepdim=True)[0], (x * 3).long().mode()[0],
                                  torch.gather(x.round(), 1, x.round().mode(1, True)[1])))

    # Special functions.
    yield case('special_functions', lambda x: (
        torch.digamma(x * 5), torch.erfinv(x), torch.erfinv(x.sign()), torch.i0(x * 8), torch.special.i0e(x * 8), torch.special.i1(x * 8),
        torch.special.i1e(x * 8), torch.special.ndtr(x * 2), torch.special.ndtri(x.abs()), torch.special.xlog1py(x.round(), x.abs())))
    yield case('signs_of_zero', lambda x: (torch.copysign(x, x * 0), torch.signbit(x * 0), 1 / torch.copysign(x * 0, x)))
    yield case('lost_brackets', lambda x: (torch.log1p(x.abs()) * 2 + torch.expm1(x * 3) - x, x + torch.log1p(torch.expm1(x.abs()) * x.abs()) / 3))
    yield case('closeness', lambda x, y: (
        torch.isclose(x.round(), y.round()), torch.isclose(x, y, 0.1, 0.3), torch.isclose(x.log(), x.log()), torch.isclose(x.log(), x.log(), equal_nan=True),
        torch.isclose(1 / x.round(), 1 / x.round()), torch.isclose((x * 9).long(), (y * 9).long(), 0.5, 2), _where_close(x, y)), PAIR, PAIR)
    yield case('fake_quantize', lambda x: (
        torch.fake_quantize_per_tensor_affine(x * 30, 0.1, 3, 0, 255), torch.fake_quantize_per_channel_affine(
            x * 30, torch.tensor([0.1, 0.2, 0.3]), torch.tensor([1, 2, 3], dtype=torch.int32), 0, -128, 127)))

    # Differences, integrals and parts of the sorted elements.
    yield case('differences', lambda x, y: (
        torch.diff(x), torch.diff(x, 2, 0), torch.diff(x > 0), torch.diff(x, prepend=x[:, :1] * 2, append=x[:, :2]), torch.trapz(x),
        torch.trapezoid(x, y), torch.trapezoid(x, x[0]), torch.trapezoid(x, dx=0.5, dim=0), torch.cumulative_trapezoid(x),
        torch.cumulative_trapezoid(x, y), torch.cumulative_trapezoid(x, dx=2, dim=0)), PAIR, PAIR)
    some = torch.tensor([0.1, 0.5])
    yield case('quantile', lambda x: (
        torch.quantile(x, 0.3, 1), torch.quantile(x, some, 0), torch.quantile(x, some, 1, True), torch.quantile(x, 0.4, keepdim=True), torch.quantile(x, some, keepdim=True),
        *(torch.quantile(x, 0.4, 2, interpolation=mode) for mode in ('nearest', 'lower', 'higher', 'midpoint'))), BLOCK)

    # Matrices.
    yield case('kron', lambda x: (torch.kron(x, x[:2] * 2), torch.kron(x[0], x), torch.kron(x, x[None, :2, :2])))
    yield case('blocks', lambda x: (torch.block_diag(x, x[:2, :4], x[0]), torch.block_diag(x, x[0, 0], torch.arange(3))))
    yield case('tuples', lambda x, y: (torch.cartesian_prod(x, y), torch.cartesian_prod(x, y, x * 2), torch.cartesian_prod(x), torch.combinations(x),
                                       torch.combinations(y, 3), torch.combinations(x, 2, True), torch.vander(x), torch.vander(y, 3, True)), (4,), (5,))
    yield case('renorm', lambda x: (torch.renorm(x * 3, 2, 0, 1.5), torch.renorm(x * 3, float('inf'), 1, 0.5), torch.renorm(x, 3, -1, 0.1)), BLOCK)
    yield case('diagonal_scatter', lambda x: (torch.diagonal_scatter(x, x[0, 0, :5].expand(11, 5) + 1), torch.diagonal_scatter(x, x[:, :, 0].t() * 2, -1, 2, 0)), BLOCK)
    yield case('matrix_norms', lambda x: (torch.linalg.matrix_norm(x, 1), torch.linalg.matrix_norm(x, float('inf'), (2, 0)),
                                          torch.linalg.matrix_norm(x, -1, keepdim=True), torch.linalg.norm(x, float('-inf'), (0, 1))), BLOCK)
    yield case('matrix_powers', lambda x: (torch.matrix_power(x[:, :3], 3), torch.linalg.matrix_power(x[:, :3], 6), torch.matrix_power(x[:, :3], 0)))
    yield case('statistics', lambda x: (torch.cov(x), torch.cov(x, correction=0), torch.corrcoef(x), torch.cov(x[0]), torch.corrcoef(x[0]),
                                        torch.dist(x, x * x), torch.dist(x, x[:1], 1), torch.pdist(x), torch.pdist(x, 1)))
    yield case('products_along_axes', lambda x: (torch.linalg.cross(x[..., :3], x[..., 3:6]), torch.linalg.vecdot(x, x[:, :1], dim=1),
                                                 torch.addbmm(x[0], x[..., :9], x, beta=0.5, alpha=2), x.mH), BLOCK)

    # Elements written and read.
    yield case('index_reduce', lambda x, y: (x.index_reduce(1, integers(1, 1), y, 'prod'), x.index_reduce(1, integers(1, 4), y, 'amax', include_self=False),
                                             x.index_reduce(1, integers(1, 1), y, 'mean')), PAIR, (3, 2))
    yield case('put', lambda x, y: (x.put(integers([1, 40], [7, 3], [2, 9]), y), x.put(integers(1, 1, 5), y[:, 0], accumulate=True)), PAIR, (3, 2))
    yield case('copies', lambda x: (torch.narrow_copy(x, 1, 2, 5), torch.select_copy(x, 1, 3), x[(x > 0).nonzero(as_tuple=True)]))

    # Batches of 1 and 3, and another size.
    rows, other = ((1, 16), (1, 16)), ((3, 11), (3, 11))
    yield case('losses_of_batches', lambda x, y: (
        F.mse_loss(x, y), F.huber_loss(x, y, reduction='none'), F.binary_cross_entropy_with_logits(x, y.abs()), F.triplet_margin_loss(x, y, x * y),
        F.kl_div(F.log_softmax(x, 1), y.softmax(1), reduction='batchmean'), F.cross_entropy(x, y.argmax(1)), F.nll_loss(x, y.argmax(1), reduction='sum'),
        F.cross_entropy(x, y.argmax(1), label_smoothing=0.1, reduction='none'), F.multi_margin_loss(x, y.argmax(1))), *rows, second=other)
    yield case('parts_of_batches', lambda x, y: (
        torch.quantile(x, 0.3, 0), torch.quantile(x, some, 1), torch.diff(x), torch.trapz(x), torch.cumulative_trapezoid(x, y, dim=1),
        torch.mode((x * 3).round(), 1)[0], torch.histc(x, 7), torch.isclose(x, y, 0.1, 0.3), torch.renorm(x, 2, 0, 0.5), torch.erfinv(x),
        torch.kron(x, y), torch.block_diag(x, y), torch.cartesian_prod(x[0], y[0]), torch.vander(x[0]), torch.log1p(x.abs()) / x.size(0)), *rows, second=other)
    yield case('unique_of_batches', lambda x: (torch.unique((x * 3).round()), torch.unique_consecutive((x * 3).round(), True, True)[1:]), (1, 16), second=((3, 11),))
    yield case('regions_of_batches', lambda x: (torchvision.ops.ps_roi_align(x, rough[:1], (1, 2), 2.0), torchvision.ops.ps_roi_pool(x, rough[:1], (2, 2), 1.5)),
               (1, 8, 5, 9), second=((3, 8, 7, 8),))


@torch.jit.script
def _where_close(x, y):
    return torch.where(torch.tensor(torch.allclose(x, y, 0.1, 0.3)), x, y), torch.where(torch.tensor(torch.allclose(x, x)), x, y)


class _TwoMasks(nn.Module):
    """Attention to earlier positions, and to those within a length."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, x, length):
        later = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
        behind = torch.arange(x.size(1))[None] > length.abs() * 3 + 2
        return self.attention(x, x, x, key_padding_mask=behind, attn_mask=later, need_weights=False)[0]


def _written(x):
    made = []
    for write in (lambda y: y.__setitem__((slice(None), integers(0, 2)), 5), lambda y: y.__setitem__((..., integers(1, 3)), x[:, :, :2]),
                  lambda y: y.__setitem__((integers(0, 1), slice(None), integers(2, 3)), 0.5),
                  lambda y: y.__setitem__((slice(None), integers(0, 1), integers(2, 3)), x[:, :2, 0]),
                  lambda y: y.index_put_((integers(0, 0, 1),), x[:3], accumulate=True)):
        made.append(x.clone())
        write(made[-1])
    return tuple(made)


def _written_by_masks(x):
    made = []
    for write in (lambda y: y.__setitem__(y > 0.5, 0), lambda y: y.__setitem__((slice(None), x[0, :, 0] > 0), 2),
                  lambda y: y.__setitem__(x[:, 0, 0] > 0, x[0]), lambda y: y.__setitem__((..., x[0, 0] > 0), -1)):
        made.append(x.clone())
        write(made[-1])
    return tuple(made)
