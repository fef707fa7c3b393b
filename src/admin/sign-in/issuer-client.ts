/**
 * What is known of one issuer: its metadata and its keys, fetched within limits and kept for some minutes. A token with
 * an unknown key has the keys read again, so that the issuer can rotate them at any time.
 */

import type { JSONWebKeySet, JWTPayload, JWTVerifyOptions } from 'jose';
import type { AuthorizationServer, Client, ClientAuth } from 'oauth4webapi';
import { isLoopback } from '../../config/sign-in-schema.ts';
import { signatureAlgorithms } from '../../settings/jwt-settings.ts';
import type { IssuerConfig } from '../../settings/sign-in-settings.ts';
import type { Transport } from '../../upstream/transport.ts';
import type { SignInRefusalCode } from '../contracts/sign-in-contract.ts';
import { refusalOf, SignInRefusal } from './refusal.ts';

const issuerBounds = {
  timeoutMs: 10_000,
  bytesMax: 1_048_576,
  /** How long metadata and keys are used without asking again. */
  knownForMs: 10 * 60 * 1_000,
  /** Forged key ids must not make Weir flood the issuer. */
  keyReadsPerMinuteMax: 12,
} as const;

export type Oauth = typeof import('oauth4webapi');
/** The libraries are loaded with the first sign-in: most starts need none of them. */
export const loadOauth = (): Promise<Oauth> => import('oauth4webapi');
const loadJose = () => import('jose');

interface LastContact {
  readonly atMs: number;
  readonly refusal?: SignInRefusalCode | undefined;
}

export interface IssuerClient {
  readonly config: IssuerConfig;
  readonly client: Client;
  metadata(): Promise<AuthorizationServer>;
  /** How the client authenticates at the token endpoint. */
  authentication(): Promise<ClientAuth>;
  /** For every request of the library. */
  readonly requestOptions: RequestOptions;
  /** Checks signature, algorithm, issuer, audience and times. */
  verify(token: string, options?: JWTVerifyOptions): Promise<JWTPayload>;
  /** Reads the metadata again. */
  discover(): Promise<AuthorizationServer>;
  /** Reads the keys again: how many there are. */
  countKeys(): Promise<number>;
  readonly lastContact: LastContact | undefined;
}

interface ClientOptions {
  readonly transport: Transport;
  readonly nowMs: () => number;
}

export function createIssuerClient(config: IssuerConfig, options: ClientOptions): Promise<IssuerClient> {
  return loadOauth().then((oauth) => clientOf(config, options, oauth));
}

function clientOf(config: IssuerConfig, { transport, nowMs }: ClientOptions, oauth: Oauth): IssuerClient {
  const isPlain = config.issuer.startsWith('http:');
  const send = fetchOver(transport);
  const requestOptions = optionsOf(oauth, send, isPlain);
  const client: Client = { client_id: config.clientId, [oauth.clockTolerance]: config.clockSkewS };
  let lastContact: LastContact | undefined;
  /** Remembers how the issuer answered, for its administrators. */
  const asking = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await question();
      lastContact = { atMs: nowMs() };
      return answer;
    } catch (error) {
      const refusal = refusalOf(error);
      lastContact = { atMs: nowMs(), refusal: refusal.code };
      throw refusal;
    }
  };
  const metadata = createKept(nowMs, () =>
    asking(async () => {
      const url = new URL(config.issuer);
      return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, requestOptions));
    }),
  );
  const keys = createKept(nowMs, async () => {
    const { jwks_uri: address } = await metadata.get();
    return asking(() => readKeys(address, send));
  });
  const mayReadAgain = createAllowance(nowMs);
  return {
    config,
    client,
    metadata: metadata.get,
    authentication: async () => authenticationOf(oauth, config, await metadata.get()),
    requestOptions,
    async verify(token, given) {
      const { issuer } = await metadata.get();
      const terms: JWTVerifyOptions = {
        issuer,
        audience: config.clientId,
        algorithms: [...signatureAlgorithms],
        clockTolerance: config.clockSkewS,
        currentDate: new Date(nowMs()),
        ...given,
      };
      try {
        return await verifyWith(await keys.get(), token, terms);
      } catch (error) {
        if (!isKeyFault(error) || !mayReadAgain()) throw refusalOf(error);
        return await verifyWith(await keys.read(), token, terms).catch((again: unknown) => {
          throw refusalOf(again);
        });
      }
    },
    discover: metadata.read,
    countKeys: async () => (await keys.read()).keys.length,
    get lastContact() {
      return lastContact;
    },
  };
}

