// SPDX-License-Identifier: Apache-2.0
// The parts of the modules that are loaded only when a model needs them.

// What the engine calls before it knows the format: these functions of a front end stay in the module.
const ofEveryFrontend = /::frontend\(\)|Frontend::(name|recognises|~\w+)\(/;

/** By name: the functions and the data that a part holds, and which of them stay in the module, by their C++ names. */
export const parts = {
  onnx: {holds: /wasmvino::onnx::/, keeps: ofEveryFrontend},
  pnnx: {holds: /wasmvino::pnnx::/, keeps: ofEveryFrontend},
};

/**
 * The segment that the linker makes of the data of a part.
 * @param {string} part
 */
export const segmentOf = (part) => `part.${part}`;

/**
 * Whether a function or a variable belongs to a part. What Binaryen splits off several functions has the name of one of them.
 * @param {{holds: RegExp, keeps: RegExp}} part
 * @param {string} name
 */
export const belongs = ({holds, keeps}, name) => holds.test(name) && !keeps.test(name) && !name.startsWith('byn$');
