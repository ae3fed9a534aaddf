# SPDX-License-Identifier: Apache-2.0
"""Writes cases for the operators of ai.onnx.ml and com.microsoft and for quantised ones: onnxruntime_cases.py FOLDER.

The results are those of onnxruntime with graph optimisations off. Cases have the form of generate.py.
"""

import json
import sys
from pathlib import Path

import generate
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ML = "ai.onnx.ml"
MS = "com.microsoft"
RNG = np.random.default_rng(7)
CASES = {}


def real(*shape, low=-1.0, high=1.0):
    return RNG.uniform(low, high, shape).astype(np.float32)


def integers(dtype, *shape):
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max + 1, shape).astype(dtype)


def weights_of(dtype, *shape):
    """Weights of 7 bits if they are signed: with more, onnxruntime's sums of u8 times i8 saturate without VNNI."""
    values = integers(dtype, *shape)
    return values // dtype(2) if dtype == np.int8 else values


def case(name, op, inputs, outputs, domain="", constants=(), tolerance=None, **attributes):
    """inputs: values by position, None for an absent one; those whose positions are in `constants` become
    initializers. outputs: names, "" for an absent one; those that begin with _ are no outputs of the model."""
    CASES[name] = (op, inputs, outputs, domain, set(constants), tolerance, attributes)


