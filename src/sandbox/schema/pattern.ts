/**
 * Reads the simple regular expressions that schemas use, writes texts that match them, and tests texts in bounded time:
 * a caller's pattern never reaches the engine, where one line of it could block the process.
 */

import type { Budget } from './budget.ts';

export type PatternNode =
  | { readonly kind: 'set'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' };

type Range = readonly [low: number, high: number];

const patternLengthMax = 500;
const depthMax = 16;
const repeatMax = 1_000;
const sampleLengthMax = 10_000;
const stepsMax = 2_000;

const digits: readonly Range[] = [[0x30, 0x39]];
const wordCharacters: readonly Range[] = [
  [0x61, 0x7a],
  [0x41, 0x5a],
  [0x30, 0x39],
  [0x5f, 0x5f],
];
const spaces: readonly Range[] = [
  [0x20, 0x20],
  [0x09, 0x0d],
];
const everything: readonly Range[] = [
  [0x61, 0x7a],
  [0x20, 0x60],
  [0x7b, 0xffff],
  [0x00, 0x09],
  [0x0b, 0x1f],
];

/** Undefined where the pattern is more than this reader knows: look-around, back references, properties. */
export function readPattern(source: string): PatternNode | undefined {
  if (source.length > patternLengthMax) return undefined;
  const reader = new PatternReader(source);
  return reader.read();
}

class PatternReader {
  #at = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  read(): PatternNode | undefined {
    const node = this.#choice(0);
    return this.#at === this.#source.length ? node : undefined;
  }

  #choice(depth: number): PatternNode | undefined {
    if (depth > depthMax) return undefined;
    const options: PatternNode[] = [];
    for (;;) {
      const option = this.#sequence(depth);
      if (option === undefined) return undefined;
      options.push(option);
      if (this.#source[this.#at] !== '|') break;
      this.#at++;
    }
    const [only] = options;
    return options.length === 1 ? only : { kind: 'choice', options };
  }

  #sequence(depth: number): PatternNode | undefined {
    const items: PatternNode[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      const atom = this.#atom(depth);
      const item = atom === undefined ? undefined : this.#repeated(atom);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return { kind: 'sequence', items };
  }

  #atom(depth: number): PatternNode | undefined {
    const character = this.#source.charAt(this.#at++);
    if (character === '^') return { kind: 'start' };
    if (character === '$') return { kind: 'end' };
    if (character === '.') return { kind: 'set', ranges: everything };
    if (character === '[') return this.#set();
    if (character === '(') return this.#group(depth);
    if ('*+?{'.includes(character)) return undefined;
    const ranges = character === '\\' ? this.#escape() : single(character);
    return ranges === undefined ? undefined : { kind: 'set', ranges };
  }

  #group(depth: number): PatternNode | undefined {
    if (this.#source.startsWith('?:', this.#at)) this.#at += 2;
    else if (this.#source[this.#at] === '?') return undefined;
    const inner = this.#choice(depth + 1);
    if (inner === undefined || this.#source[this.#at] !== ')') return undefined;
    this.#at++;
    return inner;
  }

  #escape(): readonly Range[] | undefined {
    const character = this.#source.charAt(this.#at++);
    if (character === 'd') return digits;
    if (character === 'w') return wordCharacters;
    if (character === 's') return spaces;
    if (character === 'D') return inverted(digits);
    if (character === 'W') return inverted(wordCharacters);
    if (character === 'S') return inverted(spaces);
    if (character === 't') return single('\t');
    if (character === 'n') return single('\n');
    if (character === 'r') return single('\r');
    // Letters and digits that are left have meanings this reader does not know.
    return character === '' || /[A-Za-z0-9]/.test(character) ? undefined : single(character);
  }

  #set(): PatternNode | undefined {
    const negated = this.#source[this.#at] === '^';
    if (negated) this.#at++;
    const ranges: Range[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== ']') {
      const low = this.#setMember();
      if (low === undefined) return undefined;
      const [first] = low;
      const isRange = this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']' && low.length === 1;
      if (!isRange || first === undefined) {
        ranges.push(...low);
        continue;
      }
      this.#at++;
      const high = this.#setMember()?.[0];
      if (high === undefined || high[1] < first[0]) return undefined;
      ranges.push([first[0], high[1]]);
    }
    if (this.#source[this.#at++] !== ']') return undefined;
    const result = negated ? inverted(ranges) : ranges;
    return result.length === 0 ? undefined : { kind: 'set', ranges: result };
  }

  #setMember(): readonly Range[] | undefined {
    const character = this.#source.charAt(this.#at++);
    return character === '\\' ? this.#escape() : single(character);
  }

  #repeated(item: PatternNode): PatternNode | undefined {
    const character = this.#source[this.#at];
    let bounds: Range | undefined;
    if (character === '*') bounds = [0, repeatMax];
    else if (character === '+') bounds = [1, repeatMax];
    else if (character === '?') bounds = [0, 1];
    if (bounds !== undefined) this.#at++;
    else if (character === '{') {
      bounds = this.#braces();
      if (bounds === undefined) return undefined;
    }
    if (bounds === undefined) return item;
    if (this.#source[this.#at] === '?') this.#at++;
    return { kind: 'repeat', item, min: bounds[0], max: bounds[1] };
  }

  #braces(): Range | undefined {
    const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.#source.slice(this.#at, this.#at + 12));
    if (found === null) return undefined;
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === '' ? Math.max(min, repeatMax) : Number(found[3]);
    return max < min ? undefined : [min, max];
  }
}

