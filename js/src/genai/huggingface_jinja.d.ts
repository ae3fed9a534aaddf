// SPDX-License-Identifier: Apache-2.0
// What jinja.ts uses of @huggingface/jinja. The declarations of the package do not resolve under "moduleResolution": "NodeNext".
export interface Statement {
  type: string;
}
export interface Program extends Statement {
  body: Statement[];
}
export interface RuntimeValue {
  type: string;
  value: unknown;
}
export declare class Environment {
  set(name: string, value: unknown): RuntimeValue;
}
export declare class Interpreter {
  constructor(environment?: Environment);
  run(program: Program): RuntimeValue;
  evaluate(statement: Statement | undefined, environment: Environment): RuntimeValue;
}
export declare function tokenize(source: string, options?: {lstrip_blocks?: boolean; trim_blocks?: boolean}): unknown[];
export declare function parse(tokens: unknown[]): Program;
