/** Prices as texts that keep every digit, and names made of the text itself: the same price has the same name in every process. */

import { createHash } from 'node:crypto';
import type { Price, Rate } from './price.ts';

export function writePrice(price: Price): string {
  return JSON.stringify(price, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

export function readPrice(text: string): Price {
  const tree = JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as Record<string, unknown>;
  const none: Rate = { nanoPerMillion: 0n, tiers: [] };
  return { input: none, output: none, ...tree, version: String(tree['version']) };
}

/** 96 bits: no two real prices share one. */
const nameLength = 16;

export function priceName(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, nameLength);
}
