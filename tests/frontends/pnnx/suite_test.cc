// SPDX-License-Identifier: Apache-2.0
// The operators of pnnx's own tests of PyTorch (https://github.com/Tencent/ncnn, tools/pnnx/tests): all are
// known.
#include <sstream>

#include "frontends/pnnx/families.h"
#include "pnnx_tester.h"

namespace wasmvino::test {
namespace {

const std::vector<std::pair<std::string, std::string>> kSuite = {
    {"F.",
     "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
     "adaptive_max_pool2d adaptive_max_pool3d alpha_dropout affine_grid avg_pool1d avg_pool2d "
     "avg_pool3d batch_norm celu conv1d conv2d conv3d conv_transpose1d conv_transpose2d "
     "conv_transpose3d dropout dropout2d dropout3d elu embedding feature_alpha_dropout fold gelu glu "
     "grid_sample group_norm hardshrink hardsigmoid hardswish hardtanh instance_norm interpolate "
     "layer_norm leaky_relu linear local_response_norm log_softmax logsigmoid lp_pool1d lp_pool2d "
     "max_pool1d max_pool2d max_pool3d mish normalize pad pairwise_distance pixel_shuffle "
     "pixel_unshuffle prelu relu relu6 rms_norm rrelu scaled_dot_product_attention selu sigmoid silu "
     "softmax softmin softplus softshrink softsign tanh tanhshrink threshold unfold upsample_bilinear "
     "upsample_nearest upsample"},
    {"nn.",
     "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
     "AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BatchNorm1d BatchNorm2d "
     "BatchNorm3d CELU ChannelShuffle ConstantPad1d ConstantPad2d ConstantPad3d Conv1d Conv2d Conv3d "
     "ConvTranspose1d ConvTranspose2d ConvTranspose3d Dropout Dropout2d Dropout3d ELU Embedding Fold "
     "GELU GLU GroupNorm GRU Hardshrink Hardsigmoid Hardswish Hardtanh Identity InstanceNorm1d "
     "InstanceNorm2d InstanceNorm3d LayerNorm LeakyReLU Linear LocalResponseNorm LogSigmoid "
     "LogSoftmax LPPool1d LPPool2d LSTM MaxPool1d MaxPool2d MaxPool3d Mish MultiheadAttention "
     "PixelShuffle PixelUnshuffle PReLU ReflectionPad1d ReflectionPad2d ReLU ReLU6 ReplicationPad1d "
     "ReplicationPad2d ReplicationPad3d RMSNorm RNN RReLU SELU Sigmoid SiLU Softmax Softmax2d Softmin "
     "Softplus Softshrink Softsign Tanh Tanhshrink Threshold Unfold Upsample UpsamplingBilinear2d "
     "UpsamplingNearest2d ZeroPad2d"},
    {"Tensor.",
     "contiguous expand fill index index_put masked_fill new_empty new_full new_ones new_zeros "
     "permute repeat reshape reshape_as select slice slice_copy to type_as unflatten view"},
    {"torch.",
     "abs acos acosh addmm amax amin arange argmax argmin asin asinh atan atan2 atanh bitwise_and "
     "bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm cat ceil chunk "
     "clamp clone complex cos cosh cross cumprod cumsum diag einsum eq exp flatten flip floor full "
     "full_like gather ge gt imag index_select istft le lgamma log log10 logaddexp logical_and "
     "logical_not logical_or logical_xor logsumexp lt masked_select matmul max maximum mean min "
     "minimum mm mv narrow ne neg norm ones ones_like permute positive pow prod real reciprocal "
     "repeat_interleave roll round rsqrt scatter_add sign sin sinh slice_scatter split sqrt square "
     "squeeze stack std stft sum t tan tanh tensor_split tile topk transpose trunc unbind unsqueeze "
     "view_as_complex view_as_real where zeros zeros_like"},
    {"torch.fft.",
     "fft fft2 fftn hfft hfft2 hfftn ifft ifft2 ifftn ihfft ihfft2 ihfftn irfft irfft2 irfftn rfft "
     "rfft2 rfftn"},
    {"torchvision.ops.", "DeformConv2d RoIAlign"},
    {"torchaudio.functional.", "inverse_spectrogram spectrogram"}};

TEST(PnnxSuite, OfOperatorsIsKnown) {
  size_t count = 0;
  for (const auto& [prefix, words] : kSuite) {
    std::istringstream names(words);
    for (std::string name; names >> name; ++count) {
      EXPECT_NE(pnnx::find_entry(prefix + name), nullptr) << prefix << name;
    }
  }
  EXPECT_EQ(count, 314u);
}

}  // namespace
}  // namespace wasmvino::test
