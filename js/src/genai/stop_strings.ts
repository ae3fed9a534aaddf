// SPDX-License-Identifier: Apache-2.0

/** Makes texts of tokens. */
export type Decode = (tokens: number[]) => Promise<string>;

/** Finds texts that end a sequence. */
export class StopStrings {
  /**
   * @param texts The texts.
   * @param window Number of last tokens to search: the tokens of the longest text.
   * @param include Whether the stop string stays in the result.
   * @param decode Makes a text of tokens.
   */
  constructor(
    readonly texts: ReadonlySet<string>,
    readonly window: number,
    readonly include: boolean,
    readonly decode: Decode,
  ) {}

  /** Returns how many tokens to remove from the end if it contains a stop string, otherwise undefined. */
  async match(tokens: readonly number[]): Promise<number | undefined> {
    if (this.texts.size === 0 || tokens.length < this.window) return undefined;
    const last = tokens.slice(tokens.length - this.window);
    const text = await this.decode(last);
    for (const stop of this.texts) {
      const at = text.indexOf(stop);
      if (at < 0) continue;
      // Spaces and line breaks in front of the stop string go too.
      const kept = text.slice(0, at + (this.include ? stop.length : 0)).replace(/[ \n]+$/, '');
      if (kept === '') return last.length;
      for (let count = 1; count <= last.length; ++count) {
        if ((await this.decode(last.slice(0, count))).includes(kept)) return last.length - count;
      }
      return 0;
    }
    return undefined;
  }
}
