/**
 * Ids that providers made belong to the token whose reply brought them; for any other token they do not exist. What a request names is
 * looked up before it is sent, because a provider knows only the operator's key and would serve it to every token.
 */

import { compileGlobs, type TextMatcher } from '../../access/glob.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { referencesMax } from '../../conversation/references/find-references.ts';
import { isOwnId } from '../../conversation/references/own-ids.ts';
import type { Outbound, Reference, References } from '../../conversation/references/references.ts';
import type { IdsConfig } from '../../settings/config.ts';
import { storeUnavailable } from '../admission/ledger-errors.ts';

interface IdOwner {
  readonly tokenId: string;
  readonly deleted: boolean;
}

export interface IdTable {
  add(rows: readonly { readonly digest: string; readonly tokenId: string; readonly seenAtMs: number }[]): Promise<void>;
  find(digests: readonly string[]): Promise<ReadonlyMap<string, IdOwner>>;
  remove(digest: string, tokenId: string, atMs: number): Promise<void>;
  expire(beforeMs: number): Promise<void>;
  keepNewest(most: number, tokenId?: string): Promise<void>;
  /** How many people hold tokens. */
  holders(): Promise<number>;
}

interface OwnedIdsOptions {
  readonly table: IdTable;
  /** Read each time: some of it may change while Weir runs. */
  readonly settings: IdsConfig;
  wallMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** Ids of one reply that are noted; no provider makes nearly as many. */
const idsPerReplyMax = 1_000;
/** Rows that one write takes, and rows that may wait for the database. */
const batchRowsMax = 500;
const waitingRowsMax = 20_000;
/** The end of a reply waits at most this long for its ids. */
const patienceMs = 1_000;
const holdersKeptMs = 2_000;
const dayMs = 24 * 60 * 60 * 1_000;
const idShape = /^[\x21-\x7e]{1,500}$/;

/** Rows that are written together, and when they are. */
interface Batch {
  readonly rows: Map<string, { readonly tokenId: string; readonly seenAtMs: number }>;
  readonly written: Promise<void>;
  end(): void;
}

export class OwnedIds {
  readonly #options: OwnedIdsOptions;
  #next = newBatch();
  #writing: Batch | undefined;
  readonly #writtenOf = new Map<string, number>();
  #writtenOfAll = 0;
  #holders: { readonly count: Promise<number>; readonly atMs: number } | undefined;
  #hosts: { readonly patterns: readonly string[]; readonly matches: TextMatcher } | undefined;

  constructor(options: OwnedIdsOptions) {
    this.#options = options;
  }

