/**
 * The line of every key and list entry of a YAML text, and the keys that are written twice: the parser reports neither.
 * The values are the parser's; what this reader does not follow (aliases, keys of several lines) has the line of what
 * is around it.
 */

type Path = readonly (string | number)[];

interface YamlLines {
  /** Of the value at this path, or of the nearest that contains it; from 1. */
  lineOf(path: Path): number;
  /** Keys that their map has already. */
  readonly doubled: readonly { readonly path: Path; readonly line: number }[];
}

interface Block {
  readonly column: number;
  readonly path: Path;
  /** Of a map: the keys so far, the last one being read. Of a list: how many entries. */
  readonly keys: string[] | undefined;
  entries: number;
}

const placeOf = (path: Path): string => JSON.stringify(path);
const blockKey = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#'"{}[\],&*!|>%@`-][^#]*?|-[^\s#][^#]*?))\s*:(?=\s|$)/;

export function yamlLines(text: string): YamlLines {
  const reader = new LineReader(text);
  reader.read();
  const { lines, doubled } = reader;
  return {
    doubled,
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const line = lines.get(placeOf(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}

class LineReader {
  readonly lines = new Map<string, number>();
  readonly doubled: { path: Path; line: number }[] = [];
  readonly #rows: readonly string[];
  #row = 0;
  #blocks: Block[] = [];

  constructor(text: string) {
    this.#rows = text.split(/\r?\n/);
  }

  read(): void {
    for (; this.#row < this.#rows.length; this.#row++) {
      const row = this.#rows[this.#row] ?? '';
      const column = row.search(/[^ ]/);
      if (column === -1 || row[column] === '#' || /^(---|\.\.\.|%)/.test(row)) continue;
      this.#readNode(column);
    }
  }

  #note(path: Path): void {
    const place = placeOf(path);
    if (!this.lines.has(place)) this.lines.set(place, this.#row + 1);
  }

  /** Where the value that begins here belongs. */
  #valuePath(): Path {
    const top = this.#blocks.at(-1);
    if (top === undefined) return [];
    return [...top.path, top.keys === undefined ? top.entries - 1 : (top.keys.at(-1) ?? '')];
  }

  /** List entries and keys that begin at this column; one row may have several within each other. */
  #readNode(from: number): void {
    for (let column = from; ; ) {
      const rest = (this.#rows[this.#row] ?? '').slice(column);
      const dash = /^-(?:\s+|$)/.exec(rest)?.[0];
      const key = dash === undefined ? blockKey.exec(rest) : null;
      if (dash === undefined && key === null) {
        this.#readScalar(rest, column, this.#blocks.at(-1)?.column ?? -1);
        return;
      }
      const block = this.#blockAt(column, key !== null);
      if (key !== null) this.#addKey(block, key);
      else this.#note([...block.path, block.entries++]);
      const length = key?.[0].length ?? dash?.length ?? 0;
      const after = rest.slice(length).search(/\S/);
      if (after === -1 || rest[length + after] === '#') return;
      column += length + after;
      if (key !== null) {
        this.#readScalar(rest.slice(length + after), column, block.column);
        return;
      }
    }
  }

  /** The map or list whose keys or entries begin at this column. */
  #blockAt(column: number, isMap: boolean): Block {
    for (;;) {
      const top = this.#blocks.at(-1);
      // The entries of a list may be at the column of its key.
      const isOver =
        top !== undefined && (top.column > column || (top.column === column && isMap && top.keys === undefined));
      if (!isOver) break;
      this.#blocks.pop();
    }
    const top = this.#blocks.at(-1);
    if (top !== undefined && top.column === column && (top.keys !== undefined) === isMap) return top;
    const block = { column, path: this.#valuePath(), keys: isMap ? [] : undefined, entries: 0 };
    this.#blocks.push(block);
    return block;
  }

  #addKey({ path, keys = [] }: Block, [, double, single, plain = '']: RegExpExecArray): void {
    const key = double === undefined ? (single?.replaceAll("''", "'") ?? plain.trim()) : unescaped(double);
    this.#keep(path, keys, key);
  }

  #keep(path: Path, keys: string[], key: string): void {
    const own = [...path, key];
    if (keys.includes(key)) this.doubled.push({ path: own, line: this.#row + 1 });
    keys.push(key);
    this.#note(own);
  }

  /** Skips a value that is no block; the further rows of a text are further in than its key. */
  #readScalar(rest: string, column: number, keyColumn: number): void {
    const value = /^(?:[&!]\S*\s*)*/.exec(rest)?.[0].length ?? 0;
    const first = rest[value];
    if (first === undefined || first === '#') return;
    if (first === '{' || first === '[') this.#readFlow(column + value);
    else if (first === '"' || first === "'") this.#skipQuoted(column + value);
    else this.#skipPlain(keyColumn);
  }

  #skipPlain(keyColumn: number): void {
    while (this.#row + 1 < this.#rows.length) {
      const next = this.#rows[this.#row + 1] ?? '';
      const indent = next.search(/\S/);
      if (indent !== -1 && indent <= keyColumn) return;
      this.#row++;
    }
  }

  #skipQuoted(from: number): void {
    const quote = (this.#rows[this.#row] ?? '')[from];
    let at = from + 1;
    for (; this.#row < this.#rows.length; this.#row++, at = 0) {
      const row = this.#rows[this.#row] ?? '';
      for (; at < row.length; at++) {
        if (quote === '"' && row[at] === '\\') at++;
        else if (row[at] === quote) {
          if (quote !== "'" || row[at + 1] !== "'") return;
          at++;
        }
      }
    }
  }

  #readFlow(from: number): void {
    const scan = new FlowScan(this.#rows, this.#row, from);
    const open: { path: Path; keys: string[] | undefined; entries: number }[] = [];
    const pathOf = (): Path => {
      const top = open.at(-1);
      if (top === undefined) return this.#valuePath();
      return [...top.path, top.keys === undefined ? top.entries : (top.keys.at(-1) ?? '')];
    };
    for (let token = scan.next(); token !== undefined; token = scan.next()) {
      this.#row = scan.row;
      const top = open.at(-1);
      const isEntry = top?.keys === undefined && top !== undefined && !/^[,\]]$/.test(token.mark);
      if (isEntry) this.#note(pathOf());
      if (token.mark === '{' || token.mark === '[') {
        open.push({ path: pathOf(), keys: token.mark === '{' ? [] : undefined, entries: 0 });
      } else if (token.mark === ',' && top?.keys === undefined && top !== undefined) top.entries++;
      else if (token.mark === 'key' && top?.keys !== undefined) this.#keep(top.path, top.keys, token.text);
      else if ((token.mark === '}' || token.mark === ']') && open.pop() !== undefined && open.length === 0) return;
    }
    this.#row = this.#rows.length;
  }
}

