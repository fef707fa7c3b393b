/**
 * What still depends on older keys and cannot be sealed again: digests of credentials that only their holders have, and
 * signed URLs that were given out.
 */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretRing } from '../../secrets/key-ring.ts';
import type { Store } from '../../store/store.ts';

export interface OlderKeyUse {
  readonly words: readonly [one: string, several: string];
  readonly count: number;
  /** Some of them, where they have names. */
  readonly names: readonly string[];
  /** What becomes of them with time, and what if the key is dropped before. */
  readonly advice: string;
}

interface OlderKeyParts {
  readonly store: Pick<Store, 'secretUses'>;
  readonly ring: SecretRing;
  /** When the newest key came. */
  readonly keySinceMs: number;
  readonly resultFolder: string;
  readonly nowMs: number;
}

/** How long the URL of a result is valid. */
const resultLifetimeMs = 60 * 60 * 1_000;
const pageTokens = 500;
const namesMax = 10;

/** Only those with a count above 0. */
export async function olderKeyUses(parts: OlderKeyParts): Promise<readonly OlderKeyUse[]> {
  const { store, ring, keySinceMs, nowMs } = parts;
  const counts = await store.secretUses.countOfOtherKeys(ring.newest.id, keySinceMs, nowMs);
  const { sessions, clientSecrets, videos, invitations, recoveryCodes, adminKeys } = counts;
  const tokens = await tokensOfOlderKeys(parts);
  const counted = (
    words: OlderKeyUse['words'],
    count: number,
    advice: string,
    names: readonly string[] = [],
  ): readonly OlderKeyUse[] => (count === 0 ? [] : [{ words, count, names, advice }]);
  return [
    ...counted(
      ['token', 'tokens'],
      tokens.length,
      'each moves to the new key when it is next used; without the old key it is unknown.',
      tokens.slice(0, namesMax),
    ),
    ...counted(
      ['session of the console', 'sessions of the console'],
      sessions,
      'they move to the new key on next use; without the old key, people have to sign in again.',
    ),
    ...counted(
      ['admin key', 'admin keys'],
      adminKeys,
      'each moves to the new key when it is next used; without the old key it is unknown.',
    ),
    ...counted(
      ['invitation', 'invitations'],
      invitations,
      'they expire within 30 days; without the old key their links do not work, and new ones are needed.',
    ),
    ...counted(
      ['recovery code', 'recovery codes'],
      recoveryCodes,
      'without the old key they do not work; people create new ones in Settings.',
    ),
    ...counted(['client secret', 'client secrets'], clientSecrets, 'they expire within hours.'),
    ...counted(
      ['video', 'videos'],
      videos,
      'addresses that were given out for them stop counting; asking for the task gives another.',
    ),
    ...counted(['result', 'results'], await resultsOfOlderKeys(parts), 'their addresses count for an hour.'),
  ];
}

async function tokensOfOlderKeys({ store, ring, nowMs }: OlderKeyParts): Promise<string[]> {
  const names: string[] = [];
  let afterId: string | undefined;
  for (;;) {
    const page = await store.secretUses.tokensOfOtherKeys(ring.newest.id, afterId, nowMs, pageTokens);
    const living = page.filter(({ terms }) => terms.expiresAtMs === undefined || terms.expiresAtMs > nowMs);
    names.push(...living.map(({ terms }) => terms.name));
    afterId = page.at(-1)?.id;
    if (page.length < pageTokens) return names;
  }
}

/** Those of this machine; no other replica can serve them. */
async function resultsOfOlderKeys({ resultFolder, keySinceMs, nowMs }: OlderKeyParts): Promise<number> {
  let count = 0;
  for (const name of await readdir(resultFolder).catch(() => [])) {
    const found = await stat(join(resultFolder, name)).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < keySinceMs && found.mtimeMs + resultLifetimeMs > nowMs) count++;
  }
  return count;
}
