/** Parses the arguments of a request's calls, for formats that write them as objects: within one bound for all of them. */

import { isDelicate, parseExact } from '../exact-json.ts';

/**
 * Values in the arguments of a request. They are a text to what bounds a body, and the text of a call may be as large as the
 * body. A number whose spelling must be kept costs several.
 */
export const argumentValuesMax = 250_000;
const delicateCost = 4;
/** As deep as a value can be parsed and printed. */
const depthMax = 512;
/** A shorter text is not counted but estimated. */
const countedCharactersMin = 1_024;
const charactersPerValue = 8;
/** Of so few it makes no difference how they are spelled. */
const plainValuesMax = 100;

/** Shared by everything that is written for one request, to whichever target. */
export class ArgumentTexts {
  readonly #known = new Map<string, unknown>();
  #left = argumentValuesMax;

  /** Throws where the text is no JSON, or too much to be parsed. */
  parse(text: string): unknown {
    if (text.length < countedCharactersMin) {
      this.#spend(text.length / charactersPerValue);
      return parseExact(text);
    }
    if (this.#known.has(text)) return this.#known.get(text);
    const values = valuesIn(text, this.#left);
    this.#spend(values);
    // Only then: to look for such numbers takes a while too.
    if (values > plainValuesMax && isDelicate(text)) this.#spend((delicateCost - 1) * values);
    const value = parseExact(text);
    this.#known.set(text, value);
    return value;
  }

  #spend(values: number): void {
    if (values > this.#left) throw new SyntaxError('The arguments of the calls hold too many values.');
    this.#left -= values;
  }
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** More than `most` where there are more, or where they are nested too deep. The text need not be JSON. */
function valuesIn(text: string, most: number): number {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma || code === colon) values++;
    else if (code === openBracket || code === openBrace) {
      values++;
      if (++depth > depthMax) return Number.POSITIVE_INFINITY;
    } else if (code === closeBracket || code === closeBrace) depth--;
    if (values > most) return Number.POSITIVE_INFINITY;
  }
  return values;
}

/** Where the closing quote is, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
