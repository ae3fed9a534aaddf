// SPDX-License-Identifier: Apache-2.0
// The network of a language model with its cache of keys and values.
import {Tensor, WasmvinoError, type CompiledModel, type InferRequest} from './engine.js';
import {check} from './check.js';

/** The logits of the last position of each row. */
export class Logits {
  readonly #data: Float32Array;
  readonly #rows: number;
  readonly #size: number;

  constructor(tensor: Tensor) {
    const [, rows, size] = tensor.getShape();
    check(tensor.getElementType() === 'f32' && size !== undefined, `The model's logits are of type ${tensor.getElementType()} and shape [${tensor.getShape()}], expected f32 and 3 axes.`, 'INVALID_MODEL');
    this.#data = tensor.data as Float32Array;
    [this.#rows, this.#size] = [rows!, size];
  }

  /** Returns the logits of a row. They must not be changed. */
  of(row: number): Float32Array {
    const end = (row + 1) * this.#rows * this.#size;
    return this.#data.subarray(end - this.#size, end);
  }
}

const inputNames = ['input_ids', 'attention_mask', 'position_ids', 'beam_idx'];

/** Runs a stateful language model. */
export class Network {
  readonly #request: InferRequest;
  readonly #types: Map<string, string>;
  // Padding in front of each row of the cache, and the length of the rows with it.
  #padding: number[] = [];
  #length = 0;
  // The tokens in the cache, if it has one row that no beam was taken from.
  #cached: number[] | undefined;

