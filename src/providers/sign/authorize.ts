/** Gives a request its credential as the provider requires it: a fixed header, a fetched token, a signature. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import { type Provider, providerHeaders } from '../assemble.ts';
import { readAccessKey, readKeyPair } from '../key-forms.ts';
import type { Auth } from '../provider.ts';
import { createHs256Tokens, type Hs256Tokens } from './hs256-token.ts';
import { createTokenSource, type TokenSourceParts } from './service-account.ts';
import { signRequest } from './sigv4.ts';

export type HeaderMap = Record<string, string>;

/** What a signature covers. */
interface AuthorizedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly body?: Uint8Array | string | undefined;
}

export interface Authorizer {
  /**
   * The head a provider gets: the credential and what the operator adds. A promise only while an access token is fetched;
   * what cannot be signed throws an AttemptFailure, and so does the promise where no token comes.
   */
  headersFor(provider: Provider, key: ProviderKey, request: AuthorizedRequest): HeaderMap | Promise<HeaderMap>;
}

/** Are the headers the same for every request with a key? Then the sender may keep them. */
export function hasFixedHeaders(auth: Auth): boolean {
  return auth.style !== 'service-account' && auth.style !== 'aws-sigv4' && auth.style !== 'jwt-hs256';
}

export function createAuthorizer(parts: TokenSourceParts): Authorizer {
  const tokens = createTokenSource(parts);
  const signedTokens = createHs256Tokens(() => parts.nowMs());
  return {
    headersFor(provider, key, request) {
      const { auth } = provider;
      if (key.value === '' || hasFixedHeaders(auth)) return providerHeaders(provider, key);
      if (auth.style === 'service-account') {
        const token = tokens.tokenFor(key, auth.scope, provider);
        return typeof token === 'string'
          ? withBearer(provider, token)
          : token.then((text) => withBearer(provider, text));
      }
      if (auth.style === 'jwt-hs256') return withBearer(provider, signedTokenOr(key, signedTokens));
      if (auth.style === 'aws-sigv4') return signedHeaders(provider, key, auth.service, request, parts.nowMs());
      return providerHeaders(provider, key);
    },
  };
}

function withBearer(provider: Provider, token: string): HeaderMap {
  return { authorization: `Bearer ${token}`, ...provider.headers };
}

/** The key itself where it is no pair. */
function signedTokenOr(key: ProviderKey, signedTokens: Hs256Tokens): string {
  const pair = readKeyPair(key.value);
  return pair === undefined ? key.value : signedTokens.tokenFor(key, pair);
}

function signedHeaders(
  provider: Provider,
  key: ProviderKey,
  service: string,
  request: AuthorizedRequest,
  timeMs: number,
): HeaderMap {
  const accessKey = readAccessKey(key.value);
  if (accessKey === undefined) return withBearer(provider, key.value);
  const { region } = provider.settings;
  if (region === undefined) {
    const message = `The provider ${provider.name} has no region to sign requests for.`;
    const error = new GatewayError('provider_unavailable', message);
    throw new AttemptFailure({ kind: 'key-dead', error, retryAfterMs: undefined });
  }
  // Headers of the operator that belong to the signature's own family, or that change the host, must be covered by it.
  const covered = Object.entries(provider.headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => name.startsWith('x-amz-') || name === 'host');
  const signed = signRequest(
    { ...request, headers: Object.fromEntries(covered) },
    accessKey,
    { region, service },
    timeMs,
  );
  return { ...provider.headers, ...signed };
}
