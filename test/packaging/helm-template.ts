/**
 * Renders the few constructs of Helm's templates that the chart uses, because Helm itself is on few machines. Whatever it
 * does not know is an error, so that a chart cannot pass by being misread.
 */

import { createHash } from 'node:crypto';

export type Value = string | number | boolean | undefined | null | Value[] | { readonly [key: string]: Value };
type Scope = { dot: Value; readonly variables: Map<string, Value>; readonly root: Value };

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly pipe: string[] }
  | { readonly kind: 'if'; readonly pipe: string[]; readonly body: Node[]; readonly otherwise: Node[] }
  | { readonly kind: 'with'; readonly pipe: string[]; readonly body: Node[]; readonly otherwise: Node[] }
  | { readonly kind: 'range'; readonly names: string[]; readonly pipe: string[]; readonly body: Node[] };

/** What `fail` and `required` raise: the message for the person who installs. */
export class ChartError extends Error {
  override readonly name = 'ChartError';
}

const tokenPattern = /"(?:[^"\\]|\\.)*"|:=|[|(),]|\$?[\w.$-]+|\S/g;

export class Templates {
  readonly #defined = new Map<string, Node[]>();

  /** Reads a file's definitions; what it prints itself is in the result. */
  read(source: string): Node[] {
    const pieces = cut(source);
    let at = 0;
    const block = (isInner = true): Node[] => {
      const nodes: Node[] = [];
      for (; at < pieces.length; at++) {
        const piece = pieces[at];
        if (piece === undefined) break;
        if (piece.text !== undefined) {
          nodes.push({ kind: 'text', text: piece.text });
          continue;
        }
        const [word = '', ...rest] = piece.words;
        if (word === 'end' || word === 'else') return nodes;
        at++;
        if (word === 'define') this.#defined.set(JSON.parse(rest[0] ?? '""') as string, block());
        else if (word === 'range') nodes.push(rangeNode(rest, block()));
        else if (word === 'if' || word === 'with') {
          const body = block();
          const isElse = pieces[at]?.words[0] === 'else';
          if (isElse && (pieces[at]?.words.length ?? 0) > 1) throw new Error('`else if` is not supported here.');
          if (isElse) at++;
          nodes.push({ kind: word, pipe: rest, body, otherwise: isElse ? block() : [] });
        } else {
          at--;
          nodes.push({ kind: 'print', pipe: piece.words });
        }
      }
      if (isInner) throw new Error('A block has no end.');
      return nodes;
    };
    const nodes = block(false);
    if (at < pieces.length) throw new Error(`An unexpected ${pieces[at]?.words[0]}.`);
    return nodes;
  }

  render(nodes: readonly Node[], root: Value): string {
    return this.#write(nodes, { dot: root, variables: new Map(), root });
  }