function single(character: string): readonly Range[] | undefined {
  if (character === '') return undefined;
  const code = character.charCodeAt(0);
  return [[code, code]];
}

function inverted(ranges: readonly Range[]): readonly Range[] {
  const sorted = [...ranges].sort((left, right) => left[0] - right[0]);
  const result: Range[] = [];
  // Lower-case letters first, so that samples stay readable.
  let low = 0;
  for (const range of [...sorted, [0x10000, 0x10000] as const]) {
    if (range[0] > low) result.push([low, range[0] - 1]);
    low = Math.max(low, range[1] + 1);
  }
  const readable = result.flatMap(([from, to]): Range[] => {
    const clipped: Range = [Math.max(from, 0x61), Math.min(to, 0x7a)];
    return clipped[0] <= clipped[1] ? [clipped] : [];
  });
  return [...readable, ...result];
}

/** A text that the pattern matches; different variants give different texts as far as the pattern allows. */
export function samplePattern(node: PatternNode, variant: number, lengthMin: number): string | undefined {
  for (let stretch = 0; stretch <= Math.max(1, lengthMin) * 2; stretch = stretch * 2 + 1) {
    const state: SampleState = { variant, stretch, length: 0 };
    const sample = sampleNode(node, state);
    if (sample === undefined) return undefined;
    // A pattern that is open at its end takes anything after it, so that variants can still differ.
    const text = state.variant > 0 && isOpenEnded(node) ? `${sample}${state.variant}` : sample;
    if (text.length >= lengthMin) return text;
  }
  return undefined;
}

function isOpenEnded(node: PatternNode): boolean {
  return node.kind === 'sequence' && node.items.at(-1)?.kind !== 'end';
}

interface SampleState {
  variant: number;
  readonly stretch: number;
  length: number;
}

function sampleNode(node: PatternNode, state: SampleState): string | undefined {
  if (state.length > sampleLengthMax) return undefined;
  switch (node.kind) {
    case 'start':
    case 'end':
      return '';
    case 'set':
      state.length++;
      return sampleSet(node.ranges, state);
    case 'choice': {
      const { length } = node.options;
      const option = node.options[state.variant % length];
      state.variant = Math.floor(state.variant / length);
      return option === undefined ? undefined : sampleNode(option, state);
    }
    case 'sequence':
      return sampleAll(node.items, state);
    case 'repeat': {
      const count = Math.min(node.max, node.min + state.stretch);
      return sampleAll(Array<PatternNode>(count).fill(node.item), state);
    }
  }
}

function sampleAll(nodes: readonly PatternNode[], state: SampleState): string | undefined {
  let text = '';
  for (const node of nodes) {
    const sample = sampleNode(node, state);
    if (sample === undefined) return undefined;
    text += sample;
  }
  return text;
}

function sampleSet(ranges: readonly Range[], state: SampleState): string {
  const [low, high] = ranges[0] ?? [0x61, 0x61];
  const size = high - low + 1;
  const code = low + (state.variant % size);
  state.variant = Math.floor(state.variant / size);
  return String.fromCharCode(code);
}

/** Does the pattern match anywhere in the text? Undefined when the answer would take too long. */
export function matchesPattern(node: PatternNode, text: string, budget: Budget): boolean | undefined {
  if (budget.isSpent) return undefined;
  const matcher = new Matcher(text);
  let matched: boolean | undefined = false;
  for (let start = 0; start <= text.length && matched === false; start++) {
    if (matcher.match(node, start, () => true)) matched = true;
    else if (matcher.steps > stepsMax) matched = undefined;
  }
  budget.spend(matcher.steps);
  return matched;
}

class Matcher {
  steps = 0;
  #depth = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  match(node: PatternNode, at: number, next: (at: number) => boolean): boolean {
    // The continuation style nests a frame for every character, hence a bound on depth beside the one on steps.
    if (++this.steps > stepsMax || this.#depth > 2_000) {
      this.steps = stepsMax + 1;
      return false;
    }
    this.#depth++;
    const matched = this.#matchNode(node, at, next);
    this.#depth--;
    return matched;
  }

  #matchNode(node: PatternNode, at: number, next: (at: number) => boolean): boolean {
    switch (node.kind) {
      case 'start':
        return at === 0 && next(at);
      case 'end':
        return at === this.#text.length && next(at);
      case 'set': {
        const code = this.#text.charCodeAt(at);
        return node.ranges.some(([low, high]) => code >= low && code <= high) && next(at + 1);
      }
      case 'choice':
        return node.options.some((option) => this.match(option, at, next));
      case 'sequence':
        return this.#matchItems(node.items, 0, at, next);
      case 'repeat':
        return this.#matchRepeat(node, 0, at, next);
    }
  }

  #matchItems(items: readonly PatternNode[], index: number, at: number, next: (at: number) => boolean): boolean {
    const item = items[index];
    if (item === undefined) return next(at);
    return this.match(item, at, (after) => this.#matchItems(items, index + 1, after, next));
  }

  #matchRepeat(
    node: Extract<PatternNode, { kind: 'repeat' }>,
    done: number,
    at: number,
    next: (at: number) => boolean,
  ): boolean {
    const more =
      done < node.max &&
      this.match(node.item, at, (after) => after > at && this.#matchRepeat(node, done + 1, after, next));
    return more || (done >= node.min && next(at));
  }
}
