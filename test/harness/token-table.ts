/** Tokens kept in memory, for tests of the layers above the store. */

import type { TokenRecord, TokenTerms } from '../../src/access/caller.ts';
import type { TokenTable } from '../../src/access/token-table.ts';

interface Row {
  record: TokenRecord;
  digest: string;
  previous: { readonly digest: string; readonly untilMs: number } | undefined;
}

export interface MemoryTokenTable extends TokenTable {
  /** The number of calls of `byDigest`. */
  readonly lookups: number;
}

export function createMemoryTokenTable(): MemoryTokenTable {
  const rows = new Map<string, Row>();
  let revision = 1;
  let lookups = 0;

  const change = (id: string, living: boolean, apply: (row: Row) => void): boolean => {
    const row = rows.get(id);
    if (row === undefined || (living && row.record.revokedAtMs !== undefined)) return false;
    apply(row);
    revision++;
    return true;
  };

  return {
    get lookups() {
      return lookups;
    },
    async insert(record, digest) {
      if (rows.has(record.id) || [...rows.values()].some((row) => row.digest === digest)) throw new Error('taken');
      rows.set(record.id, { record, digest, previous: undefined });
      revision++;
    },
    async insertWithin(record, digest, { most, revokedSinceMs, exceptId }) {
      const own = [...rows.values()].filter(
        ({ record: { id, ownerId, revokedAtMs = Number.POSITIVE_INFINITY } }) =>
          ownerId === record.ownerId && id !== exceptId && revokedAtMs >= revokedSinceMs,
      );
      if (own.length >= most) return false;
      rows.set(record.id, { record, digest, previous: undefined });
      revision++;
      return true;
    },
    async byDigest(digest) {
      lookups++;
      for (const { record, digest: current, previous } of rows.values()) {
        if (current === digest) return record;
        if (previous?.digest === digest) return { ...record, secretValidUntilMs: previous.untilMs };
      }
      return undefined;
    },
    byId: async (id) => rows.get(id)?.record,
    async list({ afterId, limit, ownerId, seenBy, search }) {
      if (search !== undefined) throw new Error('Searching is the store’s: see test/contract/token-search.test.ts.');
      const all = [...rows.values()].map((row) => row.record).reverse();
      // Teams are the store's: here an account sees its own tokens.
      const owners = [ownerId, seenBy].filter((id) => id !== undefined);
      const newestFirst = all.filter((record) => owners.every((id) => record.ownerId === id));
      const from = afterId === undefined ? 0 : newestFirst.findIndex((record) => record.id === afterId) + 1;
      return newestFirst.slice(from, from + limit);
    },
    updateTerms: async (id, terms: TokenTerms) =>
      change(id, false, (row) => {
        row.record = { ...row.record, terms };
      }),
    changeOwner: async (id, ownerId) =>
      change(id, false, (row) => {
        const { ownerId: _, ...rest } = row.record;
        row.record = ownerId === undefined ? rest : { ...rest, ownerId };
      }),
    changeUnit: async (id, unitId) =>
      change(id, false, (row) => {
        const { unitId: _, ...rest } = row.record;
        row.record = unitId === undefined ? rest : { ...rest, unitId };
      }),
    revoke: async (id, atMs) =>
      change(id, true, (row) => {
        row.record = { ...row.record, revokedAtMs: atMs };
      }),
    rotate: async (id, newDigest, newHint, oldValidUntilMs) =>
      change(id, true, (row) => {
        row.previous = { digest: row.digest, untilMs: oldValidUntilMs };
        row.digest = newDigest;
        row.record = { ...row.record, hint: newHint };
      }),
    async renew(record, digest, oldValidUntilMs) {
      const row = rows.get(record.id);
      if (row !== undefined && row.record.ownerId !== record.ownerId) return false;
      const kept = row === undefined || row.record.revokedAtMs !== undefined ? undefined : row.digest;
      const previous = kept === undefined ? undefined : { digest: kept, untilMs: oldValidUntilMs };
      rows.set(record.id, { record, digest, previous });
      revision++;
      return true;
    },
    async moveDigest(from, to) {
      for (const row of rows.values()) {
        if (row.digest === from) row.digest = to;
        if (row.previous?.digest === from) row.previous = { ...row.previous, digest: to };
      }
    },
    async revokeOf(ownerId, atMs) {
      const own = [...rows.values()].filter(({ record }) => record.ownerId === ownerId);
      return own.filter(({ record }) =>
        change(record.id, true, (row) => {
          row.record = { ...row.record, revokedAtMs: atMs };
        }),
      ).length;
    },
    revision: async () => revision,
  };
}
