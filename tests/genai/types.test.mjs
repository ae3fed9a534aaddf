// SPDX-License-Identifier: Apache-2.0
// Programs that are declared for openvino-genai-node compile with wasmvino/genai. Tensors are each package's own class.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {root} from './sources.mjs';

const program = `
import type * as theirs from 'openvino-genai-node';
import type * as ours from '../../../js/src/genai/index.js';

// What programs give.
declare const config: theirs.GenerationConfig;
declare const speech: theirs.WhisperGenerationConfig;
declare const asr: theirs.ASRGenerationConfig;
declare const embedding: theirs.TextEmbeddingConfig;
declare const rerank: theirs.TextRerankPipelineConfig;
declare const streamer: (chunk: string) => theirs.StreamingStatus;
declare const messages: theirs.ChatMessage[];
declare const parser: theirs.Parser;
declare const reasoning: theirs.ReasoningParserOptions;
declare const encoding: theirs.EncodeOptions;
declare const decoding: theirs.DecodeOptions;
export const given: [ours.GenerationConfig, ours.WhisperGenerationConfig, ours.WhisperGenerationConfig, ours.TextEmbeddingConfig, ours.TextRerankPipelineConfig, ours.Streamer, ours.ChatMessage[], ours.Parser, ours.ReasoningParserOptions, ours.EncodeOptions, ours.DecodeOptions] =
  [config, speech, asr, embedding, rerank, streamer, messages, parser, reasoning, encoding, decoding];

// What they get.
type Instance<T extends (...args: never) => unknown> = Awaited<ReturnType<T>>;
declare const own: {
  llm: Instance<typeof ours.LLMPipeline>;
  embedding: Instance<typeof ours.TextEmbeddingPipeline>;
  rerank: Instance<typeof ours.TextRerankPipeline>;
  whisper: Instance<typeof ours.WhisperPipeline>;
  asr: Instance<typeof ours.ASRPipeline>;
  tokenizer: ours.Tokenizer;
  history: ours.ChatHistory;
  metrics: ours.PerfMetrics;
  speechMetrics: ours.SpeechPerfMetrics;
  results: ours.DecodedResults;
  spoken: ours.WhisperDecodedResults;
  recognised: ours.ASRDecodedResults;
  parsers: [ours.ReasoningParser, ours.DeepSeekR1ReasoningParser, ours.Phi4ReasoningParser, ours.Llama3JsonToolParser, ours.Llama3PythonicToolParser];
};
export const got: {
  llm: Pick<Instance<typeof theirs.LLMPipeline>, 'init' | 'startChat' | 'finishChat' | 'getGenerationConfig' | 'setGenerationConfig'>;
  embedding: Pick<Instance<typeof theirs.TextEmbeddingPipeline>, 'init' | 'embedDocuments' | 'embedDocumentsSync' | 'embedQuery' | 'embedQuerySync'>;
  rerank: Pick<Instance<typeof theirs.TextRerankPipeline>, 'init' | 'rerank'>;
  whisper: Pick<Instance<typeof theirs.WhisperPipeline>, 'init' | 'setGenerationConfig' | 'getGenerationConfig'>;
  asr: Pick<Instance<typeof theirs.ASRPipeline>, 'init' | 'setGenerationConfig' | 'getGenerationConfig'>;
  tokenizer: Pick<theirs.Tokenizer, 'getBosToken' | 'getBosTokenId' | 'getEosToken' | 'getEosTokenId' | 'getPadToken' | 'getPadTokenId' | 'getChatTemplate' | 'getOriginalChatTemplate' | 'setChatTemplate' | 'supportsPairedInput' | 'chatTemplate'>;
  history: Pick<theirs.ChatHistory, 'pop' | 'getMessages' | 'clear' | 'size' | 'empty' | 'getTools' | 'getExtraContext'>;
  metrics: Omit<theirs.PerfMetrics, 'add'>;
  speechMetrics: Omit<theirs.WhisperPerfMetrics & theirs.ASRPerfMetrics, 'add'>;
  results: Omit<theirs.DecodedResults, 'perfMetrics'>;
  spoken: Omit<theirs.WhisperDecodedResults, 'perfMetrics'>;
  recognised: Omit<theirs.ASRDecodedResults, 'perfMetrics'>;
  parsers: theirs.Parser[];
} = own;
export const text: (tokens: number[] | bigint[]) => string = (tokens) => own.tokenizer.decode(tokens);
export const generate: (prompt: string | string[], config: theirs.GenerationConfig, streamer: (chunk: string) => theirs.StreamingStatus) => Promise<{texts: string[]}> = (...args) => own.llm.generate(...args);
`;

test('types are assignable to those of openvino-genai-node', () => {
  const folder = join(root, 'build/genai/types');
  mkdirSync(folder, {recursive: true});
  writeFileSync(join(folder, 'program.mts'), program);
  const compilerOptions = {emitDeclarationOnly: false, declaration: false, noEmit: true, skipLibCheck: true, rootDir: '../../..'};
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({extends: '../../../js/tsconfig.json', compilerOptions, include: ['program.mts'], exclude: []}));
  const {stdout, status} = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {encoding: 'utf8'});
  assert.deepEqual([stdout, status], ['', 0]);
});
