// SPDX-License-Identifier: Apache-2.0
import {aString, arrayOfStrings, check} from './check.js';
import {coreOf, Tensor, type InferRequest} from './engine.js';
import {Folder, type FolderOptions, type FolderSource} from './folder.js';
import {parted} from './llm_pipeline.js';
import {positionsOf} from './text_embedding_pipeline.js';
import {Tokenizer} from './tokenizer.js';

/** How documents are ranked. */
export type TextRerankPipelineConfig = {
  /** Number of documents to return. Default: 3. */
  top_n?: number;
  /** Number of tokens to which longer texts are truncated. Default: that of the tokenizer. */
  max_length?: number;
  /** Whether texts are padded to `max_length`. Default: false. */
  pad_to_max_length?: boolean;
  /** Where padding goes. Default: as the tokenizer has it. */
  padding_side?: 'left' | 'right';
};

/** Options of TextRerankPipeline(). */
export type TextRerankPipelineOptions = {
  /** 'CPU'. */
  device?: string;
  /** How documents are ranked. */
  config?: TextRerankPipelineConfig;
  /** Properties of the engine, and how to load the folder. */
  ovProperties?: Record<string, unknown> & FolderOptions;
};

/** The position of a document and its score, from 0 to 1. */
export type TextRerankResult = [index: number, score: number];
/** Results, best first. */
export type TextRerankResults = TextRerankResult[];

const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));

interface Loaded {
  tokenizer: Tokenizer;
  request: InferRequest;
  /** The tokens "no" and "yes", for language models that answer with one of them. */
  answers?: [no: number, yes: number];
}

/**
 * Ranks documents by how well they answer a query.
 *
 * @example
 * const pipeline = await TextRerankPipeline('./model', {config: {top_n: 2}});
 * const [[best, score]] = await pipeline.rerank('Where is the cat?', ['Bread is baked.', 'The cat is on the mat.']);
 */
export class TextRerank {
  readonly modelPath: FolderSource;
  readonly device: string;
  readonly config: TextRerankPipelineConfig;
  readonly ovProperties: Record<string, unknown> & FolderOptions & {worker?: boolean};
  #loaded: Loaded | undefined;
  #busy = false;

  /**
   * Creates a pipeline. init() loads it. TextRerankPipeline() does both.
   *
   * @param modelPath Where the model is.
   * @param options Device, config and properties.
   */
  constructor(modelPath: FolderSource, options: TextRerankPipelineOptions = {}) {
    this.modelPath = modelPath;
    this.device = options.device ?? 'CPU';
    this.config = options.config ?? {};
    this.ovProperties = options.ovProperties ?? {};
  }

  /** Loads the model and its tokenizer. */
  async init(): Promise<void> {
    check(!this.#loaded, 'TextRerankPipeline is already initialized', 'INVALID_STATE');
    const {options, engine} = parted(this.ovProperties);
    const folder = new Folder(this.modelPath, options);
    const core = coreOf(this.ovProperties);
    const file = (await folder.json('config.json')) as {model_type?: unknown} | undefined;
    const isQwen = file?.model_type === 'qwen3';
    const [tokenizer, model] = await Promise.all([
      Tokenizer.ofFolder(folder, {add_second_input: !isQwen, worker: this.ovProperties.worker}),
      folder.model(core, 'openvino_model'),
    ]);
    const compiled = await core.compileModel(model, this.device, engine, {signal: options.signal});
    model.dispose();
    const answers = isQwen ? (['no', 'yes'].map((word) => tokenOf(tokenizer, word)) as [number, number]) : undefined;
    check(!this.#loaded, 'TextRerankPipeline is already initialized', 'INVALID_STATE');
    this.#loaded = {tokenizer, request: compiled.createInferRequest(), answers};
  }

  /**
   * Ranks documents.
   *
   * @param query The query.
   * @param documents The documents.
   * @returns A promise of the positions of the best `top_n` documents with their scores, best first. It rejects with a
   *   WasmvinoError: `INVALID_ARGUMENT` if an argument has the wrong type, `INVALID_STATE` during another call.
   */
  async rerank(query: string, documents: string[]): Promise<TextRerankResults> {
    check(this.#loaded, 'Pipeline is not initialized', 'INVALID_STATE');
    check(!this.#busy, 'Another reranking is already in progress', 'INVALID_STATE');
    aString(query);
    arrayOfStrings(documents);
    if (documents.length === 0) return [];
    this.#busy = true;
    try {
      return await this.#rerank(this.#loaded, query, documents);
    } finally {
      this.#busy = false;
    }
  }

  async #rerank({tokenizer, request, answers}: Loaded, query: string, documents: string[]): Promise<TextRerankResults> {
    const {top_n: count = 3, ...given} = this.config;
    const options = {truncation: true, ...given};
    const encoded = tokenizer.supportsPairedInput()
      ? await tokenizer.encodeAsync([query], documents, options)
      : await tokenizer.encodeAsync(documents.map((document) => query + document), options);
    const {input_ids, attention_mask} = encoded;
    const rows = documents.length;
    const names = request.getCompiledModel().inputs.map((input) => input.getAnyName());
    const made: Record<string, () => Tensor> = {
      input_ids: () => input_ids,
      attention_mask: () => attention_mask,
      token_type_ids: () => encoded.token_type_ids ?? new Tensor('i64', input_ids.getShape(), new BigInt64Array(input_ids.getSize())),
      position_ids: () => positionsOf(attention_mask),
      beam_idx: () => new Tensor('i32', [rows], new Int32Array(rows)),
    };
    if (names.includes('beam_idx')) request.resetState();
    const outputs = await request.inferAsync(Object.fromEntries(names.filter((name) => made[name]).map((name) => [name, made[name]!()])));
    const logits = outputs['logits'] ?? Object.values(outputs)[0]!;
    const data = logits.data as Float32Array;
    const size = data.length / rows;
    const score = (row: number) => scoreOf(data.subarray(row * size, (row + 1) * size), logits.getShape(), answers);
    const results = documents.map((_, i): TextRerankResult => [i, Math.fround(score(i))]);
    return results.sort((a, b) => b[1] - a[1]).slice(0, count);
  }
}

// The score of a document from its logits: one logit, logits of two classes, or logits of all tokens at each position.
function scoreOf(logits: Float32Array, shape: number[], answers: Loaded['answers']): number {
  if (shape[1] === 1) return sigmoid(logits[0]!);
  if (!answers) {
    const largest = Math.max(...logits);
    const weights = logits.map((value) => Math.exp(value - largest));
    return weights[1]! / weights.reduce((sum, value) => sum + value, 0);
  }
  const last = logits.subarray(logits.length - shape.at(-1)!);
  return sigmoid(last[answers[1]]! - last[answers[0]]!);
}

function tokenOf(tokenizer: Tokenizer, word: string): number {
  const token = tokenizer.tokenOf(word);
  check(token !== undefined, `The vocabulary has no token '${word}', which the scores of this model need.`, 'INVALID_MODEL');
  return token;
}
