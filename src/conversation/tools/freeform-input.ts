/** The input of a freeform tool that is declared as a function with one argument: written as arguments and read back. */

import { isObject } from '../json-tree.ts';

export const inputName = 'input';

export function argumentsOfInput(text: string): string {
  return JSON.stringify({ [inputName]: text });
}

/** The text that a whole call of such a function carries; arguments of another shape are the text themselves. */
export function inputTextOf(args: string): string {
  try {
    const value: unknown = JSON.parse(args);
    const input = isObject(value) ? value[inputName] : undefined;
    return typeof input === 'string' ? input : args;
  } catch {
    return args;
  }
}

const opening = new RegExp(`^\\s*\\{\\s*"${inputName}"\\s*:\\s*"`);

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** The same from pieces of arguments, each piece of the text as soon as it is complete. */
export class InputText {
  #phase: 'before' | 'inside' | 'after' = 'before';
  #held = '';

  add(piece: string): string {
    if (this.#phase === 'after') return '';
    this.#held += piece;
    if (this.#phase === 'before') {
      const begun = opening.exec(this.#held);
      if (begun === null) return '';
      this.#held = this.#held.slice(begun[0].length);
      this.#phase = 'inside';
    }
    return this.#decode();
  }

  /** The rest of the text at the end of the arguments: all of it if they had another shape. */
  end(): string {
    return this.#phase === 'before' ? inputTextOf(this.#held) : '';
  }

  #decode(): string {
    const held = this.#held;
    let text = '';
    let at = 0;
    while (at < held.length) {
      const next = nextSpecial(held, at);
      text += held.slice(at, next);
      at = next;
      if (at === held.length) break;
      if (held[at] === '"') {
        this.#phase = 'after';
        at = held.length;
        break;
      }
      const length = held[at + 1] === 'u' ? 6 : 2;
      // The rest of an escape comes with the next piece.
      if (at + length > held.length) break;
      text += unescaped(held.slice(at + 1, at + length));
      at += length;
    }
    this.#held = held.slice(at);
    return text;
  }
}

function nextSpecial(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) return at;
  }
  return text.length;
}

function unescaped(letters: string): string {
  if (letters.length === 5) return String.fromCharCode(Number.parseInt(letters.slice(1), 16));
  return escapes[letters] ?? letters;
}
