/** Calls with JSON Web Tokens, and honest claims for them. */

import type { FakeIssuer } from './fake-issuer.ts';

export const jwtAudience = 'https://models.example';
export const nowS = (): number => Math.floor(Date.now() / 1_000);

type Claims = Record<string, unknown>;

/** What an honest JWT has; undefined removes a claim. */
export function claimsOf({ url }: Pick<FakeIssuer, 'url'>, claims: Claims = {}): Claims {
  const all = { iss: url, sub: 'ci', aud: jwtAudience, iat: nowS(), exp: nowS() + 300, jti: crypto.randomUUID() };
  return Object.fromEntries(Object.entries({ ...all, ...claims }).filter(([, value]) => value !== undefined));
}

export interface JwtReply {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly body: Record<string, unknown>;
}

export async function callWith(url: string, headers: Record<string, string>, body?: object): Promise<JwtReply> {
  const reply = await fetch(url, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const read = (await reply.json()) as Record<string, unknown>;
  const { code = '', message = '' } = (read['error'] ?? {}) as { code?: string; message?: string };
  return { status: reply.status, code: String(code), message, body: read };
}

export const bearer = (jwt: string): Record<string, string> => ({ authorization: `Bearer ${jwt}` });
export const hello = (model: string) => ({ model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] });
