// SPDX-License-Identifier: Apache-2.0
// Jinja, as google/minja renders it: a text plus another value is the text of both, where Jinja2 throws.
import {Environment, Interpreter, parse, tokenize, type Program, type RuntimeValue as Value, type Statement as Node} from '@huggingface/jinja';

type Statement = Node | undefined;
type TextClass = new (text: string) => Value;

// A statement that was evaluated already.
class Evaluated {
  readonly type = 'Evaluated';
  constructor(readonly value: Value) {}
}

// As Python's repr() writes values.
const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
const partOf = (value: Value): string => (value.type === 'StringValue' ? quoted(String(value.value)) : (textOf(value) ?? ''));

function textOf(value: Value): string | undefined {
  switch (value.type) {
    case 'NullValue':
    case 'UndefinedValue':
      return 'None';
    case 'BooleanValue':
      return value.value ? 'True' : 'False';
    case 'IntegerValue':
    case 'FloatValue':
      return String(value.value);
    case 'ObjectValue':
      return `{${[...(value.value as Map<string, Value>)].map(([key, item]) => `${quoted(key)}: ${partOf(item)}`).join(', ')}}`;
    case 'ArrayValue':
      return `[${(value.value as Value[]).map(partOf).join(', ')}]`;
    default:
      return undefined;
  }
}

// The two values, with the one that is no text as text if the other is one.
function bothTexts(left: Value, right: Value): [Value, Value] {
  if (left.type === right.type) return [left, right];
  const text = [left, right].find(({type}) => type === 'StringValue');
  const other = text === left ? textOf(right) : textOf(left);
  if (!text || other === undefined) return [left, right];
  const made = new (text.constructor as TextClass)(other);
  return text === left ? [left, made] : [made, right];
}

const isNothing = ({type}: Value) => type === 'NullValue' || type === 'UndefinedValue';

// A copy of a statement with parts that were evaluated already.
function withParts(statement: Statement, parts: Record<string, Value>): Statement {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(statement)), statement);
  for (const [name, value] of Object.entries(parts)) copy[name] = new Evaluated(value);
  return copy;
}

// What is left of a text without the characters at its ends.
function stripped(text: string, characters: string, method: string): string {
  const all = [...text];
  let [start, end] = [0, all.length];
  if (method !== 'rstrip') while (start < end && characters.includes(all[start]!)) ++start;
  if (method !== 'lstrip') while (end > start && characters.includes(all[end - 1]!)) --end;
  return all.slice(start, end).join('');
}

type Parts = {
  type?: string;
  operator?: {value: string};
  left: Statement;
  right: Statement;
  operand: Statement;
  filter?: {value?: string};
  callee?: Node & {object: Statement; property: {value?: string}; computed: boolean};
  args?: Statement[];
};

class Renderer extends Interpreter {
  override evaluate(statement: Statement, environment: Environment): Value {
    if (statement instanceof Evaluated) return statement.value;
    const {type, operator, left, right, operand, filter, callee, args = []} = (statement ?? {}) as unknown as Parts;
    if (type === 'BinaryExpression' && operator?.value === '+') {
      const texts = bothTexts(this.evaluate(left, environment), this.evaluate(right, environment));
      return super.evaluate(withParts(statement, {left: texts[0], right: texts[1]}), environment);
    }
    if (type === 'FilterExpression' && filter?.value === 'trim') {
      const value = this.evaluate(operand, environment);
      return isNothing(value) ? value : super.evaluate(withParts(statement, {operand: value}), environment);
    }
    // The library ignores the argument of these methods.
    const method = callee?.type === 'MemberExpression' && !callee.computed ? callee.property.value : undefined;
    if (type === 'CallExpression' && args.length === 1 && ['strip', 'lstrip', 'rstrip'].includes(method ?? '')) {
      const [text, characters] = [this.evaluate(callee!.object, environment), this.evaluate(args[0], environment)];
      if (text.type === 'StringValue' && characters.type === 'StringValue') {
        return new (text.constructor as TextClass)(stripped(String(text.value), String(characters.value), method!));
      }
    }
    return super.evaluate(statement, environment);
  }
}

function range(start: number, stop?: number, step = 1): number[] {
  const [first, last] = typeof stop === 'number' ? [start, stop] : [0, start];
  if (step === 0) throw new Error('range() step must not be zero');
  const count = Math.max(0, Math.ceil((last - first) / step));
  if (count > 1e6) throw new Error(`range() is too long: ${count} elements, at most 1000000`);
  return Array.from({length: count}, (_, i) => first + i * step);
}

function timeNow(format: string): string {
  const now = new Date();
  const named = (options: Intl.DateTimeFormatOptions) => now.toLocaleDateString('en-US', options);
  const two = (value: number) => String(value).padStart(2, '0');
  const [year, month, day] = [String(now.getFullYear()), two(now.getMonth() + 1), two(now.getDate())];
  const [hours, minutes, seconds] = [two(now.getHours()), two(now.getMinutes()), two(now.getSeconds())];
  const parts: Record<string, () => string> = {
    a: () => named({weekday: 'short'}),
    A: () => named({weekday: 'long'}),
    b: () => named({month: 'short'}),
    B: () => named({month: 'long'}),
    d: () => day,
    e: () => String(now.getDate()).padStart(2),
    F: () => `${year}-${month}-${day}`,
    H: () => hours,
    I: () => two(now.getHours() % 12 || 12),
    m: () => month,
    M: () => minutes,
    p: () => (now.getHours() < 12 ? 'AM' : 'PM'),
    S: () => seconds,
    T: () => `${hours}:${minutes}:${seconds}`,
    y: () => year.slice(-2),
    Y: () => year,
    '%': () => '%',
  };
  return format.replace(/%([a-zA-Z%])/g, (text, letter: string) => parts[letter]?.() ?? text);
}

const globals = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  range,
  strftime_now: timeNow,
  raise_exception: (message: string) => {
    throw new Error(message);
  },
};

/** A parsed template. */
export class Jinja {
  readonly #program: Program;

  /** Throws if the text is no template. */
  constructor(template: string) {
    this.#program = parse(tokenize(template, {lstrip_blocks: true, trim_blocks: true}));
  }

  /** Renders the template with variables. */
  render(variables: Record<string, unknown>): string {
    const environment = new Environment();
    for (const [name, value] of Object.entries({...globals, ...variables})) environment.set(name, value);
    return String(new Renderer(environment).run(this.#program).value);
  }
}
