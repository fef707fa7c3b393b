/** Seals what the console is told in confidence, so that the database alone gives no key: bound to its row, opened only by this Weir's secret. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;
/** Which way of sealing, should there ever be another. */
const version = '1.';

export interface Sealing {
  /** `place` names the row: what was moved to another does not open. */
  seal(place: readonly string[], text: string): string;
  /** Undefined where it was not sealed here, for this place, with this secret. */
  open(place: readonly string[], sealed: string): string | undefined;
}

/** `key` has 32 bytes and serves this purpose alone. */
export function createSealing(key: Uint8Array): Sealing {
  const rowName = (place: readonly string[]): Buffer => Buffer.from(JSON.stringify(['console', ...place]));
  return {
    seal(place, text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(rowName(place));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return version + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(place, sealed) {
      if (!sealed.startsWith(version)) return undefined;
      const bytes = Buffer.from(sealed.slice(version.length), 'base64');
      if (bytes.length < nonceBytes + tagBytes) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
        decipher.setAAD(rowName(place));
        decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        const opened = decipher.update(bytes.subarray(nonceBytes + tagBytes));
        return Buffer.concat([opened, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
