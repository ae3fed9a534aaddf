// SPDX-License-Identifier: Apache-2.0
// Makes chunks of text of tokens as they come. The last tokens wait, because the next ones can change their text.
import {StreamingStatus} from './enums.js';
import type {Decode} from './stop_strings.js';

/** Receives a chunk of text. Anything but a StreamingStatus means RUNNING. */
export type Streamer = (chunk: string) => StreamingStatus | undefined | void;

// A text is certain once this many tokens, its own included, have come.
const delay = 3;

const isIncomplete = (text: string) => text.endsWith('\ufffd');

export class TextStreamer {
  readonly #decode: Decode;
  readonly #streamer: Streamer;
  #tokens: number[] = [];
  // Length of the text up to each token. Undefined while the text ends within a character, null if it is not known.
  #lengths: (number | undefined | null)[] = [];
  #printed = 0;

  constructor(decode: Decode, streamer: Streamer) {
    this.#decode = decode;
    this.#streamer = streamer;
  }

  #tell(text: string): StreamingStatus {
    if (text === '') return StreamingStatus.RUNNING;
    const status = this.#streamer(text);
    return typeof status === 'number' ? status : StreamingStatus.RUNNING;
  }

  #clear(): void {
    [this.#tokens, this.#lengths, this.#printed] = [[], [], 0];
  }

  // The length of the text up to a token.
  async #lengthAt(place: number): Promise<number | undefined> {
    const known = this.#lengths.at(place);
    if (known !== null) return known;
    const text = await this.#decode(this.#tokens.slice(0, this.#lengths.length + place + 1));
    return isIncomplete(text) ? undefined : text.length;
  }

  /** Adds tokens. Returns what the streamer answers. */
  async write(...tokens: number[]): Promise<StreamingStatus> {
    if (tokens.length === 0) return StreamingStatus.RUNNING;
    this.#tokens.push(...tokens);
    const text = await this.#decode(this.#tokens);
    this.#lengths.push(...tokens.slice(1).map(() => null), isIncomplete(text) ? undefined : text.length);
    const printed = this.#printed;
    if (text.endsWith('\n') && text.length > printed) {
      this.#clear();
      return this.#tell(text.slice(printed));
    }
    if (isIncomplete(text)) return StreamingStatus.RUNNING;
    const until = (await this.#lengthAt(-delay)) ?? 0;
    this.#printed = Math.max(printed, until);
    return this.#tell(text.slice(printed, this.#printed));
  }

  /** Gives the streamer the rest of the text. */
  async end(): Promise<void> {
    const text = this.#tokens.length > 0 ? await this.#decode(this.#tokens) : '';
    const rest = text.slice(this.#printed);
    this.#clear();
    this.#tell(rest);
  }
}
