// SPDX-License-Identifier: Apache-2.0
import {aString, arrayOfStrings, check} from './check.js';
import {coreOf, Tensor, type InferRequest} from './engine.js';
import {PoolingType} from './enums.js';
import {Folder, type FolderOptions, type FolderSource} from './folder.js';
import {flag, size, text} from './generation_config.js';
import {parted} from './llm_pipeline.js';
import type {TokenizedInputs} from './rows.js';
import {Tokenizer} from './tokenizer.js';

/** How texts are embedded. */
export type TextEmbeddingConfig = {
  /** Number of tokens to which longer texts are truncated. Default: that of the tokenizer. */
  max_length?: number;
  /** Whether texts are padded to `max_length`. Default: false, to the longest text. */
  pad_to_max_length?: boolean;
  /** Where padding goes. Default: as the tokenizer has it. */
  padding_side?: 'left' | 'right';
  /** The number of texts of each call, if it is fixed. */
  batch_size?: number;
  /** How an embedding is made from those of the tokens. Default: CLS. */
  pooling_type?: PoolingType;
  /** Whether embeddings have length 1. Default: true. */
  normalize?: boolean;
  /** Text in front of a query. */
  query_instruction?: string;
  /** Text in front of a document. */
  embed_instruction?: string;
};

/** An embedding. */
export type EmbeddingResult = Float32Array;
/** Embeddings, one for each text. */
export type EmbeddingResults = Float32Array[];

const checked: {[Name in keyof TextEmbeddingConfig]-?: (name: string, value: unknown) => unknown} = {
  max_length: size,
  pad_to_max_length: flag,
  padding_side: text,
  batch_size: size,
  pooling_type: size,
  normalize: flag,
  query_instruction: text,
  embed_instruction: text,
};

// Throws if a member is wrong.
function validate(config: TextEmbeddingConfig): void {
  for (const [name, check] of Object.entries(checked)) {
    const value = config[name as keyof TextEmbeddingConfig];
    if (value !== undefined && value !== null) check(name, value);
  }
  check(config.max_length !== 0, 'max_length should be greater than 0');
  check(config.batch_size !== 0, 'batch_size should be greater than 0');
  check(config.pooling_type === undefined || config.pooling_type in PoolingType, 'Pooling type is not supported');
}

// The embedding of a text from those of its tokens. `rows` is [length, width].
function pooled(rows: Float32Array, mask: BigInt64Array, width: number, {pooling_type: pooling = PoolingType.CLS, padding_side: side}: TextEmbeddingConfig): Float32Array {
  const row = (i: number) => rows.slice(i * width, (i + 1) * width);
  if (pooling === PoolingType.CLS) return row(0);
  const count = mask.reduce((sum, value) => sum + Number(value), 0);
  if (pooling === PoolingType.LAST_TOKEN) return row(side === 'left' ? mask.length - 1 : Math.max(0, count - 1));
  const sums = new Float32Array(width);
  mask.forEach((value, i) => {
    if (value === 1n) for (let j = 0; j < width; ++j) sums[j]! += rows[i * width + j]!;
  });
  return sums.map((sum) => sum / Math.max(count, 1e-12));
}

function normalised(vector: Float32Array): Float32Array {
  const squares = vector.reduce((sum, value) => sum + value * value, 0);
  const length = Math.sqrt(Math.max(squares, 1e-12));
  return vector.map((value) => value / length);
}

interface Loaded {
  tokenizer: Tokenizer;
  request: InferRequest;
}

/**
 * Makes embeddings of texts.
 *
 * @example
 * const pipeline = await TextEmbeddingPipeline('./model', 'CPU', {pooling_type: PoolingType.MEAN});
 * const [first, second] = await pipeline.embedDocuments(['A cat.', 'A kitten.']);
 * const similarity = first.reduce((sum, value, i) => sum + value * second[i], 0);
 */
export class TextEmbedding {
  readonly modelPath: FolderSource;
  readonly device: string;
  readonly config: TextEmbeddingConfig;
  readonly ovProperties: Record<string, unknown> & FolderOptions & {worker?: boolean};
  #loaded: Loaded | undefined;

  /**
   * Creates a pipeline. init() loads it. TextEmbeddingPipeline() does both.
   *
   * @param modelPath Where the model is.
   * @param device 'CPU'.
   * @param config How texts are embedded.
   * @param ovProperties Properties of the engine, and how to load the folder.
   */
  constructor(modelPath: FolderSource, device = 'CPU', config: TextEmbeddingConfig = {}, ovProperties: Record<string, unknown> & FolderOptions = {}) {
    this.modelPath = modelPath;
    this.device = device;
    this.config = config;
    this.ovProperties = ovProperties;
  }

