/** Keeps the token for this tab alone: gone with it, unknown to other tabs, never part of an address. */

import type { PlaygroundToken } from '../playground-contract.ts';

export interface KeptToken extends PlaygroundToken {
  /** Known only for tokens that were minted here. */
  readonly expiresAtMs?: number;
}

const place = 'weir.playground-token';

/** What this tab kept; one of their own that has ended is replaced by a new one. */
export function usableToken(storage: Storage, nowMs: number): KeptToken | undefined {
  const kept = keptToken(storage);
  return kept?.kind === 'mine' && isNearEnd(kept, nowMs) ? undefined : kept;
}

function keptToken(storage: Storage): KeptToken | undefined {
  try {
    const kept: unknown = JSON.parse(storage.getItem(place) ?? 'null');
    return isKept(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function keepToken(storage: Storage, token: KeptToken | undefined): void {
  try {
    if (token === undefined) storage.removeItem(place);
    else storage.setItem(place, JSON.stringify(token));
  } catch {
    // A browser that keeps nothing asks again after a reload.
  }
}

function isKept(value: unknown): value is KeptToken {
  const { value: secret, kind } = (value ?? {}) as Partial<KeptToken>;
  return typeof secret === 'string' && secret !== '' && (kind === 'pasted' || kind === 'mine');
}

/** Renewed this long before its end, so that no request meets it. */
export const renewBeforeMs = 2 * 60 * 1_000;

export function isNearEnd({ expiresAtMs }: KeptToken, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs - nowMs < renewBeforeMs;
}

/** As much of a token as helps to tell two apart. */
export function tokenHint(value: string): string {
  return `…${value.slice(-4)}`;
}
