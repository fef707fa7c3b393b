/** Signs a short-lived token with the secret of an access key, without a request. */

import { createHmac } from 'node:crypto';
import type { ProviderKey } from '../../settings/config.ts';
import type { KeyPair } from '../key-forms.ts';
import { noteIssued } from './provider-scrubber.ts';

export interface Hs256Tokens {
  tokenFor(key: ProviderKey, pair: KeyPair): string;
}

interface Held {
  readonly token: string;
  readonly freshUntilMs: number;
}

const lifetimeSeconds = 1_800;
/** The other side's clock may be behind ours: to it, a token of this instant would come from the future. */
const backdatedSeconds = 5;
/** A token is not used in its last minutes: it must outlive the request that carries it. */
const marginMs = 120_000;

export function createHs256Tokens(nowMs: () => number): Hs256Tokens {
  const tokens = new WeakMap<ProviderKey, Held>();
  return {
    tokenFor(key, pair) {
      const madeMs = nowMs();
      const held = tokens.get(key);
      if (held !== undefined && madeMs < held.freshUntilMs) return held.token;
      const token = signedToken(pair, madeMs);
      noteIssued(key, token);
      tokens.set(key, { token, freshUntilMs: madeMs + lifetimeSeconds * 1_000 - marginMs });
      return token;
    },
  };
}

function signedToken({ id, secret }: KeyPair, madeMs: number): string {
  const nowSeconds = Math.floor(madeMs / 1_000);
  const claims = { iss: id, exp: nowSeconds + lifetimeSeconds, nbf: nowSeconds - backdatedSeconds };
  const statement = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${statement}.${createHmac('sha256', secret).update(statement).digest('base64url')}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