  /** Loads the model and its tokenizer. */
  async init(): Promise<void> {
    check(!this.#loaded, 'TextEmbeddingPipeline is already initialized', 'INVALID_STATE');
    validate(this.config);
    const {options, engine} = parted(this.ovProperties);
    const folder = new Folder(this.modelPath, options);
    const core = coreOf(this.ovProperties);
    const [tokenizer, model] = await Promise.all([Tokenizer.ofFolder(folder, {worker: this.ovProperties.worker}), folder.model(core, 'openvino_model')]);
    const compiled = await core.compileModel(model, this.device, engine, {signal: options.signal});
    model.dispose();
    this.#loaded = {tokenizer, request: compiled.createInferRequest()};
  }

  get #ready(): Loaded {
    check(this.#loaded, 'Pipeline is not initialized', 'INVALID_STATE');
    return this.#loaded;
  }

  #prepared(texts: string[], instruction: string | undefined): {prompts: string[]; options: object} {
    const {batch_size: batch, max_length, pad_to_max_length, padding_side} = this.config;
    check(batch === undefined || texts.length === batch, `Number of texts passed to pipeline should be equal to batch_size(${batch})`);
    const given = Object.entries({max_length, pad_to_max_length, padding_side}).filter(([, value]) => value !== undefined);
    return {prompts: texts.map((one) => (instruction ?? '') + one), options: {truncation: true, ...Object.fromEntries(given)}};
  }

  #inputs({input_ids, attention_mask}: TokenizedInputs): Record<string, Tensor> {
    const names = this.#ready.request.getCompiledModel().inputs.map((input) => input.getAnyName());
    const types = () => new Tensor('i64', input_ids.getShape(), new BigInt64Array(input_ids.getSize()));
    const positions = () => positionsOf(attention_mask);
    const made: Record<string, () => Tensor> = {input_ids: () => input_ids, attention_mask: () => attention_mask, token_type_ids: types, position_ids: positions};
    return Object.fromEntries(names.filter((name) => made[name]).map((name) => [name, made[name]!()]));
  }

  #results(outputs: Record<string, Tensor>, mask: Tensor): EmbeddingResults {
    const hidden = outputs['last_hidden_state'] ?? Object.values(outputs)[0]!;
    const [rows, length, width] = hidden.getShape();
    check(width !== undefined, `The model's output is of shape [${hidden.getShape()}], expected [texts, tokens, width].`, 'INVALID_MODEL');
    const data = hidden.data as Float32Array;
    const masks = mask.data as BigInt64Array;
    return Array.from({length: rows!}, (_, i) => {
      const part = data.subarray(i * length! * width, (i + 1) * length! * width);
      const vector = pooled(part, masks.subarray(i * length!, (i + 1) * length!), width, this.config);
      return (this.config.normalize ?? true) ? normalised(vector) : vector;
    });
  }

  async #embed(texts: string[], instruction: string | undefined): Promise<EmbeddingResults> {
    const {tokenizer, request} = this.#ready;
    if (texts.length === 0) return [];
    const {prompts, options} = this.#prepared(texts, instruction);
    const encoded = await tokenizer.encodeAsync(prompts, options);
    return this.#results(await request.inferAsync(this.#inputs(encoded)), encoded.attention_mask);
  }

  #embedSync(texts: string[], instruction: string | undefined): EmbeddingResults {
    const {tokenizer, request} = this.#ready;
    if (texts.length === 0) return [];
    const {prompts, options} = this.#prepared(texts, instruction);
    const encoded = tokenizer.encode(prompts, options);
    return this.#results(request.infer(this.#inputs(encoded)), encoded.attention_mask);
  }

  /**
   * Makes embeddings of documents.
   *
   * @param documents The documents.
   * @returns A promise of an embedding for each.
   */
  async embedDocuments(documents: string[]): Promise<EmbeddingResults> {
    return this.#embed(arrayOfStrings(documents), this.config.embed_instruction);
  }

  /**
   * Makes the embedding of a query.
   *
   * @param query The query.
   * @returns A promise of its embedding.
   */
  async embedQuery(query: string): Promise<EmbeddingResult> {
    return (await this.#embed([aString(query)], this.config.query_instruction))[0]!;
  }

  /** The synchronous form of embedDocuments(). It throws if the engine is in a worker. */
  embedDocumentsSync(documents: string[]): EmbeddingResults {
    return this.#embedSync(arrayOfStrings(documents), this.config.embed_instruction);
  }

  /** The synchronous form of embedQuery(). It throws if the engine is in a worker. */
  embedQuerySync(query: string): EmbeddingResult {
    return this.#embedSync([aString(query)], this.config.query_instruction)[0]!;
  }
}

/** @internal The position of each token in its row: the number of tokens in front of it. */
export function positionsOf(mask: Tensor): Tensor {
  const [, length] = mask.getShape();
  const data = (mask.data as BigInt64Array).slice();
  let position = 0n;
  for (let i = 0; i < data.length; ++i) {
    if (i % length! === 0) position = 0n;
    const isToken = data[i] === 1n;
    data[i] = position;
    if (isToken) ++position;
  }
  return new Tensor('i64', mask.getShape(), data);
}
