// SPDX-License-Identifier: Apache-2.0
// Threads of an engine in a worker, started by the page. A worker could start them itself, but that may block it for ever in
// Firefox (page.ts). Messages between the engine and its threads do not pass through the page.
import type {BuildName} from '../base/builds.js';
import {messageOf} from '../base/error.js';

/** @internal The message of a worker that asks its page for a thread. */
export interface ThreadOrder {
  build: BuildName;
  /** The engine's end of its connection to the thread. */
  line: MessagePort;
  /** Receives the reason if the thread fails. A message from it ends the thread. */
  control: MessagePort;
}

/** @internal The engine's side: what Emscripten uses of a Worker. */
export class OrderedThread {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: {message: string}) => void) | null = null;
  readonly #line: MessagePort;
  readonly #control: MessagePort;

  /** `order` sends a message to the page. */
  constructor(build: BuildName, order: (message: {thread: ThreadOrder}, transfer: MessagePort[]) => void) {
    const [line, control] = [new MessageChannel(), new MessageChannel()];
    this.#line = line.port1;
    this.#control = control.port1;
    this.#line.onmessage = (event) => this.onmessage?.(event);
    this.#control.onmessage = ({data}) => this.onerror?.({message: data});
    order({thread: {build, line: line.port2, control: control.port2}}, [line.port2, control.port2]);
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.#line.postMessage(message, transfer);
  }

  terminate(): void {
    this.#control.postMessage('end');
    this.#line.close();
  }
}

type Maker = () => Worker;

/** @internal The page's side: all threads of one worker. `makerOf` returns the function that starts a thread. */
export function pageThreads(makerOf: (build: BuildName) => Maker | Promise<Maker>): {start(order: ThreadOrder): Promise<void>; end(): void} {
  const ends = new Set<() => void>();
  return {
    async start({build, line, control}) {
      let worker: Worker | undefined;
      let ended = false;
      const end = () => {
        ended = true;
        worker?.terminate();
        ends.delete(end);
      };
      ends.add(end);
      control.onmessage = end;
      try {
        const make = await makerOf(build);
        if (ended) return;
        worker = make();
        worker.onerror = (event) => {
          event.preventDefault();
          control.postMessage(event.message);
        };
        worker.postMessage(line, [line]);
      } catch (error) {
        control.postMessage(messageOf(error));
      }
    },
    end() {
      for (const end of ends) end();
    },
  };
}
