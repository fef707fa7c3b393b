/** The secrets of this Weir, the newest first: it seals, signs and digests; the older ones only open and verify. */

import { hkdfSync } from 'node:crypto';
import type { Purpose } from './purposes.ts';

export const secretKeyBytes = 32;

/** A key for one purpose, with the id of the secret it was derived from. */
export interface PurposeKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

export type KeyList<Key> = readonly [newest: Key, ...older: Key[]];

export interface PurposeKeys {
  /** The same array until the ring changes, so that values derived from it can be cached. */
  current(): KeyList<PurposeKey>;
  /** Reads the secrets again; true if the ring has changed. */
  refresh(): Promise<boolean>;
}

export interface SecretKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

/** Reads the secrets again; undefined if they have not changed. */
type RereadSecrets = () => Promise<KeyList<Uint8Array> | undefined>;

/** A key for one purpose; it reveals nothing about the secret or about the keys of other labels. */
export function derive(secret: Uint8Array, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), `weir/${label}`, secretKeyBytes));
}

const keyIdCharacters = 8;

/** Short enough for every sealed text; it is derived, so it reveals nothing about the secret. */
export function keyIdOf(secret: Uint8Array): string {
  return derive(secret, 'key-id').toHex().slice(0, keyIdCharacters);
}

export class SecretRing {
  #keys: KeyList<SecretKey>;
  readonly #reread: RereadSecrets;
  #running: Promise<unknown> = Promise.resolve();
  #waiting: Promise<boolean> | undefined;

  constructor(secrets: KeyList<Uint8Array>, reread: RereadSecrets = async () => undefined) {
    this.#keys = keysOf(secrets);
    this.#reread = reread;
  }

  get keys(): KeyList<SecretKey> {
    return this.#keys;
  }

  get newest(): SecretKey {
    return this.#keys[0];
  }

  /** One read at a time; a read that has not begun yet sees the current state, so it serves all waiting callers. */
  refresh(): Promise<boolean> {
    this.#waiting ??= this.#running.then(() => {
      this.#waiting = undefined;
      const reading = this.#read();
      this.#running = reading.catch(() => undefined);
      return reading;
    });
    return this.#waiting;
  }

  async #read(): Promise<boolean> {
    const secrets = await this.#reread();
    if (secrets === undefined) return false;
    const keys = keysOf(secrets);
    if (keys.map(({ id }) => id).join() === this.#keys.map(({ id }) => id).join()) return false;
    this.#keys = keys;
    return true;
  }

  purpose(label: Purpose): PurposeKeys {
    let made: { readonly from: KeyList<SecretKey>; readonly keys: KeyList<PurposeKey> } | undefined;
    return {
      current: () => {
        if (made?.from !== this.#keys) made = { from: this.#keys, keys: mapKeys(this.#keys, label) };
        return made.keys;
      },
      refresh: () => this.refresh(),
    };
  }
}

function keysOf([newest, ...older]: KeyList<Uint8Array>): KeyList<SecretKey> {
  const named = (secret: Uint8Array): SecretKey => ({ id: keyIdOf(secret), secret });
  return [named(newest), ...older.map(named)];
}

function mapKeys([newest, ...older]: KeyList<SecretKey>, label: string): KeyList<PurposeKey> {
  const derived = ({ id, secret }: SecretKey): PurposeKey => ({ id, bytes: derive(secret, label) });
  return [derived(newest), ...older.map(derived)];
}
