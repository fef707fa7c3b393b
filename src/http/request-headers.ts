/** The headers of a request as the rest of Weir reads them; a `Headers` object is one too. Names are in lower case. */

export interface RequestHeaders {
  /** Null if it is absent; values of several headers of one name are joined. */
  get(name: string): string | null;
  has(name: string): boolean;
  [Symbol.iterator](): Iterator<[string, string]>;
}

/** Two parallel lists in one: a name, its value, the next name. Requests have few headers, and few of them are read. */
export class ReceivedHeaders implements RequestHeaders {
  readonly #list: readonly string[];

  constructor(list: readonly string[]) {
    this.#list = list;
  }

  get(name: string): string | null {
    const list = this.#list;
    let found: string | null = null;
    for (let at = 0; at < list.length; at += 2) {
      if (list[at] !== name) continue;
      const value = list[at + 1] ?? '';
      found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`;
    }
    return found;
  }

  has(name: string): boolean {
    const list = this.#list;
    for (let at = 0; at < list.length; at += 2) if (list[at] === name) return true;
    return false;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    const list = this.#list;
    for (let at = 0; at < list.length; at += 2) yield [list[at] ?? '', list[at + 1] ?? ''];
  }
}
