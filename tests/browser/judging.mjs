// SPDX-License-Identifier: Apache-2.0
// How the command line finds cases, reads their arrays and compares results, for tests.
import {mkdirSync, rmSync} from 'node:fs';
import {build} from 'esbuild';
import {root} from '../js/engine.mjs';

// Files of tests run side by side.
const outfile = `${root}build/tests/judging-${process.pid}.mjs`;
mkdirSync(`${root}build/tests`, {recursive: true});
await build({
  stdin: {contents: "export * from './cases.js'; export * from './judge.js';", resolveDir: `${root}js/src/cli`},
  bundle: true,
  platform: 'node',
  format: 'esm',
  outfile,
  plugins: [
    {
      name: 'the package itself is not bundled',
      setup: ({onResolve}) => onResolve({filter: /^\.\.\/node\.js$/}, () => ({path: `${root}dist/node.js`, external: true})),
    },
  ],
});
export const {findCases, judge, stepInputs} = await import(outfile);
rmSync(outfile);
