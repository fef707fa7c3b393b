/** What the database stores instead of a credential: a keyed digest with the id of its key. */

import type { KeyList, PurposeKey, PurposeKeys } from './key-ring.ts';

interface FoundByDigest<Found> {
  readonly found: Found;
  /** The digest that was found, if an older key made it; the caller can replace it by the newest key's. */
  readonly olderDigest: string | undefined;
}

export interface Digests {
  /** By the newest key: this is what is written. */
  of(text: string): string;
  /** Looks up by the newest key's digest, then by the older ones', and reads newer keys before it gives up. */
  find<Found>(
    text: string,
    look: (digest: string) => Promise<Found | undefined>,
  ): Promise<FoundByDigest<Found> | undefined>;
}

type Digest = (text: string) => string;

interface Made {
  readonly from: KeyList<PurposeKey>;
  readonly digests: readonly [newest: Digest, ...older: Digest[]];
}

const separator = ':';

/**
 * HMAC-SHA-256 in hex after the key's id. The keyed state is created once and copied for each text, which halves the
 * time.
 */
function digestBy({ id, bytes }: PurposeKey): Digest {
  const keyed = new Bun.CryptoHasher('sha256', bytes);
  return (text) => `${id}${separator}${keyed.copy().update(text).digest('hex')}`;
}

export function createDigests(keys: PurposeKeys): Digests {
  let made: Made | undefined;
  const current = (): Made['digests'] => {
    const from = keys.current();
    if (made?.from !== from) made = { from, digests: [digestBy(from[0]), ...from.slice(1).map(digestBy)] };
    return made.digests;
  };
  return {
    of: (text) => current()[0](text),
    async find(text, look) {
      do {
        for (const [age, digestOf] of current().entries()) {
          const digest = digestOf(text);
          const found = await look(digest);
          if (found !== undefined) return { found, olderDigest: age === 0 ? undefined : digest };
        }
      } while (await keys.refresh());
      return undefined;
    },
  };
}

/** A digest and the id of its key, which are stored separately; digests from before keys had ids have none. */
export function splitDigest(digest: string): readonly [digest: string, keyId: string | null] {
  const end = digest.indexOf(separator);
  return end === -1 ? [digest, null] : [digest.slice(end + 1), digest.slice(0, end)];
}

export const bareDigest = (digest: string): string => splitDigest(digest)[0];