  #write(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => this.#writeOne(node, scope)).join('');
  }

  #writeOne(node: Node, scope: Scope): string {
    if (node.kind === 'text') return node.text;
    const value = this.#evaluate(node.pipe, scope);
    if (node.kind === 'print') return printed(value, node.pipe);
    if (node.kind === 'if') return this.#write(isTrue(value) ? node.body : node.otherwise, scope);
    if (node.kind === 'with') {
      return isTrue(value) ? this.#write(node.body, { ...scope, dot: value }) : this.#write(node.otherwise, scope);
    }
    return entriesOf(value)
      .map(([key, each]) => {
        const variables = new Map(scope.variables);
        const [first, second] = node.names;
        if (second === undefined && first !== undefined) variables.set(first, each);
        if (second !== undefined && first !== undefined) variables.set(first, key).set(second, each);
        return this.#write(node.body, { dot: each, variables, root: scope.root });
      })
      .join('');
  }

  /** A pipeline: the value of each command is the last argument of the next. */
  #evaluate(words: readonly string[], scope: Scope): Value {
    let piped: Value[] = [];
    for (const command of splitAt(words, '|')) piped = [this.#command(command, scope, piped)];
    return piped[0];
  }

  #command(words: readonly string[], scope: Scope, piped: readonly Value[]): Value {
    const terms = grouped(words);
    const [first] = terms;
    if (first === undefined) throw new Error('An empty command.');
    const known =
      first.length === 1 && Object.hasOwn(functions, first[0] ?? '') ? functions[first[0] ?? ''] : undefined;
    if (first[0] === 'include') {
      const [name, dot] = [...terms.slice(1).map((term) => this.#term(term, scope)), ...piped];
      const body = this.#defined.get(String(name));
      if (body === undefined) throw new Error(`There is no template ${String(name)}.`);
      return this.#write(body, { dot, variables: new Map(), root: dot });
    }
    if (first[0] === 'and' || first[0] === 'or') return this.#junction(first[0], terms.slice(1), scope, piped);
    if (known !== undefined) return known(...terms.slice(1).map((term) => this.#term(term, scope)), ...piped);
    if (terms.length > 1 || piped.length > 0) throw new Error(`${first.join(' ')} is no function known here.`);
    return this.#term(first, scope);
  }

  /** The first term that decides; what follows it is not evaluated. */
  #junction(kind: 'and' | 'or', terms: readonly string[][], scope: Scope, piped: readonly Value[]): Value {
    let value: Value;
    for (const evaluate of [
      ...terms.map((term) => () => this.#term(term, scope)),
      ...piped.map((each) => () => each),
    ]) {
      value = evaluate();
      if (isTrue(value) === (kind === 'or')) return value;
    }
    return value;
  }

  #term(words: readonly string[], scope: Scope): Value {
    const [word = ''] = words;
    if (word === '(') return this.#evaluate(words.slice(1, -1), scope);
    if (word.startsWith('"')) return JSON.parse(word) as string;
    if (/^-?\d+$/.test(word)) return Number(word);
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === '.') return scope.dot;
    if (word === '$') return scope.root;
    if (word.startsWith('$.')) return fieldOf(scope.root, word.slice(2), word);
    if (word.startsWith('.')) return fieldOf(scope.dot, word.slice(1), word);
    const [name = '', ...path] = word.split('.');
    if (!scope.variables.has(name)) throw new Error(`${word} is not known here.`);
    const value = scope.variables.get(name);
    return path.length === 0 ? value : fieldOf(value, path.join('.'), word);
  }
}

interface Piece {
  readonly text?: string;
  readonly words: string[];
}

/** Text and actions; a dash in an action removes the space beside it. */
function cut(source: string): Piece[] {
  const pieces: Piece[] = [];
  let trimNext = false;
  for (const [index, part] of source.split(/\{\{(-? .*? -?|-?\/\*[\s\S]*?\*\/-?)\}\}/).entries()) {
    const isText = index % 2 === 0;
    if (isText) {
      const text = trimNext ? part.trimStart() : part;
      if (text.includes('{{')) throw new Error(`An action is not closed or has no space inside: ${text.slice(0, 60)}`);
      pieces.push({ text, words: [] });
      trimNext = false;
      continue;
    }
    const last = pieces.at(-1);
    if (part.startsWith('-') && last?.text !== undefined)
      pieces[pieces.length - 1] = { ...last, text: last.text.trimEnd() };
    trimNext = part.endsWith('-');
    const inside = part.replace(/^-|-$/g, '').trim();
    if (!inside.startsWith('/*')) pieces.push({ words: inside.match(tokenPattern) ?? [] });
  }
  return pieces;
}

function rangeNode(words: readonly string[], body: Node[]): Node {
  const assigned = words.indexOf(':=');
  const names = assigned === -1 ? [] : words.slice(0, assigned).filter((word) => word !== ',');
  return { kind: 'range', names, pipe: words.slice(assigned + 1), body };
}

function splitAt(words: readonly string[], mark: string): string[][] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const word of words) {
    if (word === '(') depth++;
    if (word === ')') depth--;
    if (word === mark && depth === 0) parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}

/** Each term of a command: one word, or what is between parentheses. */
function grouped(words: readonly string[]): string[][] {
  const terms: string[][] = [];
  let depth = 0;
  for (const word of words) {
    if (depth > 0) terms.at(-1)?.push(word);
    else terms.push([word]);
    if (word === '(') depth++;
    if (word === ')') depth--;
  }
  return terms;
}

