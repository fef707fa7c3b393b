/**
 * Replies that a later request may continue from. Where the operator allows it their content is kept, encrypted, until it
 * expires; of replies that a provider keeps itself only the place is noted. An id belongs to the token that got it.
 */

import type { Tree } from '../../formats/format.ts';
import type { Sealing } from '../../secrets/sealing.ts';
import type { OwnedIds } from './owned-ids.ts';

type KeptKind = 'content' | 'at-provider' | 'too-large';

export interface KeptRow {
  readonly tokenId: string;
  readonly id: string;
  readonly kind: KeptKind;
  readonly provider: string;
  readonly keyId: string;
  /** Tokens of the conversation up to this reply, where the provider reported them. */
  readonly tokens: number | undefined;
  readonly content: string | undefined;
  readonly expiresAtMs: number;
}

export interface ReplyTable {
  put(row: KeptRow): Promise<void>;
  /** Nothing where there is none, where it expired, and where it is another token's. */
  get(tokenId: string, id: string, nowMs: number): Promise<KeptRow | undefined>;
  /** Does any token have it? */
  has(id: string, nowMs: number): Promise<boolean>;
  /** False where there was none. */
  remove(tokenId: string, id: string, nowMs: number): Promise<boolean>;
  /** Removes the oldest of a token beyond so many, or beyond so many bytes. */
  trim(tokenId: string, most: number, bytesMax: number): Promise<unknown>;
  /** Removes the oldest content of all tokens beyond so many bytes. */
  trimAll(bytesMax: number): Promise<unknown>;
  expire(nowMs: number): Promise<void>;
}

/** What is kept of one token and in all; beyond it the oldest is dropped. */
interface ReplyCeilings {
  readonly repliesPerTokenMax: number;
  readonly replyBytesPerTokenMax: number;
  readonly replyBytesMax: number;
}

/** A provider that keeps a reply itself. */
export interface Keeper {
  readonly provider: string;
  readonly keyId: string;
  readonly tokens: number | undefined;
}

/** A conversation up to and with one reply, in wire form. */
export interface KeptContent {
  readonly asked: readonly unknown[];
  readonly reply: Tree;
}

type KeptReply =
  | { readonly kind: 'content'; readonly content: KeptContent; readonly bytes: number }
  | { readonly kind: 'at-provider'; readonly keeper: Keeper }
  | { readonly kind: 'too-large' };

interface KeptRepliesOptions {
  readonly table: ReplyTable;
  /** Of replies that are not kept here, or no longer. */
  readonly ownedIds: Pick<OwnedIds, 'passes' | 'remove'>;
  readonly sealing: Sealing;
  /** Did the operator switch the keeping of content on? */
  readonly storesContent: boolean;
  readonly lifetimeMs: number;
  ceilings(): ReplyCeilings;
  wallMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** A longer conversation is not kept; a request that continues from it gets an error that says so. */
export const contentBytesMax = 4_194_304;
/** A token's ceilings are looked at after so many replies: looking costs more than keeping one. */
const trimEvery = 50;
const countedTokensMax = 10_000;
/** The end of a reply waits at most this long for it to be kept. */
const patienceMs = 1_000;
const idShape = /^[\x21-\x7e]{1,200}$/;

export class KeptReplies {
  readonly #options: KeptRepliesOptions;
  /** Replies of each token since its ceilings were looked at. */
  readonly #untrimmed = new Map<string, number>();

  constructor(options: KeptRepliesOptions) {
    this.#options = options;
  }

  get storesContent(): boolean {
    return this.#options.storesContent;
  }

  async find(tokenId: string, id: string): Promise<KeptReply | undefined> {
    if (!idShape.test(id)) return undefined;
    const row = await this.#options.table.get(tokenId, id, this.#options.wallMs());
    if (row === undefined) return undefined;
    if (row.kind === 'at-provider') return { kind: row.kind, keeper: row };
    if (row.kind === 'too-large' || row.content === undefined) return { kind: 'too-large' };
    const text = await this.#options.sealing.open(keptReplyPlace(row.tokenId, row.id), row.content);
    if (text === undefined) throw new Error('A kept reply cannot be opened with the secret key of this Weir.');
    return { kind: 'content', content: JSON.parse(text) as KeptContent, bytes: Buffer.byteLength(text) };
  }

  /** May the token continue from a reply that is not kept for it? Not from one of another token, nor from one that it deleted. */
  async mayPass(tokenId: string, id: string): Promise<boolean> {
    const { table, ownedIds, wallMs } = this.#options;
    if (!idShape.test(id) || (await table.has(id, wallMs()))) return false;
    return ownedIds.passes(tokenId, id);
  }

  /** Keeps the content of a reply. Never fails: a reply that was given is not taken back because it could not be kept. */
  keepContent(tokenId: string, id: string, content: KeptContent): Promise<void> {
    return this.#put(() => {
      const text = JSON.stringify(content);
      const fits = Buffer.byteLength(text) <= contentBytesMax;
      return {
        tokenId,
        id,
        kind: fits ? 'content' : 'too-large',
        provider: '',
        keyId: '',
        tokens: undefined,
        content: fits ? this.#options.sealing.seal(keptReplyPlace(tokenId, id), text) : undefined,
      };
    });
  }

  /** Notes which provider keeps a reply. Never fails. */
  keepPlace(tokenId: string, id: string, { provider, keyId, tokens }: Keeper): Promise<void> {
    return this.#put(() => ({ tokenId, id, kind: 'at-provider', provider, keyId, tokens, content: undefined }));
  }

  async remove(tokenId: string, id: string): Promise<boolean> {
    if (!idShape.test(id)) return false;
    await this.#options.ownedIds.remove(tokenId, id);
    return this.#options.table.remove(tokenId, id, this.#options.wallMs());
  }

  async expire(): Promise<void> {
    const { table, wallMs, ceilings } = this.#options;
    await table.expire(wallMs());
    for (const tokenId of [...this.#untrimmed.keys()]) await this.#trim(tokenId);
    await table.trimAll(ceilings().replyBytesMax);
  }

  async #trim(tokenId: string): Promise<void> {
    const { table, ceilings } = this.#options;
    const { repliesPerTokenMax, replyBytesPerTokenMax } = ceilings();
    this.#untrimmed.delete(tokenId);
    await table.trim(tokenId, repliesPerTokenMax, replyBytesPerTokenMax);
  }

  async #kept(tokenId: string): Promise<void> {
    const count = (this.#untrimmed.get(tokenId) ?? 0) + 1;
    this.#untrimmed.set(tokenId, count);
    if (count >= trimEvery || this.#untrimmed.size > countedTokensMax) await this.#trim(tokenId);
  }

  async #put(make: () => Omit<KeptRow, 'expiresAtMs'>): Promise<void> {
    let timer: Timer | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([this.#write(make), enough]);
    clearTimeout(timer);
  }

  async #write(make: () => Omit<KeptRow, 'expiresAtMs'>): Promise<void> {
    const { table, wallMs, lifetimeMs, warn } = this.#options;
    try {
      const row = make();
      if (!idShape.test(row.id)) return;
      await table.put({ ...row, expiresAtMs: wallMs() + lifetimeMs });
      await this.#kept(row.tokenId);
    } catch (cause) {
      warn('A reply could not be kept for later requests.', { cause });
    }
  }
}

/** Content that was moved to another token's or another id's row does not open. */
export function keptReplyPlace(tokenId: string, id: string): readonly string[] {
  return ['kept reply', tokenId, id];
}