interface FlowToken {
  readonly mark: '{' | '}' | '[' | ']' | ',' | 'key' | 'value';
  readonly text: string;
}

/** The marks, keys and values of a collection in braces or brackets, over as many rows as it has. */
class FlowScan {
  row: number;
  #at: number;
  readonly #rows: readonly string[];

  constructor(rows: readonly string[], row: number, at: number) {
    this.#rows = rows;
    this.row = row;
    this.#at = at;
  }

  next(): FlowToken | undefined {
    for (;;) {
      const row = this.#rows[this.row];
      if (row === undefined) return undefined;
      const rest = row.slice(this.#at);
      const blank = /^(?:\s+|:(?=\s|$|[{["'])|(?<=^|\s)#.*)+/.exec(rest)?.[0].length ?? 0;
      if (blank > 0) this.#at += blank;
      else if (rest === '') {
        this.row++;
        this.#at = 0;
      } else return this.#token(rest);
    }
  }

  #token(rest: string): FlowToken {
    const mark = /^[{}[\],]/.exec(rest)?.[0] as FlowToken['mark'] | undefined;
    if (mark !== undefined) {
      this.#at++;
      return { mark, text: mark };
    }
    const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')/.exec(rest);
    const plain = quoted === null ? (/^(?:[^,{}[\]:#]|:(?=[^\s,{}[\]])|(?<=\S)#)+/.exec(rest)?.[0] ?? '') : '';
    const length = quoted?.[0].length ?? Math.max(plain.length, 1);
    this.#at += length;
    const [, double, single] = quoted ?? [];
    const text = double === undefined ? (single?.replaceAll("''", "'") ?? plain.trim()) : unescaped(double);
    return { mark: /^\s*:/.test(rest.slice(length)) ? 'key' : 'value', text };
  }
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