/** Tokens are checked against the issuer that they name, so plain HTTP is allowed where the issuer itself has it. */
const optionsOf = (oauth: Oauth, send: Fetch, isPlain: boolean) => ({
  [oauth.customFetch]: send,
  [oauth.allowInsecureRequests]: isPlain,
});
type RequestOptions = ReturnType<typeof optionsOf>;

export async function verifyWith(keys: JSONWebKeySet, token: string, terms: JWTVerifyOptions): Promise<JWTPayload> {
  const { createLocalJWKSet, errors, jwtVerify } = await loadJose();
  try {
    return (await jwtVerify(token, createLocalJWKSet(keys), terms)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // A token without a key id: each key that may have made it is tried.
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, terms)).payload;
      } catch (fault) {
        if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function isKeyFault(error: unknown): boolean {
  const { code } = refusalOf(error);
  return code === 'token_key' || code === 'token_signature';
}

export async function readKeys(address: string | undefined, send: Fetch): Promise<JSONWebKeySet> {
  if (address === undefined) throw new SignInRefusal('provider_invalid', 'its metadata has no jwks_uri');
  const reply = await send(address, { method: 'GET', headers: { accept: 'application/json' } });
  if (reply.status !== 200) throw new SignInRefusal('provider_invalid', `its keys answered with ${reply.status}`);
  const found: unknown = await reply.json().catch(() => undefined);
  if (!isKeySet(found)) throw new SignInRefusal('provider_invalid', 'its jwks_uri returned no key set');
  return found;
}

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys);

/** The first that the issuer lists of what Weir can do; a secret in the header is what every issuer supports. */
function authenticationOf(oauth: Oauth, { clientSecret }: IssuerConfig, metadata: AuthorizationServer): ClientAuth {
  if (clientSecret === undefined) return oauth.None();
  const supported = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const inBody = !supported.includes('client_secret_basic') && supported.includes('client_secret_post');
  return inBody ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret);
}

/** One question at a time; a failure is not kept. */
function createKept<Value>(nowMs: () => number, read: () => Promise<Value>) {
  let kept: { readonly value: Value; readonly untilMs: number } | undefined;
  let running: Promise<Value> | undefined;
  const again = (): Promise<Value> => {
    running ??= read()
      .then((value) => {
        kept = { value, untilMs: nowMs() + issuerBounds.knownForMs };
        return value;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return {
    read: again,
    get: async (): Promise<Value> => (kept !== undefined && kept.untilMs > nowMs() ? kept.value : again()),
  };
}

function createAllowance(nowMs: () => number): () => boolean {
  let startedAtMs = 0;
  let used = 0;
  return () => {
    if (nowMs() - startedAtMs > 60_000) {
      startedAtMs = nowMs();
      used = 0;
    }
    used++;
    return used <= issuerBounds.keyReadsPerMinuteMax;
  };
}

interface FetchTerms {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
export type Fetch = (url: string, terms: FetchTerms) => Promise<Response>;

const passedHeaders = ['content-type', 'www-authenticate'] as const;

/** The gateway's own connections as the library's fetch: bounded in time and size, redirects are not followed. */
export function fetchOver(transport: Transport): Fetch {
  return async (url, { method, headers = {}, body }) => {
    if (!isSafeAddress(url)) {
      throw new SignInRefusal('provider_invalid', 'it names an address without TLS');
    }
    const sent = body === undefined || body === null ? undefined : String(body);
    const type = body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
    try {
      const reply = await transport({
        url,
        method: method === 'POST' ? 'POST' : 'GET',
        headers: { ...lowerCase(headers), ...type, 'accept-encoding': 'identity', 'user-agent': 'weir' },
        signal: AbortSignal.timeout(issuerBounds.timeoutMs),
        ...(sent !== undefined && { body: sent }),
      });
      const bytes = await reply.whole(issuerBounds.bytesMax);
      const passed = passedHeaders.flatMap((name) => {
        const value = reply.header(name);
        return value === undefined ? [] : [[name, value] as [string, string]];
      });
      const isEmpty = [101, 204, 205, 304].includes(reply.status);
      return new Response(isEmpty ? null : bytes, { status: reply.status, headers: passed });
    } catch (error) {
      throw new SignInRefusal('provider_unreachable', faultText(error), error);
    }
  };
}

/** Nothing of a sign-in is sent without TLS, except on this machine. */
export function isSafeAddress(address: string): boolean {
  const { protocol, hostname = '' } = URL.parse(address) ?? {};
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function faultText(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection';
  if (error.name === 'TimeoutError') return `no answer within ${issuerBounds.timeoutMs / 1_000} s`;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message.slice(0, 200);
}