  constructor(compiled: CompiledModel) {
    this.#types = new Map(compiled.inputs.map((input) => [input.getAnyName(), String(input.elementType)]));
    const unknown = [...this.#types.keys()].filter((name) => !inputNames.includes(name));
    const missing = ['input_ids', 'attention_mask', 'beam_idx'].filter((name) => !this.#types.has(name));
    check(
      unknown.length === 0 && missing.length === 0,
      `Model should have 3 or 4 inputs: either (input_ids, attention_mask, beam_idx) or (input_ids, attention_mask, position_ids, beam_idx) but you have '${this.#types.size}' inputs: ${[...this.#types.keys()].join(', ')}`,
      'INVALID_MODEL',
    );
    this.#request = compiled.createInferRequest();
  }

  #tensor(name: string, shape: number[], values: readonly number[]): Tensor {
    return this.#types.get(name) === 'i32' ? new Tensor('i32', shape, Int32Array.from(values)) : new Tensor('i64', shape, BigInt64Array.from(values, BigInt));
  }

  // Adds columns of tokens to the cache. `origins` are the rows of the cache that the rows of tokens continue.
  async #run(tokens: readonly number[][], origins: readonly number[], signal: AbortSignal | undefined): Promise<Logits> {
    const [rows, columns] = [tokens.length, tokens[0]!.length];
    const length = this.#length + columns;
    const padding = origins.map((row) => this.#padding[row]!);
    const mask = padding.flatMap((count) => Array.from({length}, (_, i) => (i < count ? 0 : 1)));
    const positions = padding.flatMap((count) => Array.from({length: columns}, (_, i) => Math.max(this.#length + i - count, 0)));
    const inputs: Record<string, Tensor> = {
      input_ids: this.#tensor('input_ids', [rows, columns], tokens.flat()),
      attention_mask: this.#tensor('attention_mask', [rows, length], mask),
      beam_idx: this.#tensor('beam_idx', [rows], origins),
    };
    if (this.#types.has('position_ids')) inputs['position_ids'] = this.#tensor('position_ids', [rows, columns], positions);
    try {
      const results = await this.#request.inferAsync(inputs, {signal});
      const logits = results['logits'] ?? Object.values(results)[0]!;
      [this.#padding, this.#length] = [padding, length];
      return new Logits(logits);
    } catch (error) {
      this.#cached = undefined; // the cache may have changed in part
      throw error instanceof WasmvinoError && error.code === 'OUT_OF_MEMORY' ? outOfMemory(rows, length, error) : error;
    }
  }

  /** Forgets all tokens. */
  reset(): void {
    this.#request.resetState();
    [this.#padding, this.#length, this.#cached] = [[], 0, undefined];
  }

  /**
   * Reads prompts. A single prompt continues the cache as far as it begins with the tokens there.
   *
   * @returns Logits with a row for each prompt.
   */
  async prefill(prompts: readonly number[][], signal?: AbortSignal): Promise<Logits> {
    const [first] = prompts;
    if (prompts.length === 1 && (await this.#keep(first!))) {
      const rest = first!.slice(this.#length);
      const logits = await this.#run([rest], [0], signal);
      this.#cached = [...first!];
      return logits;
    }
    this.reset();
    const length = Math.max(...prompts.map((prompt) => prompt.length));
    this.#padding = prompts.map((prompt) => length - prompt.length);
    // What a padding token is does not matter: nothing attends to it.
    const padded = prompts.map((prompt, i) => [...new Array<number>(this.#padding[i]!).fill(0), ...prompt]);
    const logits = await this.#run(padded, [...padded.keys()], signal);
    if (prompts.length === 1) this.#cached = [...first!];
    return logits;
  }

  /**
   * Adds a token to each row.
   *
   * @param tokens The tokens.
   * @param origins The rows of the last run that they continue.
   */
  async step(tokens: readonly number[], origins: readonly number[], signal?: AbortSignal): Promise<Logits> {
    const cached = tokens.length === 1 && this.#padding.length === 1 ? this.#cached : undefined;
    this.#cached = undefined;
    const logits = await this.#run(tokens.map((token) => [token]), origins, signal);
    cached?.push(tokens[0]!);
    this.#cached = cached;
    return logits;
  }

  // Shortens the cache to its common beginning with the prompt, of which at least one token remains to be read. Returns
  // whether anything is left.
  async #keep(prompt: readonly number[]): Promise<boolean> {
    const cached = this.#cached;
    if (!cached) return false;
    let common = 0;
    while (common < cached.length && common < prompt.length - 1 && cached[common] === prompt[common]) ++common;
    if (common === 0) return false;
    if (common < cached.length && !(await this.#shorten(common))) return false;
    this.#cached = cached.slice(0, common);
    return true;
  }

  // Returns false, and changes nothing, if the variables of the model are not caches with one axis of the cache's length.
  async #shorten(length: number): Promise<boolean> {
    const variables = this.#request.queryState();
    const shortened: Tensor[] = [];
    for (const variable of variables) {
      const state = await variable.getStateAsync();
      const axes = state.getShape().flatMap((size, axis) => (size === this.#length ? [axis] : []));
      if (axes.length !== 1) return false;
      shortened.push(beginning(state, axes[0]!, length));
    }
    variables.forEach((variable, i) => variable.setState(shortened[i]!));
    this.#length = length;
    return true;
  }
}

// The first `length` positions of an axis.
function beginning(tensor: Tensor, axis: number, length: number): Tensor {
  const shape = tensor.getShape();
  const rest = shape.slice(axis + 1).reduce((product, size) => product * size, 1);
  const [before, after] = [shape[axis]! * rest, length * rest];
  const data = tensor.data;
  const kept = data.slice(0, (data.length / before) * after);
  for (let from = before, to = after; from < data.length; from += before, to += after) {
    kept.set(data.subarray(from, from + after) as never, to);
  }
  return new Tensor(tensor.getElementType(), shape.map((size, i) => (i === axis ? length : size)), kept);
}

function outOfMemory(rows: number, length: number, cause: WasmvinoError): WasmvinoError {
  const what = rows === 1 ? `${length} tokens` : `${rows} sequences of ${length} tokens`;
  return new WasmvinoError('OUT_OF_MEMORY', `The context of ${what} does not fit in memory: use a shorter prompt or a smaller max_new_tokens. ${cause.message}`, {cause});
}
