// SPDX-License-Identifier: Apache-2.0
// The times of a run, in the forms that people and tools read.
import type {ProfilingInfo} from './glue.js';

/** An event in the format of Chrome's trace viewer. Times are microseconds. */
export interface TraceEvent {
  name: string;
  /** Operation of the layer. */
  cat: string;
  /** A complete event. */
  ph: 'X';
  ts: number;
  dur: number;
  pid: number;
  tid: number;
  args: {execType: string; calls: number};
}

const withBodies = new Set(['TensorIterator', 'Loop', 'If']);

/** The times of the layers in a run. */
export class Profile {
  /** The layers in the order of execution. Those in bodies are named "outer/inner". */
  readonly layers: ProfilingInfo[];

  /** @internal */
  constructor(layers: ProfilingInfo[]) {
    this.layers = layers;
  }

  // The layer whose body a layer is in, or ''.
  #around(nodeName: string, outer: Set<string>): string {
    for (let at = nodeName.lastIndexOf('/'); at > 0; at = nodeName.lastIndexOf('/', at - 1)) {
      if (outer.has(nodeName.slice(0, at))) return nodeName.slice(0, at);
    }
    return '';
  }

  get #outer(): Set<string> {
    return new Set(this.layers.filter(({nodeType}) => withBodies.has(nodeType)).map(({nodeName}) => nodeName));
  }

  /** Time of all layers in microseconds. That of bodies is part of the layers around them. */
  get total(): number {
    const outer = this.#outer;
    return this.layers.reduce((sum, {nodeName, realTime}) => (this.#around(nodeName, outer) ? sum : sum + realTime), 0);
  }

  /**
   * Converts the times to events for Chrome's trace viewer (`chrome://tracing`, Perfetto, the Performance panel). The events
   * of layers stand one behind the other, those of bodies inside the layers around them. What a layer took in several
   * iterations is one event.
   *
   * @returns The events. `JSON.stringify({traceEvents})` is a file that these tools open.
   */
  toTraceEvents(): TraceEvent[] {
    const outer = this.#outer;
    const free = new Map<string, number>([['', 0]]); // where the next event goes, by the layer around it
    const place = ({nodeName, nodeType, execType, realTime, calls}: ProfilingInfo): TraceEvent => {
      const around = this.#around(nodeName, outer);
      const ts = free.get(around)!;
      free.set(around, ts + realTime);
      if (outer.has(nodeName)) free.set(nodeName, ts);
      return {name: nodeName, cat: nodeType, ph: 'X', ts, dur: realTime, pid: 1, tid: 1, args: {execType, calls}};
    };
    // Outer layers first: what is in their bodies begins where they do.
    const depth = (name: string): number => (name === '' ? 0 : 1 + depth(this.#around(name, outer)));
    return [...this.layers].sort((a, b) => depth(a.nodeName) - depth(b.nodeName)).map(place);
  }

  /**
   * Returns the layers as a table, the slowest first.
   *
   * @param most How many layers it has at most. Default: all.
   */
  toTable(most = this.layers.length): string {
    const {total} = this;
    const rows = [...this.layers].sort((a, b) => b.realTime - a.realTime).slice(0, most);
    const lines = rows.map(({realTime, calls, execType, nodeName}) => {
      const share = total > 0 ? (100 * realTime) / total : 0;
      return `${(realTime / 1000).toFixed(3).padStart(10)} ${share.toFixed(1).padStart(6)} ${String(calls).padStart(7)}  ${execType.padEnd(28)} ${nodeName}`;
    });
    return [`${'ms'.padStart(10)} ${'%'.padStart(6)} ${'calls'.padStart(7)}  ${'operation'.padEnd(28)} layer`, ...lines].join('\n');
  }

  /** Returns toTable(). */
  toString(): string {
    return this.toTable();
  }
}
