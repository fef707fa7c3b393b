/** What still hangs on older keys and cannot be made anew: digests of credentials that only their holders know, and addresses that were given out. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretRing } from '../../secrets/key-ring.ts';
import type { Store } from '../../store/store.ts';

export interface Hanging {
  readonly words: readonly [one: string, several: string];
  readonly count: number;
  /** Some of them, where they have names. */
  readonly names: readonly string[];
  /** What becomes of them with time, and what if the key goes before. */
  readonly advice: string;
}

interface HangingParts {
  readonly store: Pick<Store, 'secretUses'>;
  readonly ring: SecretRing;
  /** When the newest key came. */
  readonly keySinceMs: number;
  readonly resultFolder: string;
  readonly nowMs: number;
}

/** As long as an address of a result counts. */
const resultLifetimeMs = 60 * 60 * 1_000;
const pageTokens = 500;
const namesMax = 10;

/** Only what there is at least one of. */
export async function whatHangs(parts: HangingParts): Promise<readonly Hanging[]> {
  const { store, ring, keySinceMs, nowMs } = parts;
  const { sessions, clientSecrets, videos } = await store.secretUses.countOfOtherKeys(
    ring.newest.id,
    keySinceMs,
    nowMs,
  );
  const tokens = await hangingTokens(parts);
  const counted = (
    words: Hanging['words'],
    count: number,
    advice: string,
    names: readonly string[] = [],
  ): readonly Hanging[] => (count === 0 ? [] : [{ words, count, names, advice }]);
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
      'they move when they are next used; without the old key people sign in again.',
    ),
    ...counted(['client secret', 'client secrets'], clientSecrets, 'they expire within hours.'),
    ...counted(
      ['video', 'videos'],
      videos,
      'addresses that were given out for them stop counting; asking for the task gives another.',
    ),
    ...counted(['result', 'results'], await hangingResults(parts), 'their addresses count for an hour.'),
  ];
}

async function hangingTokens({ store, ring, nowMs }: HangingParts): Promise<string[]> {
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

/** Those of this machine; nobody else can serve them. */
async function hangingResults({ resultFolder, keySinceMs, nowMs }: HangingParts): Promise<number> {
  let count = 0;
  for (const name of await readdir(resultFolder).catch(() => [])) {
    const found = await stat(join(resultFolder, name)).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < keySinceMs && found.mtimeMs + resultLifetimeMs > nowMs) count++;
  }
  return count;
}
