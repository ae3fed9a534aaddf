// SPDX-License-Identifier: Apache-2.0
// Turns the numbers of a run (docs/benchmarks.json) into docs/benchmarks.md.

const OURS = 'wasmvino';

/** Three significant digits, without an exponent. */
function digits(value) {
  if (value === undefined || Number.isNaN(value)) return '–';
  const rounded = Number(value.toPrecision(3));
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded) || 1)));
  return rounded.toFixed(Math.min(decimals, 6));
}
const percent = (value) => `${Math.round(100 * value)} %`;
const row = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) =>
  [row(head), row(head.map((_, i) => (i ? '--:' : '---'))), ...rows.map(row)].join('\n');

const peakOf = ({peak}) => Math.max(peak.madd ?? 0, peak.muladd ?? 0);
const isIteration = (name) => /^(iterations|slices)_/.test(name);

/** Milliseconds of one unit (a word), or of one run. */
const perUnit = ({count}, milliseconds) => milliseconds / count;

function timesTable(place) {
  const engines = Object.keys(place.engines);
  const peers = engines.filter((engine) => engine !== OURS && place.engines[OURS]);
  const peak = peakOf(place);
  const names = Object.keys(place.cases).filter((name) => !isIteration(name));
  const head = [
    'case',
    'ms per',
    ...engines.flatMap((e) => [`${e}: best`, 'median', ...(peak ? ['of peak'] : [])]),
    ...peers.map((e) => `${e} ÷ ${OURS}`),
  ];
  return table(
    head,
    names.map((name) => {
      const entry = place.cases[name];
      const cells = engines.flatMap((engine) => {
        const measured = entry.engines[engine];
        if (!measured) return ['–', '–', ...(peak ? ['–'] : [])];
        const share = peak && entry.macs ? percent((2 * entry.macs) / (measured.min * 1e6) / peak) : '–';
        return [
          digits(perUnit(entry, measured.min)),
          digits(perUnit(entry, measured.median)),
          ...(peak ? [share] : []),
        ];
      });
      const ratios = peers.map((engine) => {
        const [peer, ours] = [entry.engines[engine], entry.engines[OURS]];
        return peer && ours ? `${digits(peer.min / ours.min)}×` : '–';
      });
      return [`\`${name}\``, entry.unit ?? 'run', ...cells, ...ratios];
    }),
  );
}

/** Least squares of y = a + b x, by relative error: times are as uncertain as they are long. */
function line(points) {
  const weights = points.map(([, y]) => 1 / y ** 2);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = (values) => values.reduce((sum, value, i) => sum + weights[i] * value, 0) / total;
  const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const b = mean(points.map(([x, y]) => (x - mx) * (y - my))) / mean(points.map(([x]) => (x - mx) ** 2));
  return {a: my - b * mx, b};
}

/** Microseconds that one more iteration adds, from the best times at two counts. */
function iterationCost(cases, prefix, engine) {
  const points = Object.entries(cases)
    .filter(([name]) => name.startsWith(`${prefix}_n`))
    .map(([, entry]) => [entry.iterations, entry.engines[engine]?.min])
    .filter(([, time]) => time !== undefined);
  return points.length > 1 ? 1000 * line(points).b : undefined;
}

/** How many products the bodies of the cases iterations_mN have. */
function productCounts(place) {
  const cases = Object.entries(place.cases).filter(([name]) => name.startsWith('iterations_'));
  return [...new Set(cases.map(([, entry]) => entry.operations))];
}

/** What an iteration costs an engine by products, and what each product adds to what it costs `alone`. */
function iterationCosts(place, engine) {
  const costs = productCounts(place).map((m) => [m, iterationCost(place.cases, `iterations_m${m}`, engine)]);
  if (costs.length < 2 || costs.some(([, cost]) => cost === undefined)) return undefined;
  const {a, b} = line(costs);
  return {byProducts: costs.map(([, cost]) => cost), alone: a, product: b};
}

