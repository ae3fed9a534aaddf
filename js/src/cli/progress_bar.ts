// SPDX-License-Identifier: Apache-2.0
// Shows the progress of long work on a terminal.

const width = 30;
const patience = 500; // milliseconds before a bar appears, because most work is shorter
const pace = 50; // milliseconds between two drawings

/** A progress bar on stderr. It draws nothing if stderr is not a terminal, or if the work is over at once. */
export class ProgressBar {
  readonly #what: string;
  readonly #start = performance.now();
  readonly #shows = process.stderr.isTTY === true;
  #next = this.#start + patience;
  #drawn = false;

  /** `what` is shown before the bar. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Shows that `done` of `total` are done. If the total is unknown, it shows `done` alone. */
  at(done: number, total: number | undefined, unit = ''): void {
    const now = performance.now();
    if (!this.#shows || now < this.#next) return;
    this.#next = now + pace;
    this.#drawn = true;
    const part = total ? Math.min(1, done / total) : undefined;
    const bar = part === undefined ? '' : ` [${'#'.repeat(Math.round(part * width)).padEnd(width)}] ${Math.round(100 * part)} %`;
    process.stderr.write(`\r\x1b[K${this.#what}${bar}${unit && ` ${unit}`}`);
  }

  /** Removes the bar. */
  end(): void {
    if (this.#drawn) process.stderr.write('\r\x1b[K');
  }
}

/** Runs `work` with a bar, and removes the bar afterwards. */
export async function withBar<T>(what: string, work: (bar: ProgressBar) => T | Promise<T>): Promise<T> {
  const bar = new ProgressBar(what);
  try {
    return await work(bar);
  } finally {
    bar.end();
  }
}
