/** Random values from a seed: a failing case is named by its number and can be repeated. */

/** Pieces that have broken encoders, splitters and escapers before. */
const oddPieces = [
  'a',
  'weir',
  ' ',
  '  ',
  '\n',
  '\r\n',
  '\t',
  '\u0000',
  '\u001f',
  '\u007f',
  '"',
  "'",
  '`',
  '\\',
  '\\n',
  '\\u0041',
  '/',
  '</script>',
  '<|end|>',
  '{"',
  '}',
  '[DONE]',
  'data: ',
  'event: done\n\n',
  ':',
  '%20',
  '&amp;',
  '$&',
  '€',
  'ß',
  'é',
  'e\u0301',
  '\u00a0',
  '\u200b',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\ufffd',
  '漢字',
  'עברית',
  'العربية',
  '😀',
  '👩‍👩‍👧',
  '🇦🇹',
  '𝒳',
  '0',
  '-1.50',
  'null',
  'undefined',
  '__proto__',
];

const words = ['flow', 'gate', 'river', 'measure', 'level', 'stream', 'stone', 'bank', 'water', 'height'];

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 up to, but never, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability = 0.5): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('There is nothing to pick from.');
    return items[this.int(0, items.length - 1)] as Item;
  }

  /** Each item with the given chance, in order. */
  some<Item>(items: readonly Item[], probability = 0.5): Item[] {
    return items.filter(() => this.chance(probability));
  }

  /** As many things as chance wants. */
  list<Item>(least: number, most: number, make: (index: number) => Item): Item[] {
    return Array.from({ length: this.int(least, most) }, (_, index) => make(index));
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, place: this.next() }))
      .sort((one, other) => one.place - other.place)
      .map(({ item }) => item);
  }

  /** Plain words mixed with what breaks things. May be empty or blank. */
  text(piecesMax = 12): string {
    return this.list(0, piecesMax, () => (this.chance(0.6) ? `${this.pick(words)} ` : this.pick(oddPieces))).join('');
  }

  /** Never blank. */
  saying(piecesMax = 12): string {
    return this.text(piecesMax) + this.pick(words) + this.text(2);
  }

  /** A name as every format allows it. */
  name(): string {
    return this.list(1, 3, () => this.pick(words)).join('_');
  }

  /** Letters and digits; never twice the same in practice. */
  token(characters = 16): string {
    return Array.from({ length: characters }, () => this.pick([...'abcdefghijklmnopqrstuvwxyz0123456789'])).join('');
  }

  base64(bytesMax = 40): string {
    return Buffer.from(this.list(1, bytesMax, () => this.int(0, 255))).toString('base64');
  }

  /** A JSON value. */
  json(depth = 2): unknown {
    const kind = this.int(0, depth > 0 ? 6 : 4);
    if (kind === 0) return null;
    if (kind === 1) return this.chance();
    if (kind === 2) return this.chance() ? this.int(-1000, 1000) : this.next();
    if (kind < 5) return this.text(4);
    if (kind === 5) return this.list(0, 3, () => this.json(depth - 1));
    return this.object(depth - 1);
  }

  object(depth = 1): Record<string, unknown> {
    return Object.fromEntries(this.list(0, 3, () => [this.name(), this.json(depth)]));
  }
}
