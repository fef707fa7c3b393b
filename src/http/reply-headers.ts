/** The headers of a reply as a record, and as the lines that are sent. */

/** Headers that many replies have in common: their lines are written once. */
export interface SharedHeaders {
  readonly fields: Readonly<Record<string, string>>;
  readonly lines: string;
}

/** How a reply is framed, and when it is sent, is known to the server alone. */
export const framingNames: ReadonlySet<string> = new Set(['connection', 'content-length', 'date', 'transfer-encoding']);

const unfitForValue = /[^\t\x20-\x7e\x80-\xff]/;
const unfitForName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

export function withLines(fields: Readonly<Record<string, string>>): SharedHeaders {
  return { fields, lines: linesOf(fields) };
}

/** Names are in lower case. */
export class RecordHeaders {
  readonly #own: Record<string, string>;
  readonly #shared: SharedHeaders | undefined;

  constructor(own: Record<string, string>, shared?: SharedHeaders) {
    this.#own = own;
    this.#shared = shared;
  }

  get(name: string): string | null {
    return this.#own[name] ?? this.#shared?.fields[name] ?? null;
  }

  set(name: string, value: string): void {
    this.#own[name] = value;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    yield* Object.entries({ ...this.#shared?.fields, ...this.#own });
  }

  /** The lines of the head, each with its end. */
  lines(): string {
    const own = this.#own;
    const shared = this.#shared;
    if (shared === undefined) return linesOf(own);
    for (const name in own) {
      if (name in shared.fields) return linesOf({ ...shared.fields, ...own });
    }
    return shared.lines + linesOf(own);
  }
}

export function isHeaderValue(value: string): boolean {
  return !unfitForValue.test(value);
}

/** A header on a line. Throws if it would be more, or less, than one. */
export function lineOf(name: string, value: string): string {
  if (!isHeaderValue(value)) throw new TypeError(`The value of the header ${name} cannot be sent.`);
  return `${name}: ${value}\r\n`;
}

function linesOf(fields: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const name in fields) {
    if (framingNames.has(name)) continue;
    if (name === '' || unfitForName.test(name)) throw new TypeError(`A header called ${name} cannot be sent.`);
    lines += lineOf(name, fields[name] ?? '');
  }
  return lines;
}
