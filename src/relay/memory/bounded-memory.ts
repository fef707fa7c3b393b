/** Entries of each token in this process's memory, evicted oldest first by age, by the token's bytes and by all bytes. */

interface MemoryLimits {
  readonly lifetimeMs: number;
  readonly tokenBytesMax: number;
  readonly bytesMax: number;
}

interface Entry<Value> {
  readonly tokenId: string;
  readonly id: string;
  readonly value: Value;
  readonly bytes: number;
  readonly untilMs: number;
}

interface OfToken<Value> {
  bytes: number;
  /** In the order in which they were kept, which is the order in which they expire. */
  readonly entries: Map<string, Entry<Value>>;
}

export class BoundedMemory<Value> {
  readonly #limits: MemoryLimits;
  readonly #bytesOf: (value: Value) => number;
  readonly #tokens = new Map<string, OfToken<Value>>();
  readonly #all = new Set<Entry<Value>>();
  #bytes = 0;

  /** `bytesOf` counts what an entry costs beside its content, too: many that are small must not escape the limits. */
  constructor(limits: MemoryLimits, bytesOf: (value: Value) => number) {
    this.#limits = limits;
    this.#bytesOf = bytesOf;
  }

  put(tokenId: string, id: string, value: Value, nowMs: number): void {
    const { lifetimeMs, tokenBytesMax, bytesMax } = this.#limits;
    const before = this.#tokens.get(tokenId)?.entries.get(id);
    if (before !== undefined) this.#drop(before);
    const entry = { tokenId, id, value, bytes: this.#bytesOf(value), untilMs: nowMs + lifetimeMs };
    const own = this.#tokens.get(tokenId) ?? { bytes: 0, entries: new Map<string, Entry<Value>>() };
    this.#tokens.set(tokenId, own);
    own.entries.set(id, entry);
    own.bytes += entry.bytes;
    this.#all.add(entry);
    this.#bytes += entry.bytes;
    for (const oldest of own.entries.values()) {
      if (own.bytes <= tokenBytesMax) break;
      this.#drop(oldest);
    }
    for (const oldest of this.#all) {
      if (this.#bytes <= bytesMax && oldest.untilMs > nowMs) break;
      this.#drop(oldest);
    }
  }

  get(tokenId: string, id: string, nowMs: number): Value | undefined {
    const entry = this.#tokens.get(tokenId)?.entries.get(id);
    return entry === undefined || entry.untilMs <= nowMs ? undefined : entry.value;
  }

  #drop(entry: Entry<Value>): void {
    const own = this.#tokens.get(entry.tokenId);
    if (own?.entries.delete(entry.id) !== true) return;
    own.bytes -= entry.bytes;
    if (own.entries.size === 0) this.#tokens.delete(entry.tokenId);
    this.#all.delete(entry);
    this.#bytes -= entry.bytes;
  }
}
