// SPDX-License-Identifier: Apache-2.0
// Predicts how long a network takes with more threads than the machine has processors, from the times of its nodes with one and
// with two threads. All times are in microseconds.

/** The networks, and the largest serial share that each is meant to have. */
export const NETWORKS = {
  mobilenet_v2: {title: 'MobileNetV2', target: 0.06},
  resnet50: {title: 'ResNet-50', target: 0.03},
  yolov8n_320: {title: 'YOLOv8n', target: 0.03},
  minilm_l6_s128: {title: 'MiniLM, 128 tokens', target: 0.03},
};

/** A node is split among threads if two of them make it this much faster. */
export const SPLIT_GAIN = 1.3;
/**
 * The smallest part of a matmul or convolution (src/ops/matrix/gemm.cc), of one that quantises its data
 * (src/ops/quantised_data/dynamic_mat_mul.cc), and of other nodes (10 to 20 µs).
 */
export const GRAIN_MULTIPLY_ADDS = 2 ** 18;
export const DYNAMIC_GRAIN = 2 ** 17;
export const GRAIN_US = 15;

/**
 * @typedef {{name: string, one: number, two: number, calls: number, multiplyAdds?: number, grain?: number}} NodeTimes a node's
 *   time with one and with two threads in a run, how often it runs, and if it is a matmul or a convolution, the multiply-adds of
 *   one time and of its smallest part
 * @typedef {{outside: number, nodes: NodeTimes[]}} NetworkTimes outside: the time of a run outside its nodes
 */

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** @param {NodeTimes} node */
export const isSplit = ({one, two}) => one > SPLIT_GAIN * two;

/** @param {NetworkTimes} network @returns {number} its time with one thread */
export const timeOfOne = ({outside, nodes}) => outside + sum(nodes.map(({one}) => one));

/** @param {NetworkTimes} network @returns {number} the time that only one thread works */
export const serialTime = ({outside, nodes}) => outside + sum(nodes.filter((node) => !isSplit(node)).map(({one}) => one));

/** Time of a split node. It has as many parts as grains, but two at least. */
function splitTime({one, calls, multiplyAdds, grain = GRAIN_MULTIPLY_ADDS}, threads) {
  const grains = multiplyAdds ? multiplyAdds / grain : one / calls / GRAIN_US;
  return one / Math.min(threads, Math.max(2, Math.floor(grains)));
}

/**
 * @param {NetworkTimes} network
 * @param {number} threads at least 2
 * @param {number} region what it costs to share one node among that many threads
 * @returns {number} predicted time of a run
 */
export function predict(network, threads, region) {
  const split = network.nodes.filter(isSplit);
  return serialTime(network) + sum(split.map((node) => splitTime(node, threads) + node.calls * region));
}
