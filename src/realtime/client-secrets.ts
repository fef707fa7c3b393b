/**
 * Short-lived credentials that the holder of a token hands to a browser. Each stands for its token, for live conversations with
 * one model alone; only a keyed digest of it is kept, and the settings that it was made with are encrypted.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { GatewayError } from '../conversation/gateway-error.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';

export interface ClientSecretRow {
  readonly digest: string;
  readonly tokenId: string;
  readonly model: string;
  readonly content: string;
  readonly expiresAtMs: number;
}

export interface ClientSecretTable {
  put(row: ClientSecretRow): Promise<void>;
  /** Nothing where there is none, or where it had expired at that time. */
  get(digest: string, nowMs: number): Promise<ClientSecretRow | undefined>;
  expire(nowMs: number): Promise<void>;
}

export interface ClientSecretsOptions {
  readonly table: ClientSecretTable;
  /** 32 bytes each, derived for these purposes alone. */
  readonly digestKey: Uint8Array;
  readonly contentKey: Uint8Array;
  wallMs(): number;
}

export interface ClientSecret {
  readonly tokenId: string;
  readonly model: string;
  readonly session: Tree;
}

export const clientSecretPrefix = 'ek_';
const secretBytes = 32;
const shape = /^ek_[A-Za-z0-9_-]{43}$/;
/** Settings are instructions and tools, not files. */
const sessionBytesMax = 262_144;
/** For so long an old one is still known, so that its user learns that it has expired. */
const rememberedMs = 3_600_000;
const nonceBytes = 12;
const tagBytes = 16;

export class ClientSecrets {
  readonly #options: ClientSecretsOptions;
  readonly #keyed: Bun.CryptoHasher;

  constructor(options: ClientSecretsOptions) {
    this.#options = options;
    this.#keyed = new Bun.CryptoHasher('sha256', options.digestKey);
  }

  async mint({ tokenId, model, session }: ClientSecret, lifetimeMs: number) {
    const text = JSON.stringify(session);
    if (Buffer.byteLength(text) > sessionBytesMax) {
      const message = `The session is larger than ${sessionBytesMax} bytes.`;
      throw new GatewayError('field_invalid', message, { param: 'session' });
    }
    const value = clientSecretPrefix + randomBytes(secretBytes).toString('base64url');
    const digest = this.#digest(value);
    const expiresAtMs = this.#options.wallMs() + lifetimeMs;
    const content = this.#encrypt(digest, text);
    await this.#options.table.put({ digest, tokenId, model, content, expiresAtMs }).catch(storeAway);
    return { value, expiresAtMs };
  }

  /** Throws where it is unknown or too old. */
  async find(value: string): Promise<ClientSecret> {
    if (!shape.test(value)) throw unknown();
    const digest = this.#digest(value);
    const row = await this.#options.table.get(digest, 0).catch(storeAway);
    if (row === undefined) throw unknown();
    if (row.expiresAtMs <= this.#options.wallMs()) {
      throw new GatewayError('token_expired', 'The client secret has expired. Ask for a new one.');
    }
    const session: unknown = JSON.parse(this.#decrypt(digest, row.content));
    return { tokenId: row.tokenId, model: row.model, session: isObject(session) ? session : {} };
  }

  expire(): Promise<void> {
    return this.#options.table.expire(this.#options.wallMs() - rememberedMs);
  }

  #digest(value: string): string {
    return this.#keyed.copy().update(value).digest('hex');
  }

  /** Bound to its row: what was moved to another row does not open. */
  #encrypt(digest: string, text: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#options.contentKey, nonce);
    cipher.setAAD(Buffer.from(digest));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  #decrypt(digest: string, content: string): string {
    const bytes = Buffer.from(content, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#options.contentKey, bytes.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(digest));
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const opened = decipher.update(bytes.subarray(nonceBytes + tagBytes));
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  }
}

function unknown(): GatewayError {
  return new GatewayError('token_unknown', 'This gateway did not issue the client secret.');
}

function storeAway(cause: unknown): never {
  const message = 'Weir cannot reach its database, so the client secret could not be kept or checked.';
  throw new GatewayError('store_unavailable', message, { cause, retryAfterMs: 1_000 });
}
