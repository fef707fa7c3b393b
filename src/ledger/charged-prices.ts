/** Keeps every price ever charged, once, so that the cost of a request can be itemized after prices have changed. */

import type { Price } from '../prices/price.ts';
import { priceName, writePrice } from '../prices/price-text.ts';
import type { PriceTextStore } from './ledger-store.ts';

interface ChargedPrices {
  /** The price's name, at once; a price that is new is also stored, a moment later. */
  nameOf(price: Price): string;
  /** Writes what could not be written before. */
  flush(): Promise<void>;
}

/** Names already stored. Beyond this number the set is cleared, and prices are stored twice. */
const writtenMax = 10_000;

export function createChargedPrices(
  table: PriceTextStore,
  nowMs: () => number,
  onFault: (what: string, error: unknown) => void,
): ChargedPrices {
  const names = new WeakMap<Price, string>();
  const written = new Set<string>();
  const waiting = new Map<string, string>();
  let flushing: Promise<void> | undefined;

  function nameFirst(price: Price): string {
    const text = writePrice(price);
    const name = priceName(text);
    names.set(price, name);
    // Prices that are looked up again are other objects with the same text.
    if (!written.has(name)) {
      waiting.set(name, text);
      // Outside the request's time; if it fails, the ledger's next round tries again.
      setImmediate(() => void flush().catch((error: unknown) => onFault('write a price', error)));
    }
    return name;
  }

  async function write(): Promise<void> {
    for (const [name, text] of waiting) {
      await table.put(name, text, nowMs());
      waiting.delete(name);
      if (written.size >= writtenMax) written.clear();
      written.add(name);
    }
  }

  function flush(): Promise<void> {
    if (waiting.size === 0) return flushing ?? Promise.resolve();
    flushing ??= write().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  return { nameOf: (price) => names.get(price) ?? nameFirst(price), flush };
}
