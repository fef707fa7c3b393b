/**
 * The public keys of one issuer of JSON Web Tokens: kept for some minutes, read again in the background, and again at
 * once for a key that is not known yet. While the issuer does not answer, known keys count for a day.
 */

import type { JSONWebKeySet } from 'jose';
import type { JwtIssuerConfig } from '../../settings/jwt-settings.ts';
import { type Fetch, readKeys } from '../sign-in/issuer-client.ts';
import { refusalOf, SignInRefusal } from '../sign-in/refusal.ts';

export const keySetBounds = {
  /** How long keys are used without asking again. */
  freshForMs: 10 * 60 * 1_000,
  /** How long they count while the issuer does not answer. */
  staleForMs: 24 * 60 * 60 * 1_000,
  /** Between two readings: unknown key ids must not make Weir flood the issuer. */
  pauseMs: 5_000,
} as const;

export interface KeySet {
  /** Rejects with a `SignInRefusal` where there are no keys that count. */
  get(): Promise<JSONWebKeySet>;
  /** Read again, for an unknown key; undefined where that was done a moment ago or fails. */
  again(): Promise<JSONWebKeySet | undefined>;
}

interface KeySetOptions {
  readonly config: Pick<JwtIssuerConfig, 'name' | 'issuer' | 'jwksUrl'>;
  readonly send: Fetch;
  readonly nowMs: () => number;
  readonly warn: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

export function createKeySet({ config, send, nowMs, warn }: KeySetOptions): KeySet {
  let kept: { readonly keys: JSONWebKeySet; readonly atMs: number } | undefined;
  let running: Promise<JSONWebKeySet> | undefined;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let lastFault: SignInRefusal | undefined;

  const read = (): Promise<JSONWebKeySet> => {
    if (running !== undefined) return running;
    startedAtMs = nowMs();
    running = addressOf(config, send)
      .then((address) => readKeys(address, send))
      .then(
        (keys) => {
          kept = { keys, atMs: nowMs() };
          lastFault = undefined;
          return keys;
        },
        (error: unknown) => {
          lastFault = refusalOf(error);
          warn(`Keys of the JWT issuer ${config.name} could not be read`, { detail: lastFault.message });
          throw lastFault;
        },
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const mayRead = (): boolean => running !== undefined || nowMs() - startedAtMs >= keySetBounds.pauseMs;

  return {
    async get() {
      const ageMs = kept === undefined ? Number.POSITIVE_INFINITY : nowMs() - kept.atMs;
      if (kept !== undefined && ageMs < keySetBounds.freshForMs) return kept.keys;
      if (kept !== undefined && ageMs < keySetBounds.staleForMs) {
        // No caller waits for an issuer whose keys are known.
        if (mayRead()) read().catch(() => undefined);
        return kept.keys;
      }
      if (!mayRead() && lastFault !== undefined) throw lastFault;
      return read();
    },
    again: async () => (mayRead() ? read().catch(() => undefined) : undefined),
  };
}

async function addressOf({ issuer, jwksUrl }: KeySetOptions['config'], send: Fetch): Promise<string> {
  if (jwksUrl !== undefined) return jwksUrl;
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const reply = await send(url, { method: 'GET', headers: { accept: 'application/json' } });
  if (reply.status !== 200) throw new SignInRefusal('provider_invalid', `its metadata answered with ${reply.status}`);
  const found: unknown = await reply.json().catch(() => undefined);
  const metadata = typeof found === 'object' && found !== null ? found : {};
  if (!('issuer' in metadata) || metadata.issuer !== issuer) {
    throw new SignInRefusal('provider_invalid', 'its metadata names another issuer');
  }
  if ('jwks_uri' in metadata && typeof metadata.jwks_uri === 'string') return metadata.jwks_uri;
  throw new SignInRefusal('provider_invalid', 'its metadata has no jwks_uri');
}
