/** Access tokens: what is sent for one, how long it is kept, and what is said when there is none. */

import { describe, expect, test } from 'bun:test';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import { replyFromResponse } from '../../upstream/from-response.ts';
import type { UpstreamRequest } from '../../upstream/transport.ts';
import { createTokenSource } from './service-account.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = {
  client_email: 'weir@project.example',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  private_key_id: 'key-id',
  token_uri: 'https://tokens.example/token',
};
const key = { id: 'k', value: JSON.stringify(account) };
const scope = 'https://scopes.example/all';
const startMs = Date.parse('2026-11-15T00:00:00Z');

function source(answer: (count: number) => Response | Promise<Response>) {
  const clock = { nowMs: startMs };
  const requests: UpstreamRequest[] = [];
  const tokens = createTokenSource({ nowMs: () => clock.nowMs });
  const up = {
    name: 'up',
    async transport(request: UpstreamRequest) {
      requests.push(request);
      return replyFromResponse(await answer(requests.length));
    },
  };
  return { clock, requests, tokens, up, ask: () => tokens.tokenFor(key, scope, up) };
}

const granted = (count: number) => Response.json({ access_token: `token-${count}`, expires_in: 3600 });
const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));

async function failureOf(promise: string | Promise<string>): Promise<AttemptFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof AttemptFailure) return error;
  }
  throw new Error('no failure');
}

describe('an access token', () => {
  test('is asked for with a signed statement', async () => {
    const { requests, ask } = source(granted);
    expect(await ask()).toBe('token-1');
    const [request] = requests;
    expect([request?.method, request?.url]).toEqual(['POST', account.token_uri]);
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    const form = new URLSearchParams(String(request?.body));
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [head, claims, signature] = (form.get('assertion') ?? '').split('.');
    expect(decoded(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-id' });
    expect(decoded(claims)).toEqual({
      iss: account.client_email,
      scope,
      aud: account.token_uri,
      iat: startMs / 1000,
      exp: startMs / 1000 + 3600,
    });
    const verifier = createVerify('RSA-SHA256').update(`${head}.${claims}`);
    expect(verifier.verify(publicKey, Buffer.from(signature ?? '', 'base64url'))).toBe(true);
  });

  test('is kept until shortly before it expires, and then at hand at once', async () => {
    const { clock, requests, ask } = source(granted);
    await ask();
    clock.nowMs = startMs + 3_600_000 - 120_001;
    expect(ask()).toBe('token-1');
    clock.nowMs += 1;
    expect(await ask()).toBe('token-2');
    expect(requests).toHaveLength(2);
  });

  test('is asked for once by all who wait', async () => {
    const { requests, ask } = source(granted);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['token-1', 'token-1', 'token-1']);
    expect(requests).toHaveLength(1);
  });

  test('that failed to come is asked for again', async () => {
    const { ask } = source((count) => (count === 1 ? new Response('busy', { status: 503 }) : granted(count)));
    await failureOf(ask());
    expect(await ask()).toBe('token-2');
  });
});

describe('a refusal', () => {
  test('of the account sets its key aside and says why', async () => {
    const { ask } = source(() =>
      Response.json({ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }, { status: 400 }),
    );
    const { verdict } = await failureOf(ask());
    expect(verdict.kind).toBe('key-dead');
    expect(verdict.error.message).toBe(
      'No access token for the provider up: the token server answered 400 (invalid_grant: Invalid JWT Signature.).',
    );
  });

  test('of a server in trouble lets another candidate be asked', async () => {
    for (const status of [429, 500, 503]) {
      const { ask } = source(() => new Response('<html>', { status }));
      expect((await failureOf(ask())).verdict.kind).toBe('target-down');
    }
    const { ask } = source(() => Promise.reject(new Error('no route')));
    expect((await failureOf(ask())).message).toContain('the token server could not be reached');
  });

  test('is also a reply without a token, and a key that is none', async () => {
    expect((await failureOf(source(() => Response.json({})).ask())).verdict.kind).toBe('target-down');
    const { tokens, requests, up } = source(granted);
    const broken = { ...account, private_key: '-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----' };
    for (const value of ['sk-plain', JSON.stringify(broken)]) {
      const failure = await failureOf(tokens.tokenFor({ id: 'x', value }, scope, up));
      expect([failure.verdict.kind, failure.message.includes('SECRET')]).toEqual(['key-dead', false]);
    }
    expect(requests).toHaveLength(0);
  });
});