  /** Resolves when the ids are durable, or when it is not worth waiting any longer. Nothing to wait for where none is new. */
  note(tokenId: string, ids: readonly string[], named?: References): Promise<void> | undefined {
    const seenAtMs = this.#options.wallMs();
    const { rows, written } = this.#next;
    let some = false;
    for (const id of ids.length > idsPerReplyMax ? ids.slice(0, idsPerReplyMax) : ids) {
      // An id that the request named was not created for it: it may have no owner here and must not get one.
      if (!idShape.test(id) || named?.ids.some((reference) => reference.id === id) === true) continue;
      const digest = digestOf(id);
      if (!rows.has(digest) && rows.size < waitingRowsMax) rows.set(digest, { tokenId, seenAtMs });
      some = true;
    }
    if (!some) return undefined;
    if (this.#writing === undefined) void this.#write();
    return written;
  }

  /** Throws where the request names what is not its token's, or a server that the operator does not allow. */
  async check(tokenId: string, { ids, outbound }: References): Promise<void> {
    if (outbound.length > 0) {
      const people = await this.#holderCount();
      for (const each of outbound) this.#requireOutbound(each, people);
    }
    if (ids.length > referencesMax) {
      const message = `A request may name at most ${referencesMax} ids of files and the like.`;
      throw new GatewayError('field_invalid', message, { param: ids[0]?.param ?? '' });
    }
    if (ids.length === 0) return;
    const owners = await this.#owners(ids.map(({ id }) => id)).catch(idsUnavailable);
    for (const reference of ids) {
      const owner = owners.get(digestOf(reference.id));
      if (owner === undefined && this.#isKeptNowhere(reference)) throw keptNowhere(reference);
      if (!(await this.#passes(tokenId, owner))) throw notFound(reference);
    }
  }

  /** For callers that cannot wait: throws for ids that Weir never saw. Settings are read each time, the number of token holders once. */
  async ruleForUnknown(): Promise<(references: References) => void> {
    const people = await this.#holderCount();
    return ({ ids, outbound }) => {
      for (const each of outbound) this.#requireOutbound(each, people);
      const [first] = ids;
      if (first !== undefined && this.#isKeptNowhere(first)) throw keptNowhere(first);
      if (first !== undefined && !this.#passesUnknown(people)) throw notFound(first);
    };
  }

  /** May the token name this id? */
  async passes(tokenId: string, id: string): Promise<boolean> {
    const owners = await this.#owners([id]);
    return this.#passes(tokenId, owners.get(digestOf(id)));
  }

  /** Keeps a mark: a deleted id differs from one that was never seen. */
  async remove(tokenId: string, id: string): Promise<void> {
    // Otherwise a write that is still in progress could bring it back.
    await this.flush();
    await this.#options.table.remove(digestOf(id), tokenId, this.#options.wallMs());
  }

  async expire(): Promise<void> {
    const { table, settings, wallMs } = this.#options;
    await table.expire(wallMs() - settings.retentionDays * dayMs);
    await table.keepNewest(settings.totalMax);
  }

  /** Resolves when nothing waits to be written any more. */
  async flush(): Promise<void> {
    if (this.#writing === undefined) void this.#write();
    while (this.#writing !== undefined) await this.#writing.written;
  }

  async #passes(tokenId: string, owner: IdOwner | undefined): Promise<boolean> {
    if (owner !== undefined) return owner.tokenId === tokenId && !owner.deleted;
    return this.#options.settings.unknown === 'allow' || this.#passesUnknown(await this.#holderCount());
  }

  #passesUnknown(people: number): boolean {
    const { unknown } = this.#options.settings;
    return unknown === 'auto' ? people <= 1 : unknown === 'allow';
  }

  /** An id of Weir's own, and not of another Weir behind this one whose ids are passed on. */
  #isKeptNowhere({ id }: Reference): boolean {
    return isOwnId(id) && this.#options.settings.unknown !== 'allow';
  }

  #requireOutbound({ target, param }: Outbound, people: number): void {
    const { mcpHosts } = this.#options.settings;
    const host = URL.parse(target)?.hostname ?? target;
    const allowed = mcpHosts === undefined ? people <= 1 : this.#hostsOf(mcpHosts)(host.toLowerCase());
    if (allowed) return;
    const message = `Requests are not allowed to make the provider call ${JSON.stringify(host.slice(0, 200))}. Allow it in \`egress.mcp_hosts\`.`;
    throw new GatewayError('egress_not_allowed', message, { param });
  }

  #hostsOf(patterns: readonly string[]): TextMatcher {
    if (this.#hosts?.patterns === patterns) return this.#hosts.matches;
    const matches = compileGlobs(patterns.map((pattern) => pattern.toLowerCase()));
    this.#hosts = { patterns, matches };
    return matches;
  }

  /** Cached for a moment: tokens change seldom. */
  #holderCount(): Promise<number> {
    const nowMs = this.#options.wallMs();
    if (this.#holders === undefined || Math.abs(nowMs - this.#holders.atMs) > holdersKeptMs) {
      const count = this.#options.table.holders();
      this.#holders = { count, atMs: nowMs };
      count.catch(() => {
        this.#holders = undefined;
      });
    }
    return this.#holders.count.catch(idsUnavailable);
  }

  /** What waits to be written counts as well: a client may name an id as soon as it has read it. */
  async #owners(ids: readonly string[]): Promise<ReadonlyMap<string, IdOwner>> {
    const owners = new Map<string, IdOwner>();
    // Before the database is asked: what is written in the meantime is found in neither place otherwise.
    for (const digest of ids.map(digestOf)) {
      const waiting = this.#writing?.rows.get(digest) ?? this.#next.rows.get(digest);
      if (waiting !== undefined) owners.set(digest, { tokenId: waiting.tokenId, deleted: false });
    }
    const stored = await this.#options.table.find([...new Set(ids.map(digestOf))]);
    for (const [digest, owner] of stored) owners.set(digest, owner);
    return owners;
  }

  /** One write after the other; what comes while one runs goes together with the next. */
  async #write(): Promise<void> {
    let failed = false;
    while (this.#next.rows.size > 0 && !failed) {
      const batch = this.#next;
      this.#writing = batch;
      this.#next = newBatch();
      const patience = setTimeout(batch.end, patienceMs);
      try {
        await this.#add(batch);
        this.#prune(batch);
      } catch (cause) {
        failed = true;
        this.#options.warn('Ids of replies could not be noted; they are written with the next ones.', { cause });
        this.#putBack(batch);
      }
      clearTimeout(patience);
      this.#writing = undefined;
      batch.end();
    }
  }

  async #add(batch: Batch): Promise<void> {
    const rows = Array.from(batch.rows, ([digest, row]) => ({ digest, ...row }));
    // One order in every process: two writers cannot wait for each other.
    rows.sort((a, b) => (a.digest < b.digest ? -1 : 1));
    for (let from = 0; from < rows.length; from += batchRowsMax) {
      await this.#options.table.add(rows.slice(from, from + batchRowsMax));
    }
  }

