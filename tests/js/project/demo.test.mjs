// SPDX-License-Identifier: Apache-2.0
// Tests the parts of the demo that need neither engine nor page.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {agreesWithGatherTree, continuations, hardestChoice, makeTree, pathTo} from '../../../demo/src/beam_tree.js';
import {decimal, milliseconds, percent, size} from '../../../demo/src/format.js';
import {wordsOf} from '../../../demo/src/g2p.js';
import {ipaOf, sound} from '../../../demo/src/phonemes.js';

const EOS = 0;
const vocabulary = {phonemes: ['</s>', 'A', 'B', 'C'], phoneme_eos: EOS};

// Two beams and four iterations, of which three matter. The second beam of step 1 is dropped. Both remaining beams extend the
// first one, and swap places at the end.
function trace() {
  const probabilities = (rows) => Float32Array.from(rows.flat(), Math.log);
  return {
    word: 'ab',
    beamWidth: 2,
    milliseconds: 1,
    unknown: [],
    hypotheses: [
      {ids: [1, 3], phonemes: 'A C', score: -0.75},
      {ids: [1, 2], phonemes: 'A B', score: -1},
    ],
    sequences: Int32Array.of(1, 1, 3, 2, EOS, EOS, EOS, EOS),
    steps: [
      {
        tokens: [1, 2],
        parents: [0, 0],
        scores: [-0.1, -2],
        logProbs: probabilities([
          [0.01, 0.9, 0.08, 0.01],
          [1, 1, 1, 1],
        ]),
      },
      {
        tokens: [2, 3],
        parents: [0, 0],
        scores: [-0.6, -0.7],
        logProbs: probabilities([
          [0.1, 0.1, 0.45, 0.35],
          [0.7, 0.1, 0.1, 0.1],
        ]),
      },
      {
        tokens: [EOS, EOS],
        parents: [1, 0],
        scores: [-0.75, -1],
        logProbs: probabilities([
          [0.7, 0.1, 0.1, 0.1],
          [0.9, 0.05, 0.03, 0.02],
        ]),
      },
      {
        tokens: [EOS, EOS],
        parents: [0, 1],
        scores: [-0.75, -1],
        logProbs: probabilities([
          [1, 0, 0, 0],
          [1, 0, 0, 0],
        ]),
      },
    ],
  };
}

test('a tree has the parents that the beam had, and ends with its last hypothesis', () => {
  const {root, steps, finals, dropped} = makeTree(trace(), vocabulary);
  assert.equal(steps.length, 3);
  assert.deepEqual(
    finals.map((final) => pathTo(final).map(({label}) => label)),
    [
      ['A', 'C', '</s>'],
      ['A', 'B', '</s>'],
    ],
  );
  assert.deepEqual(
    pathTo(finals[0]).map(({rank}) => rank),
    [0, 1, 0],
  );
  assert.deepEqual(root.children, steps[0]);
  assert.equal(dropped, 1);
  assert.deepEqual(
    steps.map((nodes) => nodes.map(({alive}) => alive)),
    [
      [true, false],
      [true, true],
      [true, true],
    ],
  );
  assert.deepEqual(
    finals.map(({kind, final}) => [kind, final]),
    [
      ['end', true],
      ['end', true],
    ],
  );
});

test('a hypothesis that ended earlier is carried along', () => {
  const short = trace();
  short.steps[1].tokens = [2, EOS];
  short.hypotheses[0] = {ids: [1], phonemes: 'A', score: -0.75};
  const {finals} = makeTree(short, vocabulary);
  assert.deepEqual(
    finals.map(({kind}) => kind),
    ['carried', 'end'],
  );
  assert.equal(finals[0].parent.kind, 'end');
});

test('a path that GatherTree did not give is found out', () => {
  const right = makeTree(trace(), vocabulary);
  assert.ok(right.finals.every((final) => agreesWithGatherTree(right, final)));
  const other = trace();
  other.steps[2].parents = [0, 1];
  const wrong = makeTree(other, vocabulary);
  assert.ok(wrong.finals.every((final) => !agreesWithGatherTree(wrong, final)));
});

test('a parent that does not exist is an error', () => {
  const broken = trace();
  broken.steps[1].parents = [0, 2];
  assert.throws(() => makeTree(broken, vocabulary), /step 1: beam 1 has no parent 2/);
});

test('continuations are the likeliest, kept or not', () => {
  const tree = makeTree(trace(), vocabulary);
  const [a, b] = tree.steps[0];
  const after = continuations(tree, a, vocabulary, 3);
  assert.deepEqual(
    after.map(({label, kept}) => [label, kept?.rank]),
    [
      ['B', 0],
      ['C', 1],
      ['</s>', undefined],
    ],
  );
  assert.ok(Math.abs(after[0].probability - 0.45) < 1e-6);
  assert.deepEqual(
    continuations(tree, b, vocabulary, 1).map(({label, kept}) => [label, kept]),
    [['</s>', undefined]],
  );
  assert.deepEqual(continuations(tree, tree.finals[0], vocabulary, 3), []);
  assert.equal(hardestChoice(tree, tree.finals[0], vocabulary), a);
});

test('a text is parted into words', () => {
  assert.deepEqual(wordsOf("Hello,  wörld – don't re-enter 42!"), ['hello', 'world', 'dont', 're', 'enter']);
  assert.deepEqual(wordsOf(' 1 2 '), []);
});

test('phonemes are told in IPA, stress before the onset', () => {
  assert.equal(ipaOf('B R AW1 S ER0'), 'ˈbɹaʊsɚ');
  assert.equal(ipaOf('AY2 T ER0 EY1 SH AH0 N'), 'ˌaɪtɚˈeɪʃən');
  assert.equal(ipaOf('T R AE0 N S F AO1 R M ER0'), 'tɹænsˈfɔɹmɚ');
  assert.equal(ipaOf('IH0 K S T R IY1 M'), 'ɪkˈstɹim');
  assert.equal(ipaOf('S IH1 NG IH0 NG'), 'ˈsɪŋɪŋ');
  assert.equal(ipaOf('HH M'), 'hm');
  assert.deepEqual(sound('AH0'), {ipa: 'ə', example: 'about', stress: undefined});
  assert.deepEqual(sound('AH1'), {ipa: 'ʌ', example: 'cut', stress: 'primary stress'});
  assert.equal(sound('</s>'), undefined);
});

test('numbers are short and have true minus signs', () => {
  assert.deepEqual([decimal(-0.626), decimal(-0.001), decimal(-12.34, 1)], ['−0.63', '0.00', '−12.3']);
  assert.deepEqual([percent(0.535), percent(0.021), percent(0.0001)], ['54 %', '2.1 %', '< 0.1 %']);
  assert.deepEqual([milliseconds(0.123), milliseconds(1.84), milliseconds(14.3)], ['0.12 ms', '1.8 ms', '14 ms']);
  assert.deepEqual([size(52723), size(3335889)], ['53 KB', '3.3 MB']);
});
