/**
 * Short-lived credentials that the holder of a token hands to a browser. Each acts for its token, in live conversations with
 * one model alone; only a keyed digest of it is kept, and the settings that it was made with are encrypted.
 */

import { randomBytes } from 'node:crypto';
import { GatewayError } from '../conversation/gateway-error.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';
import { storeUnavailable } from '../relay/admission/ledger-errors.ts';
import { bareDigest, createDigests, type Digests } from '../secrets/digests.ts';
import type { PurposeKeys } from '../secrets/key-ring.ts';
import { createSealing, type Sealing } from '../secrets/sealing.ts';

export interface ClientSecretRow {
  readonly digest: string;
  readonly tokenId: string;
  readonly model: string;
  readonly content: string;
  readonly expiresAtMs: number;
}

/** How many may be alive: of one token, and in all. */
interface SecretCeiling {
  readonly nowMs: number;
  readonly perTokenMax: number;
  readonly max: number;
}

export interface ClientSecretTable {
  /** False where as many are alive as may be. */
  put(row: ClientSecretRow, ceiling: SecretCeiling): Promise<boolean>;
  /** Nothing where there is none, or where it had expired at that time. */
  get(digest: string, nowMs: number): Promise<ClientSecretRow | undefined>;
  expire(nowMs: number): Promise<void>;
}

interface ClientSecretsOptions {
  readonly table: ClientSecretTable;
  readonly digestKeys: PurposeKeys;
  readonly contentKeys: PurposeKeys;
  /** How many of one token may be alive, and how many in all. */
  readonly perTokenMax: number;
  readonly max: number;
  wallMs(): number;
}

interface ClientSecret {
  readonly tokenId: string;
  readonly model: string;
  readonly session: Tree;
}

export const clientSecretPrefix = 'ek_';
const secretBytes = 32;
const shape = /^ek_[A-Za-z0-9_-]{43}$/;
/** Settings are instructions and tools, not files. */
export const sessionBytesMax = 65_536;
/** For so long an old one is still known, so that its user learns that it has expired. */
const rememberedMs = 3_600_000;

export class ClientSecrets {
  readonly #options: ClientSecretsOptions;
  readonly #digests: Digests;
  readonly #sealing: Sealing;

  constructor(options: ClientSecretsOptions) {
    this.#options = options;
    this.#digests = createDigests(options.digestKeys);
    this.#sealing = createSealing(options.contentKeys, (row) => row.join());
  }

  async mint({ tokenId, model, session }: ClientSecret, lifetimeMs: number) {
    const text = JSON.stringify(session);
    if (Buffer.byteLength(text) > sessionBytesMax) {
      const message = `The session is larger than ${sessionBytesMax} bytes.`;
      throw new GatewayError('field_invalid', message, { param: 'session' });
    }
    const value = clientSecretPrefix + randomBytes(secretBytes).toString('base64url');
    const digest = this.#digests.of(value);
    const { table, perTokenMax, max } = this.#options;
    const nowMs = this.#options.wallMs();
    const expiresAtMs = nowMs + lifetimeMs;
    const content = this.#sealing.seal(placeOf(digest), text);
    const row = { digest, tokenId, model, content, expiresAtMs };
    if (!(await table.put(row, { nowMs, perTokenMax, max }).catch(secretUnavailable))) throw tooMany(perTokenMax, max);
    return { value, expiresAtMs };
  }

  /** Throws where it is unknown or too old. */
  async find(value: string): Promise<ClientSecret> {
    if (!shape.test(value)) throw unknown();
    const look = (digest: string) => this.#options.table.get(digest, 0).catch(secretUnavailable);
    const row = (await this.#digests.find(value, look))?.found;
    if (row === undefined) throw unknown();
    if (row.expiresAtMs <= this.#options.wallMs()) {
      throw new GatewayError('token_expired', 'The client secret has expired. Create a new one.');
    }
    const text = await this.#sealing.open(placeOf(row.digest), row.content);
    if (text === undefined) throw new Error('A client secret cannot be opened with the secret key of this Weir.');
    const session: unknown = JSON.parse(text);
    return { tokenId: row.tokenId, model: row.model, session: isObject(session) ? session : {} };
  }

  expire(): Promise<void> {
    return this.#options.table.expire(this.#options.wallMs() - rememberedMs);
  }
}

/** Bound to its row: what was moved to another row does not open. */
const placeOf = (digest: string): readonly string[] => [bareDigest(digest)];

function tooMany(perTokenMax: number, max: number): GatewayError {
  const message = `A token can have up to ${perTokenMax} valid client secrets, and all tokens together ${max}. Wait until some expire.`;
  return new GatewayError('storage_limited', message, { retryAfterMs: 60_000 });
}

function unknown(): GatewayError {
  return new GatewayError('token_unknown', 'This client secret was not issued by this Weir server.');
}

const secretUnavailable = storeUnavailable('the client secret could not be kept or checked');
