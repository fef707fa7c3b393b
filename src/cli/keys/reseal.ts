/**
 * Seals everything in the database again with the newest key: in small, complete steps, so that it can
 * be interrupted and resumed.
 */

import { totpPlace } from '../../admin/factors/totp-factor.ts';
import { idempotentWritePlace } from '../../admin/keys/idempotent-writes.ts';
import { sessionIssuerPlace } from '../../admin/sign-in/logout.ts';
import { channelPlace } from '../../alerts/channels/kept-channels.ts';
import { entryPlace, keyPlace } from '../../configuration/kept-entries.ts';
import { requestContentPlace } from '../../relay/contents/request-contents.ts';
import { keptReplyPlace } from '../../relay/memory/kept-replies.ts';
import { replicaContentPlace } from '../../relay/memory/replica-contents.ts';
import type { SecretRing } from '../../secrets/key-ring.ts';
import { type Purpose, purposes } from '../../secrets/purposes.ts';
import { createSealing } from '../../secrets/sealing.ts';
import { resultPartPlace } from '../../store/results/database-results.ts';
import type { SealedExchange, SealedRow, SealedTable, SecretUseStore } from '../../store/secret-keys/secret-uses.ts';

interface SealedUse {
  readonly table: SealedTable;
  readonly purpose: Purpose;
  /** What its texts are bound to. */
  placeOf(first: string, second: string): readonly string[];
  readonly words: readonly [one: string, several: string];
}

/** Every table that keeps sealed texts for longer than a client secret lives. */
const sealedUses: readonly SealedUse[] = [
  {
    table: 'console_keys',
    purpose: purposes.consoleConfiguration,
    placeOf: keyPlace,
    words: ['provider key', 'provider keys'],
  },
  {
    table: 'console_entries',
    purpose: purposes.consoleConfiguration,
    placeOf: (_section, name) => entryPlace(name),
    words: ['provider entry', 'provider entries'],
  },
  {
    table: 'alert_channels',
    purpose: purposes.alertChannels,
    placeOf: channelPlace,
    words: ['alert channel', 'alert channels'],
  },
  { table: 'kept_replies', purpose: purposes.keptReplies, placeOf: keptReplyPlace, words: ['reply', 'replies'] },
  {
    table: 'request_contents',
    purpose: purposes.requestContents,
    placeOf: requestContentPlace,
    words: ['request’s content', 'requests’ contents'],
  },
  {
    table: 'replica_contents',
    purpose: purposes.replicaContents,
    placeOf: replicaContentPlace,
    words: ['content for other replicas', 'contents for other replicas'],
  },
  {
    table: 'session_issuers',
    purpose: purposes.sessionIssuers,
    placeOf: sessionIssuerPlace,
    words: ['session of an issuer', 'sessions of issuers'],
  },
  {
    table: 'result_parts',
    purpose: purposes.replicaContents,
    placeOf: resultPartPlace,
    words: ['part of an image', 'parts of images'],
  },
  {
    table: 'idempotent_writes',
    purpose: purposes.idempotentWrites,
    placeOf: idempotentWritePlace,
    words: ['reply to an idempotent write', 'replies to idempotent writes'],
  },
  {
    table: 'totp_secrets',
    purpose: purposes.totpSecrets,
    placeOf: totpPlace,
    words: ['secret of an authenticator app', 'secrets of authenticator apps'],
  },
];

export interface Resealed {
  readonly resealed: readonly { readonly words: SealedUse['words']; readonly count: number }[];
  /** No key of the ring opens these; they stay as they are. */
  readonly unreadable: number;
}

/** A conversation may have megabytes, so there are few in memory at a time. */
const pageRows = 16;
/**
 * A process that learns of the new key late may still write with the old one; such texts are found by the next pass.
 */
const passesMax = 5;

export async function reseal(store: SecretUseStore, ring: SecretRing): Promise<Resealed> {
  const resealed: { readonly words: SealedUse['words']; readonly count: number }[] = [];
  let unreadable = 0;
  for (const use of sealedUses) {
    let count = 0;
    for (let pass = 0; pass < passesMax; pass++) {
      const done = await resealOnce(store, ring, use);
      count += done.resealed;
      if (done.resealed > 0) continue;
      unreadable += done.unreadable;
      break;
    }
    resealed.push({ words: use.words, count });
  }
  return { resealed, unreadable };
}

async function resealOnce(
  store: SecretUseStore,
  ring: SecretRing,
  { table, purpose, placeOf }: SealedUse,
): Promise<{ readonly resealed: number; readonly unreadable: number }> {
  const sealing = createSealing(ring.purpose(purpose));
  let resealed = 0;
  let unreadable = 0;
  let after: SealedRow['place'] | undefined;
  for (;;) {
    const rows = await store.textsOfOtherKeys(table, ring.newest.id, after, pageRows);
    const exchanges: SealedExchange[] = [];
    for (const row of rows) {
      const place = placeOf(...row.place);
      const content = await sealing.openBytes(place, row.sealed);
      if (content === undefined) unreadable++;
      else exchanges.push({ ...row, resealed: sealing.sealBytes(place, content) });
    }
    if (exchanges.length > 0) await store.exchangeTexts(table, exchanges);
    resealed += exchanges.length;
    after = rows.at(-1)?.place;
    if (rows.length < pageRows) return { resealed, unreadable };
  }
}
