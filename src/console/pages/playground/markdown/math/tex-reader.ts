/** Reads TeX character by character, and gives up where it is longer or deeper than a formula that people read. */

const charactersMax = 8_000;
const depthMax = 32;
const stepsMax = 6_000;

/** What the subset does not cover: the formula is then shown as it was written. */
export class UnsupportedTeX extends Error {}

export class TexReader {
  readonly text: string;
  at = 0;
  #depth = 0;
  #steps = 0;

  constructor(text: string) {
    if (text.length > charactersMax) throw new UnsupportedTeX('length');
    this.text = text;
  }

  /** One level deeper. */
  inside<Value>(read: () => Value): Value {
    if (++this.#depth > depthMax) throw new UnsupportedTeX('depth');
    const value = read();
    this.#depth -= 1;
    return value;
  }

  step(): void {
    if (++this.#steps > stepsMax) throw new UnsupportedTeX('steps');
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  skipSpace(): void {
    this.take(/\s+/y);
  }

  /** The match at this place, which is then behind us; `pattern` must be sticky. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  sees(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  takes(text: string): boolean {
    if (!this.sees(text)) return false;
    this.at += text.length;
    return true;
  }

  /** The name after a backslash: letters, or one other character. */
  command(): string | undefined {
    const found = this.take(/\\(?:operatorname\*|[a-zA-Z]+|[\s\S])/y);
    return found?.slice(1);
  }

  /** The command that comes next, without taking it. */
  nextCommand(): string | undefined {
    const { at } = this;
    const found = this.command();
    this.at = at;
    return found;
  }

  /** The text between braces as it is written, with the braces inside it in pairs. */
  rawGroup(open = '{', close = '}'): string {
    this.skipSpace();
    if (!this.takes(open)) throw new UnsupportedTeX(`no ${open}`);
    const from = this.at;
    for (let depth = 1; !this.isAtEnd; this.at++) {
      const letter = this.text[this.at] ?? '';
      if (letter === '\\') this.at += 1;
      else if (letter === close && depth === 1) {
        this.at += 1;
        return this.text.slice(from, this.at - 1);
      } else if (letter === '{') depth += 1;
      else if (letter === '}') depth -= 1;
    }
    throw new UnsupportedTeX(`no ${close}`);
  }
}
