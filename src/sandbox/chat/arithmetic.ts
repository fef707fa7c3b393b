/** Finds sums in a sentence and works them out with a small parser of its own: what a caller wrote is never evaluated as code. */

export interface Sum {
  /** As the sentence wrote it. */
  readonly expression: string;
  /** Undefined where there is no answer, such as a division by zero. */
  readonly value: number | undefined;
}

const textLengthMax = 8_000;
const tokensMax = 200;
const depthMax = 32;
const sumsMax = 5;
/** Two operands and what stands between them. */
const shortestRun = 3;

interface Token {
  readonly kind: 'number' | 'operator' | 'open' | 'close';
  readonly text: string;
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

const wordOperators: readonly (readonly [string, string])[] = [
  ['divided by', '/'],
  ['multiplied by', '*'],
  ['to the power of', '^'],
  ['modulo', '%'],
  ['minus', '-'],
  ['times', '*'],
  ['plus', '+'],
  ['over', '/'],
  ['mod', '%'],
];
const signs: Readonly<Record<string, string>> = { '×': '*', '·': '*', '÷': '/', '−': '-' };
const asksForSum = /\b(?:what(?:'s|’s| is| are)?|calculate|compute|evaluate|solve|how much|sum|result|work out)\b|=/i;
const datePattern = /\d{4}-\d{2}-\d{2}(?:T[\d:.]{1,12}Z?)?|\b\d{1,2}[/.]\d{1,2}[/.]\d{4}\b/g;

export function findSums(sentence: string): Sum[] {
  const text = sentence.slice(0, textLengthMax).replace(datePattern, (date) => '#'.repeat(date.length));
  const asked = asksForSum.test(text);
  const sums: Sum[] = [];
  for (const run of tokenRuns(text)) {
    const sum = readSum(run, text, asked);
    if (sum !== undefined) sums.push(sum);
    if (sums.length === sumsMax) break;
  }
  return sums;
}

/** Neighbouring tokens with nothing but white space between them; any other word ends a run. */
function* tokenRuns(text: string): Generator<Token[], void, void> {
  let run: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === 0x20 || code === 0x09) {
      at++;
      continue;
    }
    const token = readToken(text, at);
    if (token === undefined || run.length === tokensMax) {
      if (run.length >= shortestRun) yield run;
      run = [];
      at = token?.end ?? skipWord(text, at);
    } else {
      run.push(token);
      at = token.end;
    }
  }
  if (run.length >= shortestRun) yield run;
}

function skipWord(text: string, start: number): number {
  let at = start + 1;
  if (/\w/.test(text.charAt(start))) while (at < text.length && /\w/.test(text.charAt(at))) at++;
  return at;
}

const numberPattern = /\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?(?![\d,])|\d{1,20}(?:\.\d{1,20})?|\.\d{1,20}/y;

function readToken(text: string, start: number): Token | undefined {
  numberPattern.lastIndex = start;
  const found = numberPattern.exec(text)?.[0];
  if (found !== undefined) {
    const end = start + found.length;
    const value = Number(found.replaceAll(',', ''));
    // "7th" and "3D" are words.
    return /[A-Za-z_]/.test(text.charAt(end)) ? undefined : { kind: 'number', text: found, value, start, end };
  }
  const character = text.charAt(start);
  const sign = signs[character] ?? character;
  if (text.startsWith('**', start)) return { kind: 'operator', text: '^', value: 0, start, end: start + 2 };
  if ('+-*/%^'.includes(sign)) return { kind: 'operator', text: sign, value: 0, start, end: start + 1 };
  if (character === '(') return { kind: 'open', text: '(', value: 0, start, end: start + 1 };
  if (character === ')') return { kind: 'close', text: ')', value: 0, start, end: start + 1 };
  if (!/[a-z]/i.test(character)) return undefined;
  for (const [word, operator] of wordOperators) {
    const end = start + word.length;
    if (text.slice(start, end).toLowerCase() === word && !/\w/.test(text.charAt(end))) {
      return { kind: 'operator', text: operator, value: 0, start, end };
    }
  }
  return undefined;
}

/** "10-20" and "24/7" are sums only where the sentence asks for one. */
function readSum(run: readonly Token[], text: string, asked: boolean): Sum | undefined {
  for (let from = 0; from < run.length && from < 8; from++) {
    if (run[from]?.kind === 'close') continue;
    const parser = new SumParser(run, from);
    const value = parser.read();
    if (value === undefined || parser.operators === 0) continue;
    const first = run[from];
    const last = run[parser.position - 1];
    if (first === undefined || last === undefined) continue;
    const expression = text.slice(first.start, last.end);
    if (!asked && /^[\d.,]+(?:[-/][\d.,]+)+$/.test(expression)) return undefined;
    return { expression, value: Number.isFinite(value) ? Number(value.toPrecision(12)) : undefined };
  }
  return undefined;
}

const precedence: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 4 };
const signPrecedence = 3;

/** Precedence climbing; stops in front of the first token that does not fit, so that trailing words do no harm. */
class SumParser {
  operators = 0;
  position: number;
  readonly #tokens: readonly Token[];

  constructor(tokens: readonly Token[], from: number) {
    this.#tokens = tokens;
    this.position = from;
  }

  read(): number | undefined {
    return this.#expression(1, 0);
  }

  #expression(precedenceMin: number, depth: number): number | undefined {
    let left = this.#operand(depth);
    while (left !== undefined) {
      const operator = this.#tokens[this.position];
      const rank = operator?.kind === 'operator' ? (precedence[operator.text] ?? 0) : 0;
      if (operator === undefined || rank < precedenceMin) return left;
      const before = this.position++;
      const right = this.#expression(operator.text === '^' ? rank : rank + 1, depth + 1);
      if (right === undefined) {
        this.position = before;
        return left;
      }
      this.operators++;
      left = combine(operator.text, left, right);
    }
    return undefined;
  }

  #operand(depth: number): number | undefined {
    const token = this.#tokens[this.position];
    if (token === undefined || depth > depthMax) return undefined;
    if (token.kind === 'number') {
      this.position++;
      return token.value;
    }
    const before = this.position++;
    if (token.kind === 'open') {
      const value = this.#expression(1, depth + 1);
      if (value !== undefined && this.#tokens[this.position]?.kind === 'close') {
        this.position++;
        return value;
      }
    } else if (token.text === '-' || token.text === '+') {
      const value = this.#expression(signPrecedence, depth + 1);
      if (value !== undefined) return token.text === '-' ? -value : value;
    }
    this.position = before;
    return undefined;
  }
}

function combine(operator: string, left: number, right: number): number {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  if (operator === '^') return left ** right;
  if (right === 0) return Number.NaN;
  return operator === '/' ? left / right : left % right;
}
