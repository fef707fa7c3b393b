/**
 * Encrypts texts for the database with this Weir's secret: each names the key that sealed it and is bound to its row.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { PurposeKey, PurposeKeys } from './key-ring.ts';

const nonceBytes = 12;
const tagBytes = 16;
/** `2.`, the id of the key, a dot, and the sealed bytes. */
const shape = /^2\.([0-9a-f]{8})\./;
/** Before keys had ids, entries of the console began like this and everything else with its bytes. */
const shapeBefore = /^(?:1\.)?(?=[A-Za-z0-9+/=]*$)/;

export interface Sealing {
  /** `row` names what the text is bound to: moved to another row it does not open. */
  seal(row: readonly string[], text: string): string;
  /** Undefined if it was not sealed for this row with a key of this ring. */
  open(row: readonly string[], sealed: string): Promise<string | undefined>;
  /** The same for bytes. */
  sealBytes(row: readonly string[], bytes: Uint8Array): string;
  openBytes(row: readonly string[], sealed: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** The prefix of every text that this key seals. */
export const sealedPrefix = (keyId: string): string => `2.${keyId}.`;

/** Undefined if it is older than ids, or no sealed text. */
export function sealedBy(sealed: string): string | undefined {
  return shape.exec(sealed)?.[1];
}

/** The keys serve this purpose alone. `bind` says how a row's name is written into the seal. */
export function createSealing(
  keys: PurposeKeys,
  bind: (row: readonly string[]) => string = (row) => JSON.stringify(row),
): Sealing {
  async function keyOf(id: string): Promise<PurposeKey | undefined> {
    const named = (): PurposeKey | undefined => keys.current().find((key) => key.id === id);
    // A replica with a newer key may have sealed it a moment ago: the keys are read again before it gives up.
    return named() ?? ((await keys.refresh()) ? named() : undefined);
  }

  function sealBytes(row: readonly string[], content: Uint8Array): string {
    const { id, bytes } = keys.current()[0];
    return sealedPrefix(id) + sealWith(bytes, bind(row), content);
  }

  async function openBytes(row: readonly string[], sealed: string): Promise<Buffer<ArrayBuffer> | undefined> {
    const id = sealedBy(sealed);
    if (id !== undefined) {
      const key = await keyOf(id);
      return key && openWith(key.bytes, bind(row), sealed.slice(sealedPrefix(id).length));
    }
    const before = shapeBefore.exec(sealed)?.[0];
    if (before === undefined) return undefined;
    // It was sealed when there was one key, which is the oldest by now.
    for (const { bytes } of keys.current().toReversed()) {
      const opened = openWith(bytes, bind(row), sealed.slice(before.length));
      if (opened !== undefined) return opened;
    }
    return undefined;
  }

  return {
    seal: (row, text) => sealBytes(row, Buffer.from(text)),
    open: async (row, sealed) => (await openBytes(row, sealed))?.toString('utf8'),
    sealBytes,
    openBytes,
  };
}

function sealWith(key: Uint8Array, boundTo: string, content: Uint8Array): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

function openWith(key: Uint8Array, boundTo: string, sealed: string): Buffer<ArrayBuffer> | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(boundTo));
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const opened = decipher.update(bytes.subarray(nonceBytes + tagBytes));
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    return undefined;
  }
}
