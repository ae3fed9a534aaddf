// SPDX-License-Identifier: Apache-2.0
import type {ProfilingInfo} from '../backend/records.js';

/** An event in the format of Chrome's trace viewer. Times are in microseconds. */
export interface TraceEvent {
  /** Name of the layer. */
  name: string;
  /** Operation of the layer. */
  cat: string;
  /** The kind of event: 'X' has a start and a duration. */
  ph: 'X';
  /** Start, in microseconds. */
  ts: number;
  /** Duration, in microseconds. */
  dur: number;
  /** Always 1. */
  pid: number;
  /** Always 1. */
  tid: number;
  /** The operation with its version, and how often the layer ran. */
  args: {execType: string; calls: number};
}

const withBodies = new Set(['TensorIterator', 'Loop', 'If']);

/** The time that each layer took in a run. */
export class Profile {
  /** The layers in the order of execution. Those in bodies are named "outer/inner". */
  readonly layers: ProfilingInfo[];

  /** @internal */
  constructor(layers: ProfilingInfo[]) {
    this.layers = layers;
  }

  // Name of the innermost layer whose body contains the given layer, or ''.
  #around(nodeName: string, outer: Set<string>): string {
    for (let at = nodeName.lastIndexOf('/'); at > 0; at = nodeName.lastIndexOf('/', at - 1)) {
      if (outer.has(nodeName.slice(0, at))) return nodeName.slice(0, at);
    }
    return '';
  }

  get #outer(): Set<string> {
    return new Set(this.layers.filter(({nodeType}) => withBodies.has(nodeType)).map(({nodeName}) => nodeName));
  }

  /** Total time in microseconds. Layers in bodies are not counted again: their time is part of the enclosing layer. */
  get total(): number {
    const outer = this.#outer;
    return this.layers.reduce((sum, {nodeName, realTime}) => (this.#around(nodeName, outer) ? sum : sum + realTime), 0);
  }

  /**
   * Converts the times to events for Chrome's trace viewer (`chrome://tracing`, Perfetto, the Performance panel). Layers
   * follow one another, and layers in bodies lie inside the enclosing layers. All iterations of a layer form one event.
   *
   * @returns The events. These tools open a file with `JSON.stringify({traceEvents})`.
   * @example
   * const traceEvents = request.getProfile().toTraceEvents();
   * const file = JSON.stringify({traceEvents});
   */
  toTraceEvents(): TraceEvent[] {
    const outer = this.#outer;
    const free = new Map<string, number>([['', 0]]); // start of the next event, by enclosing layer
    const place = ({nodeName, nodeType, execType, realTime, calls}: ProfilingInfo): TraceEvent => {
      const around = this.#around(nodeName, outer);
      const ts = free.get(around)!;
      free.set(around, ts + realTime);
      if (outer.has(nodeName)) free.set(nodeName, ts);
      return {name: nodeName, cat: nodeType, ph: 'X', ts, dur: realTime, pid: 1, tid: 1, args: {execType, calls}};
    };
    // Outer layers come first, because layers in their bodies start where they do.
    const depth = (name: string): number => (name === '' ? 0 : 1 + depth(this.#around(name, outer)));
    return [...this.layers].sort((a, b) => depth(a.nodeName) - depth(b.nodeName)).map(place);
  }

  /**
   * Returns the layers as a text table, slowest first.
   *
   * @param most Maximum number of layers. Default: all.
   * @returns One line per layer: milliseconds, percentage of the total, number of calls, operation, name.
   * @example
   * console.log(request.getProfile().toTable(10));
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

  /**
   * Returns toTable().
   *
   * @returns The table.
   * @example
   * console.log(`${request.getProfile()}`);
   */
  toString(): string {
    return this.toTable();
  }
}
