/** Signatures of signed URLs: made with the newest key, accepted from every key of the ring. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PurposeKeys } from './key-ring.ts';

export interface Signing {
  sign(text: string): string;
  isSigned(text: string, signature: string): Promise<boolean>;
}

export function createSigning(keys: PurposeKeys): Signing {
  const isRight = (text: string, given: Buffer): boolean =>
    keys.current().some(({ bytes }) => {
      const right = Buffer.from(signatureBy(bytes, text));
      return given.length === right.length && timingSafeEqual(given, right);
    });
  return {
    sign: (text) => signatureBy(keys.current()[0].bytes, text),
    async isSigned(text, signature) {
      const given = Buffer.from(signature);
      // Another replica may have signed it with a key that this one has not read yet.
      return isRight(text, given) || ((await keys.refresh()) && isRight(text, given));
    },
  };
}

function signatureBy(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}