function iterationTable(place) {
  const operations = productCounts(place);
  const rows = [];
  for (const engine of Object.keys(place.engines)) {
    const costs = iterationCosts(place, engine);
    if (!costs) continue;
    rows.push([
      engine,
      ...costs.byProducts.map(digits),
      `**${digits(costs.alone)}**`,
      digits(costs.product),
      digits(iterationCost(place.cases, 'slices', engine)),
    ]);
  }
  return (
    rows.length &&
    table(
      [
        'µs',
        ...operations.map((m) => `${m} product${m > 1 ? 's' : ''}`),
        'without any (extrapolated)',
        'each product',
        'with a slice in and out, 1 product',
      ],
      rows,
    )
  );
}

function unrolledText(place) {
  const looped = place.cases.lstm_specification?.engines[OURS];
  const unrolled = place.cases.lstm_unrolled?.engines[OURS];
  if (!looped || !unrolled) return '';
  const difference = (1000 * (looped.min - unrolled.min)) / 25;
  return (
    `The specification's LSTM as TensorIterator takes ${digits(looped.min)} ms, written out as 25 cells in ` +
    `the outer graph ${digits(unrolled.min)} ms: ${difference < 0 ? '−' : ''}${digits(Math.abs(difference))} µs ` +
    `an iteration, of ${digits((1000 * looped.min) / 25)} µs that it takes in all.`
  );
}

/**
 * Bounds of the share of a run that is spent outside operations. The profile reads the clock once inside each
 * step's time and once outside: what it gives the steps is too much by one reading, and what remains too.
 */
function outside({min, profile: {wallMs, kernelMs}}) {
  return {least: Math.max(0, 1 - kernelMs / min), most: (wallMs - kernelMs) / min};
}

/** Cases with a profile, but for those whose steps take no longer than reading the clock does. */
function profiledCases(place) {
  return Object.entries(place.cases).filter(
    ([name, {engines}]) => engines[OURS]?.profile && !/^(iterations|slices)_/.test(name),
  );
}

function profileTable(place) {
  const rows = profiledCases(place)
    .map(([name, entry]) => {
      const {min, profile} = entry.engines[OURS];
      const {wallMs, kernelMs, steps} = profile;
      const share = outside(entry.engines[OURS]);
      return [
        `\`${name}\``,
        digits(perUnit(entry, min)),
        digits(perUnit(entry, wallMs)),
        digits(perUnit(entry, kernelMs)),
        Math.round(steps / entry.count),
        percent(share.least),
        percent(share.most),
      ];
    });
  return (
    rows.length &&
    table(
      [
        'case',
        'ms',
        'ms with the profile on',
        'of it in operations',
        'steps',
        'outside: at least',
        'at most',
      ],
      rows,
    )
  );
}

/** What the tables say of words and iterations, in a paragraph for each place. */
function inShort(place) {
  const words = Object.entries(place.cases).filter(([name, {engines}]) => name.startsWith('g2p_') && engines[OURS]);
  if (!words.length) return '';
  const range = (values, text) => {
    const sorted = values.toSorted((a, b) => a - b);
    return [sorted[0], sorted.at(-1)].map(text).join(' to ');
  };
  const sentences = [];
  for (const [engine, {name}] of Object.entries(place.engines)) {
    const ratios = words
      .filter(([, {engines}]) => engine !== OURS && engines[engine])
      .map(([, {engines}]) => engines[engine].min / engines[OURS].min);
    if (ratios.length) sentences.push(`A word takes ${name} ${range(ratios, digits)} times as long.`);
  }
  const profiled = profiledCases(place).filter(([name]) => name.startsWith('g2p_'));
  if (profiled.length) {
    const shares = profiled.map(([, {engines}]) => outside(engines[OURS]));
    sentences.push(
      `Outside operations a word spends at least ${range(shares.map(({least}) => least), percent)} of its time, at ` +
        `most ${range(shares.map(({most}) => most), percent)}, over all beam widths.`,
    );
  }
  const cost = iterationCosts(place, OURS);
  if (cost) sentences.push(`An iteration of a body costs ${digits(cost.alone)} µs beside its arithmetic.`);
  return `In short (${place.name}): ${sentences.join(' ')}`;
}

