// SPDX-License-Identifier: Apache-2.0
// Small models in the folders that transformers.js reads, whose outputs are known.
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import * as onnx from '../js/onnx_file.mjs';

export const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'red', 'green', 'blue', 'dark', 'light'];
export const idOf = (word) => words.indexOf(word);

// The vector of a word, and the score of a word after a sum of vectors.
export const embedding = words.map((_, i) => [Math.sin(i + 1), Math.cos(2 * i)]);
export const heads = [words.map((_, i) => Math.cos(3 * i + 1)), words.map((_, i) => Math.sin(5 * i))];

const {int64} = onnx.types;
const text = ['batch_size', 'sequence_length'];
const embeddings = onnx.tensor('embedding', [words.length, 2], onnx.raw(embedding.flat()));
const weights = onnx.tensor('heads', [2, words.length], onnx.raw(heads.flat()));
const texts = ['input_ids', 'attention_mask', 'token_type_ids'].map((name) => onnx.value(name, text, int64));

// The vectors of the words.
const vectors = onnx.model({
  nodes: [onnx.node('Gather', ['embedding', 'input_ids'], ['last_hidden_state'])],
  inputs: texts,
  outputs: [onnx.value('last_hidden_state', [...text, 2])],
  initializers: [embeddings],
});

// The scores of all words in the place of each word.
const scores = onnx.model({
  nodes: [onnx.node('Gather', ['embedding', 'input_ids'], ['h']), onnx.node('MatMul', ['h', 'heads'], ['logits'])],
  inputs: texts,
  outputs: [onnx.value('logits', [...text, words.length])],
  initializers: [embeddings, weights],
});

// The scores of the next word, from the sum of the vectors of all words before. The cache holds these vectors.
const past = ['batch_size', 1, 'past_sequence_length', 2];
const present = ['batch_size', 1, 'total_sequence_length', 2];
const next = onnx.model({
  nodes: [
    onnx.node('Gather', ['embedding', 'input_ids'], ['h']),
    onnx.node('Unsqueeze', ['h', 'one'], ['k']),
    onnx.node('Concat', ['past_key_values.0.key', 'k'], ['present.0.key'], {axis: 2}),
    onnx.node('Concat', ['past_key_values.0.value', 'k'], ['present.0.value'], {axis: 2}),
    onnx.node('ReduceSum', ['present.0.key', 'two'], ['sum'], {keepdims: 0}),
    onnx.node('MatMul', ['sum', 'heads'], ['logits']),
  ],
  inputs: [
    ...['input_ids', 'attention_mask'].map((name) => onnx.value(name, text, int64)),
    ...['key', 'value'].map((name) => onnx.value(`past_key_values.0.${name}`, past)),
  ],
  outputs: [onnx.value('logits', ['batch_size', 1, words.length]), ...['key', 'value'].map((name) => onnx.value(`present.0.${name}`, present))],
  initializers: [
    embeddings,
    weights,
    onnx.tensor('one', [1], onnx.rawIntegers([1]), int64),
    onnx.tensor('two', [1], onnx.rawIntegers([2]), int64),
  ],
});

// Which channel is the brightest. The weights are in a file beside the model.
const channels = [2, 0, 0, 0, 2, 0, 0, 0, 2];
const colour = onnx.model({
  nodes: [onnx.node('ReduceMean', ['pixel_values', 'axes'], ['mean'], {keepdims: 0}), onnx.node('MatMul', ['mean', 'w'], ['logits'])],
  inputs: [onnx.value('pixel_values', ['batch_size', 3, 'height', 'width'])],
  outputs: [onnx.value('logits', ['batch_size', 3])],
  initializers: [
    onnx.tensor('axes', [2], onnx.rawIntegers([2, 3]), int64),
    onnx.tensor('w', [3, 3], onnx.external({location: 'model.onnx_data'})),
  ],
});

const special = (content) => ({id: idOf(content), content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true});
const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: words.slice(0, 5).map(special),
  normalizer: null,
  pre_tokenizer: {type: 'WhitespaceSplit'},
  post_processor: null,
  decoder: {type: 'WordPiece', prefix: '##', cleanup: false},
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(words.map((word, id) => [word, id])),
  },
};
const bert = {model_type: 'bert', num_attention_heads: 1, num_hidden_layers: 1, hidden_size: 2, vocab_size: words.length};
const gpt2 = {model_type: 'gpt2', n_layer: 1, n_head: 1, n_embd: 2, vocab_size: words.length, eos_token_id: 3, pad_token_id: 0};
const vit = {model_type: 'vit', id2label: {0: 'red', 1: 'green', 2: 'blue'}};

/** Writes the models: vectors, scores, next, colour. */
export function writeModels(folder) {
  const write = (name, files) => {
    mkdirSync(join(folder, name, 'onnx'), {recursive: true});
    for (const [file, content] of Object.entries(files)) {
      writeFileSync(join(folder, name, file), content instanceof Uint8Array ? content : JSON.stringify(content));
    }
  };
  const tokens = {
    'tokenizer.json': tokenizer,
    'tokenizer_config.json': {tokenizer_class: 'BertTokenizer', mask_token: '[MASK]', pad_token: '[PAD]', unk_token: '[UNK]', model_max_length: 64},
  };
  write('vectors', {...tokens, 'config.json': {...bert, architectures: ['BertModel']}, 'onnx/model.onnx': vectors});
  write('scores', {...tokens, 'config.json': {...bert, architectures: ['BertForMaskedLM']}, 'onnx/model.onnx': scores});
  write('next', {...tokens, 'config.json': {...gpt2, architectures: ['GPT2LMHeadModel']}, 'onnx/model.onnx': next, 'generation_config.json': {eos_token_id: 3, pad_token_id: 0}});
  write('colour', {
    'config.json': {...vit, architectures: ['ViTForImageClassification']},
    'preprocessor_config.json': {image_processor_type: 'ViTImageProcessor', do_resize: false, do_normalize: false, do_rescale: true, rescale_factor: 1 / 255},
    'onnx/model.onnx': colour,
    'onnx/model.onnx_data': new Uint8Array(Float32Array.from(channels).buffer),
  });
}
