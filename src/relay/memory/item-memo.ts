/**
 * Items that Weir wrote in replies which their callers want kept, for libraries that name them by id in the next turn
 * instead of sending them. No provider has them. Bounded in size and time; other replicas find them in the shared
 * database. What is forgotten is refused, never left out.
 */

import { BoundedMemory } from './bounded-memory.ts';

/** Where the other replicas find an item. */
interface SharedItems {
  /** Never rejects. */
  put(tokenId: string, id: string, item: Uint8Array): Promise<void>;
  get(tokenId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>>;
}

interface ItemMemoOptions {
  /** Read each time: it may be switched off while Weir runs. */
  readonly settings: { readonly recentTurns: boolean };
  nowMs(): number;
  /** Absent where this is the only process. */
  readonly shared?: SharedItems | undefined;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

export const itemLimits = { lifetimeMs: 3_600_000, tokenBytesMax: 8_388_608, bytesMax: 33_554_432 } as const;
/** A larger item (an image, mostly) would push out the conversations around it. */
const itemLengthMax = 1_048_576;
/** So many of a request are looked up, the latest first. */
const sharedItemsMax = 96;
const entryBytes = 200;

export class ItemMemo {
  readonly #options: ItemMemoOptions;
  readonly #kept = new BoundedMemory<string>(itemLimits, (item) => entryBytes + 2 * item.length);

  constructor(options: ItemMemoOptions) {
    this.#options = options;
  }

  /** A promise where other replicas must have them before the client does. */
  keep(tokenId: string, items: ReadonlyMap<string, unknown>): Promise<void> | undefined {
    const { nowMs, shared, settings } = this.#options;
    if (!settings.recentTurns) return undefined;
    const writing: Promise<void>[] = [];
    for (const [id, item] of items) {
      const text = JSON.stringify(item);
      if (text.length > itemLengthMax) continue;
      this.#kept.put(tokenId, id, text, nowMs());
      if (shared !== undefined && writing.length < sharedItemsMax) {
        writing.push(shared.put(tokenId, nameOf(id), Buffer.from(text)));
      }
    }
    return writing.length === 0 ? undefined : Promise.all(writing).then(() => undefined);
  }

  /** Those that are known, as JSON. Never fails: what could not be looked up is not known. */
  async find(tokenId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { nowMs, shared, settings } = this.#options;
    const found = new Map<string, string>();
    if (!settings.recentTurns) return found;
    for (const id of ids) {
      const item = this.#kept.get(tokenId, id, nowMs());
      if (item !== undefined) found.set(id, item);
    }
    const missing = ids.filter((id) => !found.has(id)).slice(-sharedItemsMax);
    if (shared === undefined || missing.length === 0) return found;
    try {
      const stored = await shared.get(tokenId, missing.map(nameOf));
      for (const id of missing) {
        const bytes = stored.get(nameOf(id));
        if (bytes === undefined) continue;
        const text = Buffer.from(bytes).toString('utf8');
        this.#kept.put(tokenId, id, text, nowMs());
        found.set(id, text);
      }
    } catch (cause) {
      this.#options.warn('Items of earlier replies could not be looked up.', { cause });
    }
    return found;
  }
}

/** Ids come from callers, of any length and with any characters. */
function nameOf(id: string): string {
  return new Bun.CryptoHasher('sha256').update(id).digest('base64url');
}
