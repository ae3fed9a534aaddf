// SPDX-License-Identifier: Apache-2.0
// The JavaScript half of Embind, for functions as those of embind.cc: they take numbers, truths and std::string, and
// give std::string or nothing. Emscripten's own half knows classes, wide strings, overloads and more, which none of
// them has and every page would load: 8 KB more. A function with other types throws when it is called.
addToLibrary({
  // By Embind's ids of types: what becomes of an argument, what of it is freed after the call, what of a result.
  $wireTypes: {},

  // WebAssembly itself converts numbers and truths.
  $numberType: {take: (value) => value, free: () => {}},

  _embind_register_void__deps: ['$wireTypes'],
  _embind_register_void: (type, name) => {
    wireTypes[type] = {give: () => {}};
  },

  _embind_register_bool__deps: ['$wireTypes', '$numberType'],
  _embind_register_bool: (type, name, truth, untruth) => {
    wireTypes[type] = numberType;
  },

  _embind_register_integer__deps: ['$wireTypes', '$numberType'],
  _embind_register_integer: (type, name, size, least, most) => {
    wireTypes[type] = numberType;
  },

  _embind_register_float__deps: ['$wireTypes', '$numberType'],
  _embind_register_float: (type, name, size) => {
    wireTypes[type] = numberType;
  },

  // On the wire a string is the address of its length and its bytes, in a block of malloc's.
  _embind_register_std_string__deps: ['$wireTypes', '$utf8At', 'malloc', 'free'],
  _embind_register_std_string: (type, name) => {
    wireTypes[type] = {
      take: (value) => {
        let bytes = value;
        if (typeof value == 'string') bytes = new TextEncoder().encode(value);
        if (value instanceof ArrayBuffer) bytes = new Uint8Array(value);
        if (!(bytes instanceof Uint8Array)) throw new TypeError('Cannot pass non-string to std::string');
        const wire = _malloc({{{ POINTER_SIZE }}} + bytes.length);
        if (!wire) throw new RangeError(`out of memory: a string of ${bytes.length} bytes`);
        {{{ makeSetValue('wire', 0, 'bytes.length', SIZE_TYPE) }}};
        HEAPU8.set(bytes, wire + {{{ POINTER_SIZE }}});
        return wire;
      },
      free: _free,
      give: (result) => {
        const wire = result >>> 0;
        const text = utf8At(wire + {{{ POINTER_SIZE }}}, {{{ makeGetValue('wire', 0, SIZE_TYPE) }}});
        _free(wire);
        return text;
      },
    };
  },

  // TextDecoder refuses shared memory: it gets a copy.
  $utf8At: (address, bytes) => new TextDecoder().decode(HEAPU8.slice(address, address + bytes)),

  // Of no function here.
  _embind_register_bigint__deps: [],
  _embind_register_bigint: (type, name, size, least, most) => {},
  _embind_register_emval__deps: [],
  _embind_register_emval: (type) => {},
  _embind_register_memory_view__deps: [],
  _embind_register_memory_view: (type, index, name) => {},
  _embind_register_std_wstring__deps: [],
  _embind_register_std_wstring: (type, size, name) => {},

  // Types are looked up when it is called: they may be registered later than the function.
  _embind_register_function__deps: ['$wireTypes', '$utf8At', '$getWasmTableEntry'],
  _embind_register_function: (name, count, types, signature, invoker, target, isAsync, isNonnull) => {
    const at = types / {{{ POINTER_SIZE }}};
    const result = HEAPU32[at];
    const parameters = [...HEAPU32.slice(at + 1, at + count)];
    Module[utf8At(name, HEAPU8.indexOf(0, name) - name)] = (...args) => {
      const wires = parameters.map((type, i) => wireTypes[type].take(args[i]));
      const given = getWasmTableEntry(invoker)(target, ...wires);
      parameters.forEach((type, i) => wireTypes[type].free(wires[i]));
      return wireTypes[result].give(given);
    };
  },
});
