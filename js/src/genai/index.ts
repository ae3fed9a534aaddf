// SPDX-License-Identifier: Apache-2.0
// The entry wasmvino/genai: the API of openvino-genai-node.
import {check} from './check.js';
import type {FolderOptions, FolderSource} from './folder.js';
import {LLM, type LLMPipelineProperties} from './llm_pipeline.js';
import {TextEmbedding, type TextEmbeddingConfig} from './text_embedding_pipeline.js';
import {TextRerank, type TextRerankPipelineOptions} from './text_rerank_pipeline.js';
import {ASR, WhisperSpeech, type SpeechPipelineProperties} from './whisper_pipeline.js';

// A class that, called without new, makes an initialised instance.
function callable<C extends object, F extends (...args: never[]) => unknown>(target: C, create: F): C & F {
  return new Proxy(target, {apply: (_, __, args) => create(...(args as never[]))}) as C & F;
}

/**
 * Loads a language model. With `new`, creates a pipeline that init() loads.
 *
 * @param modelPath Where the model is: the path or URL of a folder, hf:Organisation/name@revision, Files, a directory handle,
 *   or bytes by the names of the files.
 * @param device 'CPU'.
 * @param properties Properties of the engine, and how to load the folder.
 * @returns A promise of the pipeline.
 * @throws WasmvinoError `INVALID_ARGUMENT` if a file is missing or an argument is wrong, `INVALID_MODEL`, `UNSUPPORTED`,
 *   `OUT_OF_MEMORY`.
 * @example
 * const pipeline = await LLMPipeline('https://example.org/models/chat/', 'CPU', {cache: true, worker: true});
 */
export const LLMPipeline = callable(LLM, async (modelPath: FolderSource, device: string = 'CPU', properties: LLMPipelineProperties = {}): Promise<LLM> => {
  check(typeof device === 'string', 'The second argument must be a device string. If you want to pass LLMPipelineProperties, please use the third argument.');
  const pipeline = new LLM(modelPath, device, properties);
  await pipeline.init();
  return pipeline;
});
/** A pipeline of a language model. */
export type LLMPipeline = LLM;

/**
 * Loads a model that makes embeddings of texts. With `new`, creates a pipeline that init() loads.
 *
 * @param modelPath Where the model is, as in LLMPipeline().
 * @param device 'CPU'.
 * @param config How texts are embedded.
 * @param ovProperties Properties of the engine, and how to load the folder.
 * @returns A promise of the pipeline.
 * @throws WasmvinoError As LLMPipeline().
 * @example
 * const pipeline = await TextEmbeddingPipeline('./model', 'CPU', {pooling_type: PoolingType.MEAN});
 */
export const TextEmbeddingPipeline = callable(
  TextEmbedding,
  async (modelPath: FolderSource, device = 'CPU', config: TextEmbeddingConfig = {}, ovProperties: Record<string, unknown> & FolderOptions = {}): Promise<TextEmbedding> => {
    const pipeline = new TextEmbedding(modelPath, device, config, ovProperties);
    await pipeline.init();
    return pipeline;
  },
);
/** A pipeline that makes embeddings of texts. */
export type TextEmbeddingPipeline = TextEmbedding;

/**
 * Loads a model that ranks documents. With `new`, creates a pipeline that init() loads.
 *
 * @param modelPath Where the model is, as in LLMPipeline().
 * @param options Device, config and properties.
 * @returns A promise of the pipeline.
 * @throws WasmvinoError As LLMPipeline().
 * @example
 * const pipeline = await TextRerankPipeline('./model', {config: {top_n: 2}});
 */
export const TextRerankPipeline = callable(TextRerank, async (modelPath: FolderSource, options: TextRerankPipelineOptions = {}): Promise<TextRerank> => {
  const pipeline = new TextRerank(modelPath, options);
  await pipeline.init();
  return pipeline;
});
/** A pipeline that ranks documents. */
export type TextRerankPipeline = TextRerank;

/**
 * Loads a Whisper model. With `new`, creates a pipeline that init() loads.
 *
 * @param modelPath Where the model is, as in LLMPipeline().
 * @param device 'CPU'.
 * @param properties Properties of the engine, and how to load the folder.
 * @returns A promise of the pipeline.
 * @throws WasmvinoError As LLMPipeline().
 * @example
 * const pipeline = await WhisperPipeline('./whisper-base', 'CPU');
 */
export const WhisperPipeline = callable(WhisperSpeech, async (modelPath: FolderSource, device = 'CPU', properties: SpeechPipelineProperties = {}): Promise<WhisperSpeech> => {
  const pipeline = new WhisperSpeech(modelPath, device, properties);
  await pipeline.init();
  return pipeline;
});
/** A pipeline of a Whisper model. */
export type WhisperPipeline = WhisperSpeech;

/**
 * Loads a model that recognises speech: a Whisper model. With `new`, creates a pipeline that init() loads.
 *
 * @param modelPath Where the model is, as in LLMPipeline().
 * @param device 'CPU'.
 * @param properties Properties of the engine, and how to load the folder.
 * @returns A promise of the pipeline.
 * @throws WasmvinoError As LLMPipeline().
 * @example
 * const pipeline = await ASRPipeline('./whisper-base', 'CPU');
 */
export const ASRPipeline = callable(ASR, async (modelPath: FolderSource, device = 'CPU', properties: SpeechPipelineProperties = {}): Promise<ASR> => {
  const pipeline = new ASR(modelPath, device, properties);
  await pipeline.init();
  return pipeline;
});
/** A pipeline that recognises speech. */
export type ASRPipeline = ASR;

export {ChatHistory, type ChatMessage, type ExtraContext, type ToolDefinition} from './chat_history.js';
export {DecodedResults} from './decoded_results.js';
export {GenerationFinishReason, PoolingType, StopCriteria, StreamingStatus} from './enums.js';
export type {DirectoryHandle, FileBytes, FolderOptions, FolderProgress, FolderSource} from './folder.js';
export type {GenerationConfig, Uint} from './generation_config.js';
export type {GenerateOptions, LLMInputs, LLMPipelineProperties, TextStream} from './llm_pipeline.js';
export {
  DeepSeekR1ReasoningIncrementalParser,
  DeepSeekR1ReasoningParser,
  Llama3JsonToolParser,
  Llama3PythonicToolParser,
  Phi4ReasoningIncrementalParser,
  Phi4ReasoningParser,
  ReasoningIncrementalParser,
  ReasoningParser,
  type ParsedMessage,
  type Parser,
  type ReasoningParserOptions,
} from './parsers.js';
export {PerfMetrics, SpeechPerfMetrics, type ASRRawMetrics, type MeanStdPair, type RawMetrics, type SummaryStats, type WhisperRawMetrics} from './perf_metrics.js';
export type {EncodeOptions, TokenizedInputs} from './rows.js';
export type {EmbeddingResult, EmbeddingResults, TextEmbeddingConfig} from './text_embedding_pipeline.js';
export type {TextRerankPipelineConfig, TextRerankPipelineOptions, TextRerankResult, TextRerankResults} from './text_rerank_pipeline.js';
export type {Streamer} from './text_streamer.js';
export {Tokenizer, type DecodeOptions, type TokenizerProperties} from './tokenizer.js';
export type {WhisperGenerationConfig} from './whisper_config.js';
export {
  ASRDecodedResults,
  WhisperDecodedResults,
  type ASRDecodedResultChunk,
  type RawSpeechInput,
  type SpeechPipelineProperties,
  type WhisperDecodedResultChunk,
  type WhisperGenerateOptions,
  type WhisperWordTiming,
} from './whisper_pipeline.js';
