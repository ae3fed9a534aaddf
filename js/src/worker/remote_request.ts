// SPDX-License-Identifier: Apache-2.0
// Requests of an engine in a worker.
import type {ObservedPath, ObservedValue, RequestBackend, RunOptions} from '../backend/backend.js';
import type {OwnedLimits} from '../backend/limits.js';
import type {ExplanationData, PortInfo, ProfilingInfo} from '../backend/records.js';
import {WasmvinoError, invalidState, onlyAsync} from '../base/error.js';
import {abortable} from '../base/turns.js';
import {PartialShape} from '../tensor/partial_shape.js';
import {newArray, type OwnTensor} from '../tensor/storage.js';
import {Tensor, store} from '../tensor/tensor.js';
import {buffersOf, received, sentTensor, type RunResult, type SentObservation, type SentRunProgress} from './protocol.js';
import type {AskOptions, RemoteEngine} from './remote_engine.js';
import {Effects, RemoteObject} from './remote_object.js';

// Before the first run, outputs are zeros, as in an engine on this thread.
function emptyOutput({names, friendlyName, type, shape}: PortInfo): OwnTensor {
  if ((type as string) === 'dynamic')
    throw invalidState(`output '${names[0] ?? friendlyName}' has no type before the first run`);
  const partial = new PartialShape(shape);
  const sizes = partial.isStatic() ? (partial.getDimensions() as number[]) : [0];
  return {type, shape: sizes, array: newArray(type, sizes)};
}

const receivedObservation = ({tensor, ...rest}: SentObservation): ObservedValue => ({
  ...rest,
  tensor: Tensor.of(received(tensor)),
});

export class RemoteRequest implements RequestBackend {
  readonly #engine: RemoteEngine;
  readonly #object: RemoteObject<void>;
  readonly #ports: readonly PortInfo[];
  readonly #variables: readonly string[];
  readonly #effects: Effects;
  #outputs: OwnTensor[] = [];
  #last: Omit<RunResult, 'outputs'> = {profiling: [], observations: [], memoryBytes: 0};
  #observed: ObservedPath[] = [];
  #running: AbortController | undefined;

  constructor(engine: RemoteEngine, compiled: RemoteObject<unknown>, ports: readonly PortInfo[], variables: readonly string[]) {
    this.#engine = engine;
    this.#ports = ports;
    this.#variables = variables;
    this.#effects = new Effects(engine);
    const again = async (id: number, options: AskOptions) => {
      await engine.ask('create', {id, compiled: await compiled.here(options)}, options);
      compiled.leave();
      if (this.#observed.length > 0) await engine.ask('observe', {id, ports: this.#observed}, options);
    };
    this.#object = new RemoteObject<void>(engine, 'InferRequest', again).ownedBy(this);
    this.#defer(() => {}); // creates the request now, before the compiled model can be disposed
  }

  // Queues a task. It runs when the worker has the request.
  #defer(task: (id: number) => unknown): void {
    this.#object.check();
    this.#effects.add(async () => task(await this.#object.here({})));
  }

  inTurn<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#engine.inTurn(task, signal);
  }

  async run(tensors: Tensor[], limits: OwnedLimits, {signal, transfer, onProgress}: RunOptions): Promise<void> {
    this.#object.check();
    this.#effects.check();
    const running = (this.#running = new AbortController());
    const run = async () => {
      const id = await this.#object.here(running);
      const inputs = tensors.map((tensor) => sentTensor(tensor, !transfer));
      const onRunProgress =
        onProgress &&
        (({observed, ...rest}: SentRunProgress) => onProgress({...rest, observed: observed.map(receivedObservation)}));
      const options = {signal: running.signal, transfer: buffersOf(inputs), computes: true, onRunProgress};
      const {outputs, ...last} = await this.#engine.ask(
        'run',
        {id, inputs, limits, progress: onProgress !== undefined},
        options,
      );
      this.#outputs = outputs.map(received);
      this.#last = last;
    };
    try {
      await abortable(signal, (reason) => running.abort(reason), run);
    } finally {
      this.#running = undefined;
    }
  }

  runNow(): never {
    throw onlyAsync('infer', 'inferAsync');
  }

  cancel(): void {
    this.#running?.abort(new WasmvinoError('CANCELLED', 'The run was ended by cancel().'));
  }

  #output(i: number): OwnTensor {
    this.#object.check();
    return (this.#outputs[i] ??= emptyOutput(this.#ports[i]!));
  }

  output(i: number): Tensor {
    return Tensor.of({latest: () => this.#output(i)});
  }

  result(i: number): Tensor {
    return Tensor.of({...this.#output(i)});
  }

  copyResult(i: number, into: Tensor): void {
    const {shape, array} = this.#output(i);
    store(into, shape, array);
  }

  variables(): string[] {
    this.#object.check();
    return [...this.#variables];
  }

  stateNow(): never {
    throw onlyAsync('getState', 'getStateAsync');
  }

  async state(variable: number): Promise<Tensor> {
    this.#object.check();
    return this.#engine.inTurn(async () => {
      this.#effects.check();
      return Tensor.of(received(await this.#engine.ask('state', {id: await this.#object.here({}), variable})));
    });
  }

  setState(variable: number, tensor: Tensor): void {
    const sent = sentTensor(tensor, true);
    this.#defer((id) => this.#engine.ask('setState', {id, variable, tensor: sent}, {transfer: buffersOf([sent])}));
  }

  reset(variable?: number): void {
    this.#defer((id) => this.#engine.ask('reset', {id, variable}));
  }

  profiling(): ProfilingInfo[] {
    this.#object.check();
    return this.#last.profiling;
  }

  observe(ports: ObservedPath[]): void {
    this.#defer(async (id) => {
      await this.#engine.ask('observe', {id, ports});
      this.#observed = ports;
    });
  }

  observations(): ObservedValue[] {
    this.#object.check();
    return this.#last.observations.map(receivedObservation);
  }

  async explain(): Promise<ExplanationData> {
    this.#object.check();
    return this.#engine.inTurn(async () => {
      this.#effects.check();
      return this.#engine.ask('explain', {id: await this.#object.here({})});
    });
  }

  memoryBytes(): number {
    this.#object.check();
    return this.#last.memoryBytes;
  }

  dispose(): void {
    this.#object.dispose();
  }
}