def ml_cases():
    x = real(5, 3, low=-2, high=2)
    for function in ("NONE", "LOGISTIC", "SOFTMAX"):
        for kind, ids in (("one", [0] * 8), ("two", [0, 1] * 6), ("three", [0, 1, 2, 1, 0, 2, 1, 0])):
            labels = max(2, max(ids) + 1)
            for signed in (False, True):
                weights = real(len(ids)) if signed else np.abs(real(len(ids)))
                # Two trees of five nodes: 0 (1 | 2 (3 | 4)). Their leaves are 1, 3 and 4.
                nodes = dict(
                    nodes_treeids=[0] * 5 + [1] * 5,
                    nodes_nodeids=[0, 1, 2, 3, 4] * 2,
                    nodes_featureids=[0, 0, 1, 0, 0, 2, 0, 0, 0, 0],
                    nodes_values=real(10).tolist(),
                    nodes_modes=["BRANCH_LEQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "BRANCH_GTE",
                                 "LEAF", "LEAF"],
                    nodes_truenodeids=[1, 0, 3, 0, 0] * 2,
                    nodes_falsenodeids=[2, 0, 4, 0, 0] * 2,
                    nodes_missing_value_tracks_true=[1, 0, 0, 0, 0, 0, 0, 1, 0, 0],
                )
                # onnxruntime compares only the scores of classes that a leaf names, and takes class 1 of two whenever
                # its score is positive. ONNX's reference takes the greatest score.
                # It also treats rows apart whose leaves name one of two classes only.
                leaves = [1, 1, 3, 3, 4, 4] * 2 if kind == "two" else [1, 3, 4, 4, 1, 3, 3, 4]
                label = "_label" if kind == "two" or (kind == "three" and signed) else "label"
                case(f"ml/tree_classifier_{kind}_{function.lower()}_{'signed' if signed else 'positive'}",
                     "TreeEnsembleClassifier", [x], [label, "scores"], ML,
                     class_treeids=[i * 2 // len(ids) for i in range(len(ids))], class_nodeids=leaves,
                     class_ids=ids, class_weights=weights.tolist(), classlabels_int64s=list(range(labels)),
                     post_transform=function, **nodes)
    for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
        case(f"ml/tree_regressor_{aggregate.lower()}", "TreeEnsembleRegressor", [x], ["y"], ML,
             target_treeids=[0, 0, 0, 1, 1, 1], target_nodeids=[1, 3, 4, 1, 3, 4], target_ids=[0] * 6,
             target_weights=real(6).tolist(), n_targets=1, base_values=[0.5], aggregate_function=aggregate,
             **{**nodes, "nodes_values": real(10).tolist()})
    labels = ["a", "b"]
    case("ml/tree_classifier_strings_f64", "TreeEnsembleClassifier", [x.astype(np.float64)], ["label", "scores"], ML,
         class_treeids=[0, 0, 0, 1, 1, 1], class_nodeids=[1, 3, 4, 1, 3, 4], class_ids=[0] * 6,
         class_weights=real(6).tolist(), classlabels_strings=labels, post_transform="LOGISTIC", base_values=[0.1],
         **nodes)
    for function in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
        for rows, labels in ((1, [4, 7]), (2, [3, 4]), (3, [3, 4, 5])):
            case(f"ml/linear_classifier_{rows}_{function.lower()}", "LinearClassifier", [x], ["label", "scores"], ML,
                 coefficients=real(3 * rows).tolist(), intercepts=real(rows).tolist(), multi_class=int(rows > 1),
                 post_transform=function, classlabels_ints=labels)
        for targets in (1, 2):
            case(f"ml/linear_regressor_{targets}_{function.lower()}", "LinearRegressor", [x], ["y"], ML,
                 coefficients=real(3 * targets).tolist(), intercepts=real(targets).tolist(), targets=targets,
                 post_transform=function)
    case("ml/linear_regressor_probit", "LinearRegressor", [real(4, 2, low=0, high=1)], ["y"], ML,
         coefficients=[0.25, 0.5, 0.5, 0.25], intercepts=[0.1, 0.1], targets=2, post_transform="PROBIT")
    for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        for classes, counts in ((2, [2, 2]), (3, [1, 2, 1])):
            pairs = classes * (classes - 1) // 2
            common = dict(kernel_type=kernel, kernel_params=[0.5, 0.1, 2.0], support_vectors=real(12).tolist(),
                          vectors_per_class=counts, coefficients=real(4 * (classes - 1)).tolist(),
                          rho=real(pairs).tolist(), classlabels_ints=list(range(3, 3 + classes)))
            for function in ("NONE", "LOGISTIC", "SOFTMAX"):
                case(f"ml/svm_classifier_{kernel.lower()}_{classes}_{function.lower()}", "SVMClassifier", [x],
                     ["label", "scores"], ML, post_transform=function, **common)
            case(f"ml/svm_classifier_{kernel.lower()}_{classes}_probabilities", "SVMClassifier", [x],
                 ["label", "scores"], ML, prob_a=real(pairs, low=-2, high=-1).tolist(),
                 prob_b=real(pairs).tolist(), **common)
        case(f"ml/svm_regressor_{kernel.lower()}", "SVMRegressor", [x], ["y"], ML, kernel_type=kernel,
             kernel_params=[0.5, 0.1, 2.0], support_vectors=real(12).tolist(), n_supports=4,
             coefficients=real(4).tolist(), rho=[0.2])
        case(f"ml/svm_one_class_{kernel.lower()}", "SVMRegressor", [x], ["y"], ML, kernel_type=kernel,
             kernel_params=[0.5, 0.1, 2.0], support_vectors=real(12).tolist(), n_supports=4, one_class=1,
             coefficients=real(4).tolist(), rho=[0.2])
    case("ml/scaler", "Scaler", [x], ["y"], ML, offset=[0.5, 1.0, -1.0], scale=[2.0, 3.0, 0.5])
    case("ml/scaler_i64_one", "Scaler", [np.array([[1, 2, 3]], np.int64)], ["y"], ML, offset=[0.5], scale=[2.0])
    for norm in ("MAX", "L1", "L2"):
        case(f"ml/normalizer_{norm.lower()}", "Normalizer",
             [np.array([[1, 2], [-3, -0.5], [0, 0], [-4, 1]], np.float32)], ["y"], ML, norm=norm)
    case("ml/binarizer", "Binarizer", [x], ["y"], ML, threshold=0.25)
    nan = np.array([[1, np.nan, 3], [np.nan, 5, 6]], np.float32)
    case("ml/imputer_nan", "Imputer", [nan], ["y"], ML, imputed_value_floats=[7.0, 8.0, 9.0],
         replaced_value_float=float("nan"))
    case("ml/imputer_one", "Imputer", [np.array([[1, -1], [2, 3]], np.int64)], ["y"], ML, imputed_value_int64s=[9],
         replaced_value_int64=-1)
    case("ml/array_feature_extractor", "ArrayFeatureExtractor", [x, np.array([2, 0, 2], np.int64)], ["y"], ML)
    case("ml/array_feature_extractor_list", "ArrayFeatureExtractor", [x[0], np.array([[2, 0]], np.int64)], ["y"], ML)
    case("ml/feature_vectorizer", "FeatureVectorizer", [x, real(5, 2)], ["y"], ML, inputdimensions=[3, 2])
    words = np.array(["b", "x", "a"], object)
    numbers = np.array([[1, 9], [2, 1]], np.int64)
    case("ml/label_encoder_to_int", "LabelEncoder", [words], ["y"], ML, keys_strings=["a", "b"], values_int64s=[7, 8],
         default_int64=-3)
    case("ml/label_encoder_to_string", "LabelEncoder", [numbers], ["y"], ML, keys_int64s=[1, 2],
         values_strings=["one", "two"])
    case("ml/label_encoder_to_float", "LabelEncoder", [numbers], ["y"], ML, keys_int64s=[1, 2],
         values_floats=[1.5, 2.5], default_float=0.25)
    case("ml/category_mapper", "CategoryMapper", [words], ["y"], ML, cats_strings=["a", "b"], cats_int64s=[7, 8])
    case("ml/category_mapper_back", "CategoryMapper", [numbers], ["y"], ML, cats_strings=["a", "b"],
         cats_int64s=[1, 2])
    case("ml/one_hot_encoder", "OneHotEncoder", [numbers], ["y"], ML, cats_int64s=[2, 1, 5])
    case("ml/one_hot_encoder_words", "OneHotEncoder", [words], ["y"], ML, cats_strings=["a", "b"], zeros=1)


def quantised_cases():
    x = real(3, 4, 6, low=-3, high=3)
    for dtype in (np.uint8, np.int8, np.uint16, np.int16):
        name = np.dtype(dtype).name
        zero = np.array(3, dtype)
        scale = np.array(0.02 if dtype in (np.uint8, np.int8) else 0.0005, np.float32)
        case(f"quantised/quantize_{name}", "QuantizeLinear", [x, scale, zero], ["y"])
        case(f"quantised/dequantize_{name}", "DequantizeLinear", [integers(dtype, 3, 4), scale, zero], ["y"])
        case(f"quantised/quantize_axis_{name}", "QuantizeLinear",
             [x, real(4, low=0.01, high=0.05), np.array([0, 1, 2, 3], dtype)], ["y"], axis=-2)
        case(f"quantised/dequantize_axis_{name}", "DequantizeLinear",
             [integers(dtype, 3, 4), real(3, low=0.01, high=0.05), np.array([1, 2, 3], dtype)], ["y"], axis=0)
        case(f"quantised/quantize_blocks_{name}", "QuantizeLinear",
             [x, real(3, 2, 6, low=0.01, high=0.05), integers(dtype, 3, 2, 6) // dtype(8)], ["y"], axis=1,
             block_size=2)
        case(f"quantised/dequantize_blocks_{name}", "DequantizeLinear",
             [integers(dtype, 4, 6), real(4, 3, low=0.01, high=0.05), integers(dtype, 4, 3) // dtype(8)], ["y"],
             axis=1, block_size=2)
    # Halves are rounded to even; values out of range saturate.
    halves = np.array([-1e9, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 1e9], np.float32)
    case("quantised/quantize_halves", "QuantizeLinear", [halves, np.float32(1), np.int8(0)], ["y"])
    case("quantised/quantize_default_type", "QuantizeLinear", [halves, np.float32(0.5)], ["y"])
    case("quantised/dequantize_i32", "DequantizeLinear", [integers(np.int32, 5), np.float32(0.25)], ["y"])
    for name, values in (("mixed", x), ("positive", np.abs(x) + 1), ("negative", -np.abs(x)), ("zero", 0 * x)):
        case(f"quantised/dynamic_{name}", "DynamicQuantizeLinear", [values], ["y", "scale", "zero"])
    for a in (np.uint8, np.int8):
        for b in (np.uint8, np.int8) if a == np.uint8 else (np.int8,):
            name = f"{np.dtype(a).name}_{np.dtype(b).name}"
            case(f"quantised/mat_mul_integer_{name}", "MatMulInteger",
                 [integers(a, 5, 7), weights_of(b, 7, 3), np.array(5, a), np.array(-3 if b == np.int8 else 3, b)], ["y"])
            case(f"quantised/q_linear_mat_mul_{name}", "QLinearMatMul",
                 [integers(a, 2, 5, 7), np.float32(0.02), np.array(5, a), weights_of(b, 2, 7, 3), np.float32(0.03),
                  np.array(3, b), np.float32(0.1), np.array(2, a)], ["y"])
    case("quantised/mat_mul_integer_columns", "MatMulInteger",
         [integers(np.uint8, 5, 7), weights_of(np.int8, 7, 3), np.uint8(9), np.array([1, 2, -3], np.int8)], ["y"])
    case("quantised/q_linear_mat_mul_columns", "QLinearMatMul",
         [integers(np.uint8, 5, 7), np.float32(0.02), np.uint8(5), weights_of(np.int8, 7, 3),
          real(3, low=0.01, high=0.05), np.array([1, 0, 2], np.int8), np.float32(0.1), np.uint8(128)], ["y"],
         constants=(3, 4, 5))
    image, filters = integers(np.uint8, 1, 4, 6, 5), integers(np.uint8, 6, 4, 3, 3)
    case("quantised/conv_integer", "ConvInteger", [image, filters, np.uint8(7), np.uint8(120)], ["y"],
         pads=[1, 1, 1, 1], strides=[2, 1])
    for groups in (1, 2, 4):
        weights = weights_of(np.int8, 8, 4 // groups, 3, 3)
        case(f"quantised/q_linear_conv_{groups}", "QLinearConv",
             [image, np.float32(0.02), np.uint8(100), weights, real(8, low=0.001, high=0.01), np.zeros(8, np.int8),
              np.float32(0.05), np.uint8(130), RNG.integers(-3000, 3000, 8).astype(np.int32)], ["y"],
             constants=(3, 4, 5, 8), pads=[1, 1, 1, 1], group=groups)
    case("quantised/q_linear_conv_i8", "QLinearConv",
         [integers(np.int8, 1, 4, 6, 5), np.float32(0.02), np.int8(-3), weights_of(np.int8, 2, 4, 3, 3), np.float32(0.01),
          np.int8(0), np.float32(0.05), np.int8(4)], ["y"], constants=(3, 4, 5), auto_pad="SAME_UPPER")


def microsoft_quantised_cases():
    a, b = integers(np.uint8, 3, 4), integers(np.uint8, 3, 4)
    scale, zero = np.float32(0.02), np.uint8(120)
    y = [np.float32(0.03), np.uint8(110)]
    triple_a, triple_b = [a, scale, zero], [b, np.float32(0.015), np.uint8(100)]
    for op in ("QLinearAdd", "QLinearMul"):
        case(f"microsoft/{op}", op, triple_a + triple_b + y, ["y"], MS)
        case(f"microsoft/{op}_broadcast", op,
             [integers(np.int8, 2, 3, 4), scale, np.int8(3), integers(np.int8, 4), scale, np.int8(-3), y[0],
              np.int8(1)], ["y"], MS)
    case("microsoft/QLinearSigmoid", "QLinearSigmoid", triple_a + [np.float32(1 / 256), np.uint8(0)], ["y"], MS,
         tolerance=1)
    case("microsoft/QLinearLeakyRelu", "QLinearLeakyRelu", triple_a + y, ["y"], MS, alpha=0.2, tolerance=1)
    for opset in (12, 13):
        case(f"microsoft/QLinearSoftmax_{opset}", "QLinearSoftmax",
             [integers(np.uint8, 2, 3, 4), scale, zero, np.float32(1 / 256), np.uint8(0)], ["y"], MS, axis=1,
             opset=opset, tolerance=1, constants=(1, 2, 3, 4))
    image = integers(np.uint8, 1, 3, 7, 6)
    for count in (0, 1):
        case(f"microsoft/QLinearAveragePool_{count}", "QLinearAveragePool", [image, scale, zero] + y, ["y"], MS,
             kernel_shape=[3, 2], strides=[2, 2], pads=[1, 1, 1, 0], count_include_pad=count, tolerance=1)
    case("microsoft/QLinearGlobalAveragePool", "QLinearGlobalAveragePool", [image, scale, zero] + y, ["y"], MS,
         channels_last=0, tolerance=1)
    case("microsoft/QLinearGlobalAveragePool_last", "QLinearGlobalAveragePool",
         [integers(np.uint8, 1, 7, 6, 3), scale, zero] + y, ["y"], MS, channels_last=1, tolerance=1)
    case("microsoft/QLinearConcat", "QLinearConcat", y + triple_a + triple_b, ["y"], MS, axis=1,
         constants=(0, 1, 3, 4, 6, 7))
    case("microsoft/QLinearWhere", "QLinearWhere", [RNG.integers(0, 2, (3, 4)).astype(bool)] + triple_a + triple_b + y,
         ["y"], MS, constants=(2, 3, 5, 6, 7, 8))
    for trans in (0, 1):
        w = weights_of(np.int8, 3, 5) if trans else weights_of(np.int8, 5, 3)
        case(f"microsoft/QGemm_{trans}", "QGemm",
             [integers(np.uint8, 4, 5), scale, zero, w, np.float32(0.01), np.int8(0),
              RNG.integers(-900, 900, 3).astype(np.int32), np.float32(0.04), np.uint8(100)], ["y"], MS, transB=trans)
    case("microsoft/QGemm_real", "QGemm",
         [integers(np.uint8, 4, 5), scale, zero, weights_of(np.int8, 5, 3), real(3, low=0.01, high=0.02),
          np.zeros(3, np.int8)], ["y"], MS, alpha=0.5)
    case("microsoft/DynamicQuantizeMatMul", "DynamicQuantizeMatMul",
         [real(4, 6), weights_of(np.int8, 6, 3), np.float32(0.02), np.int8(3), real(3)], ["y"], MS)
    case("microsoft/MatMulIntegerToFloat", "MatMulIntegerToFloat",
         [integers(np.uint8, 4, 6), weights_of(np.int8, 6, 3), np.float32(0.02), real(3, low=0.01, high=0.02),
          np.uint8(9), np.zeros(3, np.int8), real(3)], ["y"], MS)


def microsoft_cases():
    x = real(2, 3, 8)
    for op in ("Gelu", "QuickGelu"):
        case(f"microsoft/{op}", op, [x * 3], ["y"], MS)
    case("microsoft/FastGelu", "FastGelu", [x * 3], ["y"], MS)
    case("microsoft/FastGelu_bias", "FastGelu", [x, real(8)], ["y"], MS)
    case("microsoft/BiasGelu", "BiasGelu", [x, real(8)], ["y"], MS)
    gamma, beta = real(8), real(8)
    case("microsoft/SkipLayerNormalization", "SkipLayerNormalization", [x, real(2, 3, 8), gamma, beta, real(8)],
         ["y", "", "", "sum"], MS, epsilon=1e-5)
    case("microsoft/SkipLayerNormalization_broadcast", "SkipLayerNormalization", [x, real(1, 3, 8), gamma], ["y"], MS)
    case("microsoft/SkipSimplifiedLayerNormalization", "SkipSimplifiedLayerNormalization", [x, real(2, 3, 8), gamma],
         ["y", "", "", "sum"], MS)
    case("microsoft/SimplifiedLayerNormalization", "SimplifiedLayerNormalization", [x, gamma], ["y"], "", axis=-1)
    ids = RNG.integers(0, 6, (2, 3)).astype(np.int32)
    case("microsoft/EmbedLayerNormalization", "EmbedLayerNormalization",
         [ids, ids % 2, real(6, 8), real(5, 8), real(2, 8), gamma, beta, np.array([[1, 1, 0], [1, 1, 1]], np.int32)],
         ["y", "mask"], MS)
    case("microsoft/EmbedLayerNormalization_short", "EmbedLayerNormalization",
         [ids, None, real(6, 8), real(5, 8), None, gamma, beta], ["y", "mask"], MS)
    case("microsoft/FusedMatMul", "FusedMatMul", [real(2, 4, 3), real(2, 5, 4)], ["y"], MS, transA=1, transB=1,
         alpha=0.5)
    case("microsoft/FusedMatMul_batch", "FusedMatMul", [real(4, 2, 3), real(2, 3, 5)], ["y"], MS, transBatchA=1)
    case("microsoft/FusedGemm", "FusedGemm", [real(3, 4), real(4, 5), real(5)], ["y"], MS, alpha=0.5, beta=2.0,
         activation="LeakyRelu", activation_alpha=0.2)
    for activation, parameters in (("Relu", None), ("Tanh", None), ("LeakyRelu", [0.3]), ("Clip", [-0.1, 0.4]),
                                   ("HardSigmoid", [0.3, 0.4])):
        extra = {"activation_params": parameters} if parameters else {}
        case(f"microsoft/FusedConv_{activation}", "FusedConv",
             [real(1, 3, 5, 5), real(4, 3, 3, 3), real(4)], ["y"], MS, pads=[1, 1, 1, 1], activation=activation,
             **extra)
    case("microsoft/FusedConv_sum", "FusedConv",
         [real(1, 3, 5, 5), real(4, 3, 3, 3), real(4), real(1, 4, 5, 5)], ["y"], MS, pads=[1, 1, 1, 1],
         activation="Relu")
    case("microsoft/CDist", "CDist", [real(4, 3), real(5, 3)], ["y"], MS, metric="euclidean")
    case("microsoft/ExpandDims", "ExpandDims", [x, np.int32(1)], ["y"], MS, constants=(1,))
    for bits in (2, 4, 8):
        for k, block in ((64, 16), (40, 16)):
            for zero in ("none", "packed"):
                blocks, n = -(-k // block), 5
                weights = integers(np.uint8, n, blocks, block * bits // 8)
                scales = real(n, blocks, low=0.01, high=0.1)
                inputs = [real(2, 3, k), weights, scales.reshape(-1)]
                if zero == "packed":
                    inputs.append(integers(np.uint8, n, -(-blocks * bits // 8)).reshape(-1))
                for constant in (True, False):
                    case(f"microsoft/MatMulNBits_{bits}_{k}_{zero}_{'constant' if constant else 'input'}",
                         "MatMulNBits", inputs, ["y"], MS, constants=(1, 2, 3) if constant else (), K=k, N=n,
                         bits=bits, block_size=block)
    case("microsoft/MatMulNBits_bias", "MatMulNBits",
         [real(3, 32), integers(np.uint8, 6, 1, 16), real(6, 1), None, None, real(6)], ["y"], MS, constants=(1, 2, 5),
         K=32, N=6, bits=4, block_size=32)
    for kind in (0, 1):
        for k in (64, 24):
            for constant in (True, False):
                case(f"microsoft/MatMulBnb4_{kind}_{k}_{'constant' if constant else 'input'}", "MatMulBnb4",
                     [real(2, k), integers(np.uint8, 8 * k // 2), real(-(-8 * k // 64), low=0.1, high=1)], ["y"], MS,
                     constants=(1, 2) if constant else (), K=k, N=8, block_size=64, quant_type=kind)
    indices = np.array([[1, 0, 4]], np.int64)
    for bits in (4, 8):
        for zero in (False, True):
            data, scales = integers(np.uint8, 5, 32 * bits // 8), real(5, 2, low=0.01, high=0.1)
            inputs = [data, indices, scales] + ([integers(np.uint8, 5, 2 * bits // 8)] if zero else [])
            for constant in (True, False):
                case(f"microsoft/GatherBlockQuantized_{bits}_{zero}_{'constant' if constant else 'input'}",
                     "GatherBlockQuantized", inputs, ["y"], MS, constants=(0, 2, 3) if constant else (), bits=bits,
                     block_size=16, gather_axis=0, quantize_axis=1)


def attention_cases():
    batch, length, heads, width = 2, 3, 4, 8
    hidden = heads * width
    cos, sin = real(12, width // 2), real(12, width // 2)
    for interleaved in (0, 1):
        case(f"attention/RotaryEmbedding_{interleaved}", "RotaryEmbedding",
             [real(batch, length, hidden), np.array([[0, 1, 2], [4, 5, 6]], np.int64), cos, sin], ["y"], MS,
             interleaved=interleaved)
    case("attention/RotaryEmbedding_heads", "RotaryEmbedding",
         [real(batch, heads, length, width), np.array([3], np.int64), cos, sin], ["y"], MS)
    case("attention/RotaryEmbedding_partial", "RotaryEmbedding",
         [real(batch, length, hidden), np.array([2], np.int64), cos[:, :2], sin[:, :2]], ["y"], MS, num_heads=heads,
         rotary_embedding_dim=4)

    q, k, v = (real(batch, n, hidden) for n in (length, 5, 5))
    case("attention/MultiHeadAttention", "MultiHeadAttention", [q, k, v], ["y"], MS, num_heads=heads)
    case("attention/MultiHeadAttention_bias", "MultiHeadAttention", [q, k, v, real(3 * hidden)], ["y"], MS,
         num_heads=heads, scale=0.3)
    for name, mask in (("lengths", np.array([3, 5], np.int32)),
                       ("keys", np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32))):
        case(f"attention/MultiHeadAttention_mask_{name}", "MultiHeadAttention", [q, k, v, None, mask], ["y"], MS,
             num_heads=heads)
    case("attention/MultiHeadAttention_attention_bias", "MultiHeadAttention",
         [q, k, v, None, None, real(1, heads, length, 5)], ["y"], MS, num_heads=heads)
    past = real(batch, heads, 2, width)
    case("attention/MultiHeadAttention_past", "MultiHeadAttention",
         [q, q + 1, q - 1, None, None, None, past, past * 2], ["y", "key", "value"], MS, num_heads=heads)
    case("attention/MultiHeadAttention_causal", "MultiHeadAttention", [q, q + 1, q - 1], ["y"], MS, num_heads=heads,
         unidirectional=1)
    case("attention/MultiHeadAttention_cross", "MultiHeadAttention",
         [q, real(batch, heads, 5, width), real(batch, heads, 5, width)], ["y"], MS, num_heads=heads)

    x, w = real(batch, length, 6), real(6, 3 * hidden)
    bias = real(3 * hidden)
    case("attention/Attention", "Attention", [x, w, bias], ["y"], MS, num_heads=heads)
    case("attention/Attention_causal", "Attention", [x, w, bias], ["y"], MS, num_heads=heads, unidirectional=1)
    for name, mask in (("lengths", np.array([2, 3], np.int32)),
                       ("ends", np.array([3, 2, 1, 0], np.int32)),
                       ("keys", np.array([[1, 1, 0], [0, 1, 1]], np.int32)),
                       ("rows", RNG.integers(0, 2, (batch, length, length)).astype(np.int32))):
        case(f"attention/Attention_mask_{name}", "Attention", [x, w, bias, mask], ["y"], MS, num_heads=heads)
    case("attention/Attention_past", "Attention", [x, w, bias, None, real(2, batch, heads, 2, width)],
         ["y", "present"], MS, num_heads=heads, unidirectional=1)
    case("attention/Attention_sizes", "Attention", [x, real(6, 32 + 32 + 16), real(80)], ["y"], MS, num_heads=heads,
         qkv_hidden_sizes=[32, 32, 16])
    case("attention/QAttention", "QAttention",
         [integers(np.uint8, batch, length, 6), weights_of(np.int8, 6, 3 * hidden), bias, np.float32(0.02),
          np.float32(0.01), None, np.uint8(120), np.int8(0)], ["y"], MS, num_heads=heads)

    shared, width = 2, 16
    hidden = heads * width
    cos, sin = real(12, width // 2), real(12, width // 2)
    rows = real(batch, length, hidden)
    new_k, new_v = real(batch, length, shared * width), real(batch, length, shared * width)
    total = np.int32(length)
    last = np.full(batch, length - 1, np.int32)

    def gqa(name, inputs, **attributes):
        case(f"attention/GroupQueryAttention_{name}", "GroupQueryAttention", inputs, ["y", "key", "value"], MS,
             num_heads=heads, kv_num_heads=shared, **attributes)

    empty = np.zeros((batch, shared, 0, width), np.float32)
    gqa("prompt", [rows, new_k, new_v, empty, empty, last, total])
    gqa("rotary", [rows, new_k, new_v, empty, empty, last, total, cos, sin], do_rotary=1)
    gqa("rotary_interleaved", [rows, new_k, new_v, empty, empty, last, total, cos, sin], do_rotary=1,
        rotary_interleaved=1)
    past_k, past_v = real(batch, shared, 4, width), real(batch, shared, 4, width)
    one = [rows[:, :1], new_k[:, :1], new_v[:, :1]]
    gqa("token", one + [past_k, past_v, np.full(batch, 4, np.int32), np.int32(5), cos, sin], do_rotary=1)
    gqa("window", one + [past_k, past_v, np.full(batch, 4, np.int32), np.int32(5), cos, sin], do_rotary=1,
        local_window_size=2)
    gqa("softcap", one + [past_k, past_v, np.full(batch, 4, np.int32), np.int32(5)], softcap=2.0)
    gqa("smooth", one + [past_k, past_v, np.full(batch, 4, np.int32), np.int32(5)], smooth_softmax=1)
    gqa("sink", one + [past_k, past_v, np.full(batch, 4, np.int32), np.int32(5), None, None, None, None, real(heads)])
    gqa("lengths", one + [past_k, past_v, np.array([4, 2], np.int32), np.int32(5), cos, sin], do_rotary=1)
    gqa("several", [rows[:1], new_k[:1], new_v[:1], past_k[:1], past_v[:1], np.full(1, 6, np.int32), np.int32(7), cos,
                    sin], do_rotary=1)
    packed = np.concatenate([rows, new_k, new_v], axis=2)
    gqa("packed", [packed, None, None, empty, empty, last, total, cos, sin], do_rotary=1)


def expert_cases():
    rows, hidden, inter, experts = 3, 32, 16, 3
    x, logits = real(rows, hidden), real(rows, experts, low=-2, high=2)
    first, first_bias = real(experts, inter, hidden), real(experts, inter)
    second, second_bias = real(experts, hidden, inter), real(experts, hidden)
    for activation in ("relu", "gelu", "silu", "identity"):
        for normalised in (0, 1):
            case(f"experts/MoE_{activation}_{normalised}", "MoE",
                 [x, logits, first, first_bias, second, second_bias], ["y"], MS, k=1 + normalised,
                 activation_type=activation, normalize_routing_weights=normalised)
    case("experts/MoE_swiglu", "MoE",
         [real(1, rows, hidden), logits, real(experts, 2 * inter, hidden), real(experts, 2 * inter), second, second_bias],
         ["y"], MS, k=2, activation_type="swiglu", normalize_routing_weights=1, swiglu_fusion=1,
         activation_alpha=1.702, activation_beta=1.0, swiglu_limit=0.5)
    for bits in (4, 8):
        case(f"experts/QMoE_{bits}", "QMoE",
             [x, logits, integers(np.uint8, experts, inter, hidden * bits // 8), real(experts, inter, low=0.01, high=0.1),
              first_bias, integers(np.uint8, experts, hidden, inter * bits // 8), real(experts, hidden, low=0.01, high=0.1),
              second_bias], ["y"], MS, constants=(2, 3, 5, 6), k=2, activation_type="silu",
             normalize_routing_weights=1, expert_weight_bits=bits)


def shown(outputs):
    return [name for name in outputs if name and name[0] != "_"]


def element_type(array):
    return TensorProto.STRING if array.dtype == object else helper.np_dtype_to_tensor_dtype(array.dtype)


def model_of(op, inputs, outputs, domain, constants, attributes):
    names, values, initializers, feeds = [], [], [], {}
    for i, value in enumerate(inputs):
        if value is None:
            names.append("")
            continue
        name = f"x{i}"
        array = np.asarray(value)
        names.append(name)
        if i in constants:
            initializers.append(numpy_helper.from_array(array, name))
        else:
            values.append(helper.make_tensor_value_info(name, element_type(array), array.shape))
            feeds[name] = array
    while names and not names[-1]:
        names.pop()
    node = helper.make_node(op, names, outputs, domain=domain, **attributes)
    results = [onnx.ValueInfoProto(name=name) for name in shown(outputs)]
    graph = helper.make_graph([node], op, values, results, initializers)
    versions = {"": 21, ML: 3, MS: 1}
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(d, v) for d, v in versions.items()],
                              ir_version=10)
    return model, feeds


def write(folder, op, model, feeds, results, tolerance):
    graph = model.graph
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    record = {"suite": "onnxruntime", "op": op, "opset": 21, "rtol": 1e-3, "atol": tolerance or 1e-5}
    for part, prefix, ports, arrays in (("inputs", "in", graph.input, feeds.values()),
                                        ("outputs", "out", graph.output, results)):
        record[part] = [{"name": port.name, "type": generate.type_of(port)} for port in ports]
        for i, (port, array) in enumerate(zip(record[part], arrays)):
            generate.write_array(folder / f"{prefix}_{i}", port["type"], np.asarray(array))
    (folder / "case.json").write_text(json.dumps(record, indent=1) + "\n")


def main(folder):
    for make in (ml_cases, quantised_cases, microsoft_quantised_cases, microsoft_cases, attention_cases, expert_cases):
        make()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    for name, (op, inputs, outputs, domain, constants, tolerance, attributes) in CASES.items():
        model, feeds = model_of(op, inputs, outputs, domain, constants, attributes)
        session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                               providers=["CPUExecutionProvider"])
        results = session.run(shown(outputs), feeds)
        # Outputs get the types that they have.
        for output, result in zip(model.graph.output, results):
            array = np.asarray(result)
            output.CopyFrom(helper.make_tensor_value_info(output.name, element_type(array), array.shape))
        write(folder / name, op, model, feeds, results, tolerance)
    print(f"{len(CASES)} cases of onnxruntime {onnxruntime.__version__}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
