// SPDX-License-Identifier: Apache-2.0
// Measures the linear memory of an engine's WebAssembly modules, by recording each memory when it is created.

/** Starts recording. @returns () => current size of all memories in bytes */
export function watchMemories() {
  const memories = new Set();
  const notice = (instance) => {
    for (const value of Object.values(instance.exports)) {
      if (value instanceof Memory) memories.add(value);
    }
  };
  const {Memory, Instance, instantiate, instantiateStreaming} = WebAssembly;
  WebAssembly.Memory = new Proxy(Memory, {
    construct(target, args) {
      const memory = Reflect.construct(target, args);
      memories.add(memory);
      return memory;
    },
  });
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, args) {
      const instance = Reflect.construct(target, args);
      notice(instance);
      return instance;
    },
  });
  const noticing = (make) => async (...args) => {
    const result = await make.apply(WebAssembly, args);
    notice(result instanceof Instance ? result : result.instance);
    return result;
  };
  WebAssembly.instantiate = noticing(instantiate);
  if (instantiateStreaming) WebAssembly.instantiateStreaming = noticing(instantiateStreaming);
  return () => [...memories].reduce((sum, {buffer}) => sum + buffer.byteLength, 0);
}