/** A value below nothing is an error, as in Helm. */
function fieldOf(start: Value, path: string, shown: string): Value {
  let value = start;
  for (const name of path.split('.')) {
    if (value === null || value === undefined || typeof value !== 'object' || Array.isArray(value))
      throw new Error(`${shown}: there is no value that could have ${name}.`);
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function entriesOf(value: Value): [Value, Value][] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return [...value.entries()];
  if (typeof value === 'object') return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  throw new Error('Only lists and maps can be walked.');
}

function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

function printed(value: Value, words: readonly string[]): string {
  if (value === undefined || value === null) throw new Error(`${words.join(' ')} has no value.`);
  if (typeof value === 'object') throw new Error(`${words.join(' ')} is a list or a map.`);
  return String(value);
}

const indented = (spaces: Value, text: Value): string =>
  String(text)
    .split('\n')
    .map((line) => ' '.repeat(Number(spaces)) + line)
    .join('\n');

const numbers = (values: readonly Value[]): number[] =>
  values.map((value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) throw new Error(`${String(value)} is no whole number.`);
    return value;
  });

/** Keys in order as Helm writes them; a scalar as JSON, which is YAML too. */
function blockYaml(value: Value): string {
  if (!isTrue(value) || typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const isList = Array.isArray(value);
  return entriesOf(value)
    .map(([key, each]) => {
      const inner = blockYaml(each);
      const isBlock = typeof each === 'object' && each !== null && isTrue(each);
      if (isList) return `- ${inner.replaceAll('\n', '\n  ')}`;
      return `${JSON.stringify(key)}:${isBlock ? `\n${indented(2, inner)}` : ` ${inner}`}`;
    })
    .join('\n');
}

/** Only `>=MAJOR.MINOR-0`, which also accepts the suffixes of a vendor's versions. */
function isAtLeast(version: string, range: string): boolean {
  const [, major, minor] = /^>=(\d+)\.(\d+)-0$/.exec(range) ?? [];
  const [, theirMajor, theirMinor] = /^v(\d+)\.(\d+)\./.exec(version) ?? [];
  if (minor === undefined || theirMinor === undefined) throw new Error(`${range} of ${version} is not supported here.`);
  const difference = Number(theirMajor) - Number(major);
  return difference > 0 || (difference === 0 && Number(theirMinor) >= Number(minor));
}

type Callable = (...values: Value[]) => Value;

const functions: Readonly<Record<string, Callable>> = {
  add: (...values) => numbers(values).reduce((sum, value) => sum + value, 0),
  contains: (part, text) => String(text).includes(String(part)),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  fail: (message) => {
    throw new ChartError(String(message));
  },
  join: (separator, list) =>
    entriesOf(list)
      .map(([, value]) => String(value))
      .join(String(separator)),
  kindIs: (kind, value) => kind === (Array.isArray(value) ? 'slice' : typeof value === 'object' ? 'map' : typeof value),
  list: (...values) => values,
  mul: (...values) => numbers(values).reduce((product, value) => product * value, 1),
  nindent: (spaces, text) => `\n${indented(spaces, text)}`,
  not: (value) => !isTrue(value),
  printf: (format, ...values) => {
    let next = 0;
    return String(format).replace(/%s/g, () => String(values[next++]));
  },
  quote: (value) => JSON.stringify(String(value)),
  replace: (from, to, text) => String(text).replaceAll(String(from), String(to)),
  required: (message, value) => {
    if (value === undefined || value === null || value === '') throw new ChartError(String(message));
    return value;
  },
  semverCompare: (range, version) => isAtLeast(String(version), String(range)),
  sha256sum: (text) => createHash('sha256').update(String(text)).digest('hex'),
  toYaml: (value) => blockYaml(value),
  trimSuffix: (suffix, text) => String(text).replace(new RegExp(`${String(suffix)}$`), ''),
  trunc: (length, text) => String(text).slice(0, Number(length)),
};