const PEAK_NAMES = {
  muladd: 'f32 multiply, then add',
  madd: 'f32 relaxed multiply-add',
  dot_i16: 'i16 dot product, add',
  dot_i8: 'i8 relaxed dot product',
};

const ITERATION_TEXT = `\
A TensorIterator (onnxruntime-web: a Scan) whose body adds a slice of one element to a state of 1x16 and
multiplies it by 1, 4 or 16 matrices of 16x16. Microseconds that one more iteration adds, from 64 and 1,024
iterations. What remains without any product is the iteration itself: counting, slicing, the back edge and one
tiny addition.`;

const PROFILE_TEXT = `\
What a run spends outside its operations, bodies counted by their steps: choosing the next step, slicing, back
edges, copying inputs in and outputs out. By the engine's own profile, which reads the clock twice for each step,
once in its time and once beside it; hence two bounds.`;

function placeSections(place) {
  const {name, engines, peak, failures} = place;
  const versions = Object.values(engines).map((e) => [e.name, e.version, e.build, e.threads]);
  const sections = [`## ${name}`, table(['engine', 'version', 'build', 'threads'], versions)];
  if (peakOf(place)) {
    const rates = Object.entries(peak).map(([kernel, rate]) => `${PEAK_NAMES[kernel]} ${digits(rate)}`);
    sections.push(`Register peak, 10⁹ operations a second: ${rates.join('; ')}.`);
  }
  sections.push(timesTable(place));
  const iterations = iterationTable(place);
  if (iterations)
    sections.push(`### What one iteration of a body costs (${name})`, ITERATION_TEXT, iterations);
  sections.push(unrolledText(place));
  const profile = profileTable(place);
  if (profile) sections.push(`### Time outside operations (${name})`, PROFILE_TEXT, profile);
  if (failures.length) {
    const list = failures.map((failure) => `- \`${failure.case}\`, ${failure.engine}: ${failure.error}`);
    sections.push(`### Failed (${name})`, list.join('\n'));
  }
  return sections.filter(Boolean);
}

export function writeReport({machine, rounds, slotMs, warmUpMs, places}) {
  const versions = places.map(({name, version}) => `${name} ${version}`);
  return `<!-- Made by \`npm run bench\`; do not edit. -->
# Benchmarks

${machine.processor}, ${machine.cores} cores, ${machine.system}. ${versions.join('; ')}.

Milliseconds, best and median. *Of peak* is the share of the register peak, the rate of a loop of nothing but
f32 multiply-adds in registers, measured between the slots of the same run.

${[...places.map(inShort), ...places.flatMap(placeSections)].filter(Boolean).join('\n\n')}

## How it is measured

- The same weights and inputs for every engine. The word decoder \`g2p_beamN\` (20 steps; \`g2p_stop_beamN\` stops
  when all beams are finished) is the IR's TensorIterator or Loop here and an ONNX Loop for onnxruntime-web;
  times are for a word, the mean of nine. \`lstm_specification\` is the TensorIterator of the specification's
  example here and the fused LSTM operation there; \`lstm_unrolled\` the same cells without an iterator.
- Every engine and thread count has a process of its own (in Chromium a page of its own). After ${warmUpMs} ms of
  warm-up, more while it still gets faster, they take turns: ${rounds} slots of ${slotMs} ms each, in rotating order.
  Samples are single runs, or as many as the clock needs to resolve 1 %.
- A run starts from arrays of JavaScript and ends with arrays of JavaScript: each engine copies its inputs in and
  its outputs out, once, within the measured time.
- After every slot the last outputs are compared with the goldens of the real OpenVINO (sequences exactly, numbers
  by the largest difference as a share of the largest value); a wrong result is a failure, not a time.
- Best times tell what the code can do; medians what the machine, shared with whatever else runs, let through.
`;
}
