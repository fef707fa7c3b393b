/** The program's side of the device flow (RFC 8628): asks for a code, polls, renews and revokes. */

import { z } from 'zod';
import type { Login } from './login-file.ts';

const clientId = 'weir-cli';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const requestTimeoutMs = 30_000;
const slowDownMs = 5_000;

const metadataSchema = z.object({
  issuer: z.url(),
  device_authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  revocation_endpoint: z.url(),
});
const codeSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number(),
  interval: z.number().default(5),
});
const tokenSchema = z.object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number() });
const spendSchema = z.object({
  month_usd: z.string(),
  month_resets_at: z.string(),
  budget: z.object({ limit_usd: z.string(), left_usd: z.string(), resets_at: z.string().optional() }).optional(),
});
const errorSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/** What the server refused, or why it could not be reached; the message is for people. */
export class LoginError extends Error {
  override readonly name = 'LoginError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface DeviceClientOptions {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly nowMs: () => number;
}

interface DeviceCode {
  readonly userCode: string;
  readonly page: string;
  /** The page with the code filled in. */
  readonly pageWithCode: string;
}

/** What `url` names beside itself must be there too: codes and refresh tokens are sent to it. */
function requireSameServer(url: string, named: readonly (string | undefined)[]): void {
  const { origin } = new URL(url);
  const other = named.find((each) => each !== undefined && URL.parse(each)?.origin !== origin);
  if (other === undefined) return;
  const advice = 'Its operator should set server.public_url to the URL that you use.';
  throw new LoginError('other_server', `${url} names ${URL.parse(other)?.origin ?? other} as its own URL. ${advice}`);
}

/** RFC 8414 section 3.3: metadata of another issuer must not be used. */
function requireIssuer(url: string, issuer: string): void {
  requireSameServer(url, [issuer]);
  const plain = (text: string): string => text.replace(/\/+$/, '');
  if (plain(issuer) === plain(url)) return;
  throw new LoginError('other_server', `This Weir has the URL ${issuer}. Run weir login --url ${issuer}`);
}

export function createDeviceClient({ fetch, sleep, nowMs }: DeviceClientOptions) {
  async function ask<Reply>(
    schema: z.ZodType<Reply>,
    url: string,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const body = form && new URLSearchParams(form);
    let reply: Response;
    try {
      const signal = AbortSignal.timeout(requestTimeoutMs);
      reply = await fetch(url, {
        method: form === undefined ? 'GET' : 'POST',
        redirect: 'error',
        signal,
        headers,
        ...(body && { body }),
      });
    } catch (cause) {
      throw new LoginError('unreachable', `${url} did not answer: ${cause instanceof Error ? cause.message : cause}`);
    }
    const tree: unknown = await reply.json().catch(() => undefined);
    const parsed = schema.safeParse(tree);
    if (reply.ok && parsed.success) return parsed.data;
    const refused = errorSchema.safeParse(tree);
    if (refused.success) throw new LoginError(refused.data.error, refused.data.error_description ?? refused.data.error);
    throw new LoginError('unexpected', `${url} returned ${reply.status}. Is this the URL of a Weir?`);
  }

  const loginOf = (
    place: Pick<Login, 'url' | 'tokenEndpoint' | 'revocationEndpoint'>,
    given: z.infer<typeof tokenSchema>,
  ) => ({
    ...place,
    accessToken: given.access_token,
    refreshToken: given.refresh_token,
    expiresAtMs: nowMs() + given.expires_in * 1_000,
  });

  return {
    /** Returns once the person approved; throws a LoginError otherwise. */
    async signIn(url: string, show: (code: DeviceCode) => void): Promise<Login> {
      const found = await ask(metadataSchema, `${url}/.well-known/oauth-authorization-server`);
      requireIssuer(url, found.issuer);
      requireSameServer(url, [found.device_authorization_endpoint, found.token_endpoint, found.revocation_endpoint]);
      const code = await ask(codeSchema, found.device_authorization_endpoint, { client_id: clientId });
      requireSameServer(url, [code.verification_uri, code.verification_uri_complete]);
      show({
        userCode: code.user_code,
        page: code.verification_uri,
        pageWithCode: code.verification_uri_complete ?? code.verification_uri,
      });
      const place = { url, tokenEndpoint: found.token_endpoint, revocationEndpoint: found.revocation_endpoint };
      const form = { grant_type: deviceGrant, device_code: code.device_code, client_id: clientId };
      for (let waitMs = code.interval * 1_000; ; ) {
        await sleep(waitMs);
        try {
          return loginOf(place, await ask(tokenSchema, found.token_endpoint, form));
        } catch (error) {
          if (!(error instanceof LoginError)) throw error;
          if (error.code === 'slow_down') waitMs += slowDownMs;
          // A server that restarts loses no code: only its own answers end the wait.
          else if (error.code !== 'authorization_pending' && error.code !== 'unreachable') throw error;
        }
      }
    },
    async renew(login: Login): Promise<Login> {
      // The file may be older than this rule.
      requireSameServer(login.url, [login.tokenEndpoint]);
      const form = { grant_type: 'refresh_token', refresh_token: login.refreshToken, client_id: clientId };
      return loginOf(login, await ask(tokenSchema, login.tokenEndpoint, form));
    },
    /** One line for the status line of a coding agent. */
    async spend({ url, accessToken }: Login): Promise<z.infer<typeof spendSchema>> {
      return ask(spendSchema, `${url}/managed/spend`, undefined, { authorization: `Bearer ${accessToken}` });
    },
    async revoke(login: Login): Promise<void> {
      requireSameServer(login.url, [login.revocationEndpoint]);
      const form = { token: login.refreshToken, token_type_hint: 'refresh_token', client_id: clientId };
      await ask(z.object({}), login.revocationEndpoint, form);
    },
  };
}

export type DeviceClient = ReturnType<typeof createDeviceClient>;