  /** They are written with the next reply's. */
  #putBack({ rows }: Batch): void {
    for (const [digest, row] of rows) {
      if (this.#next.rows.size >= waitingRowsMax) return;
      if (!this.#next.rows.has(digest)) this.#next.rows.set(digest, row);
    }
  }

  /** Counting is work for the database: it is done once for every tenth of what may be kept. */
  #prune({ rows }: Batch): void {
    const { table, settings, warn } = this.#options;
    const quietly = (work: Promise<void>): void => {
      work.catch((cause: unknown) => warn('Old ids of replies could not be removed.', { cause }));
    };
    for (const { tokenId } of rows.values()) this.#writtenOf.set(tokenId, (this.#writtenOf.get(tokenId) ?? 0) + 1);
    for (const [tokenId, count] of this.#writtenOf) {
      if (count < settings.perTokenMax / 10) continue;
      this.#writtenOf.delete(tokenId);
      quietly(table.keepNewest(settings.perTokenMax, tokenId));
    }
    this.#writtenOfAll += rows.size;
    if (this.#writtenOfAll < settings.totalMax / 10) return;
    this.#writtenOfAll = 0;
    quietly(table.keepNewest(settings.totalMax));
  }
}

function newBatch(): Batch {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { rows: new Map(), written: promise, end: resolve };
}

/** Half of it is enough to tell all ids apart. */
function digestOf(id: string): string {
  return new Bun.CryptoHasher('sha256').update(id).digest('base64url').slice(0, 22);
}

/** The same for an id of another token, one that was deleted and one that never was. */
function notFound({ kind, id, param }: Reference): GatewayError {
  const message = `This token has no ${kind} ${shown(id)}. Ids that did not come from Weir are passed on only where its operator sets \`ids.unknown: allow\`.`;
  return new GatewayError('reference_not_found', message, { param });
}

/** However many people hold tokens: what Weir wrote itself is stored by no provider, so passing the id on could only lose it. */
function keptNowhere({ kind, id, param }: Reference): GatewayError {
  const why =
    kind === 'audio'
      ? 'and keeps no recordings. Send its transcript as text instead.'
      : 'and does not have it, or no longer: it keeps what it writes for an hour, for the token that got it, unless the request said `store: false`. Send the whole item instead.';
  return new GatewayError('reference_not_found', `Weir wrote the ${kind} ${shown(id)} itself ${why}`, { param });
}

const shown = (id: string): string => JSON.stringify(id.slice(0, 100));

const idsUnavailable = storeUnavailable('it cannot look up what the request names');
