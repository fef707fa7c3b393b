/** Each way of giving a request its credential, and that the common ones wait for nothing. */

import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { replyFromResponse } from '../../upstream/from-response.ts';
import type { Transport } from '../../upstream/transport.ts';
import { type Provider, providerOf } from '../assemble.ts';
import type { Auth } from '../provider.ts';
import { type Authorizer, createAuthorizer, hasFixedHeaders } from './authorize.ts';
import { signRequest } from './sigv4.ts';

const nowMs = Date.parse('2026-11-15T01:02:03Z');
const unused = () => Promise.reject(new Error('unused'));

function authorizer(): Authorizer {
  return createAuthorizer({ nowMs: () => nowMs });
}

function provider(
  auth: Auth,
  settings: Record<string, string> = {},
  headers: Record<string, string> = {},
  transport: Transport = unused,
): Provider {
  return providerOf({
    preset: {
      name: 'up',
      label: 'up',
      baseUrl: 'http://127.0.0.1:1',
      keyVariables: [],
      auth,
      formats: { 'openai-chat': '/chat/completions' },
      settings: { region: { variables: [] } },
    },
    name: 'up',
    baseUrl: 'http://127.0.0.1:1',
    keys: [],
    headers,
    models: undefined,
    settings,
    transport,
  });
}

const request = { method: 'POST', url: 'http://127.0.0.1:1/model/a%3A0/invoke', body: '{}' } as const;
const key = (value: string) => ({ id: 'k', value });
const sigv4: Auth = { style: 'aws-sigv4', service: 'service' };
const accessKey = 'AKIAIOSFODNN7EXAMPLE:secret/with+signs';

describe('at once', () => {
  const rows: readonly [string, Auth, string, Record<string, string>][] = [
    ['a bearer', { style: 'bearer' }, 'k1', { authorization: 'Bearer k1' }],
    ['a header', { style: 'header', header: 'x-key', prefix: 'Key ' }, 'k1', { 'x-key': 'Key k1' }],
    ['nothing', { style: 'none' }, 'k1', {}],
    ['nothing for no key', { style: 'bearer' }, '', {}],
    [
      'an API key where tokens could be signed',
      { style: 'jwt-hs256' },
      'sk-plain',
      { authorization: 'Bearer sk-plain' },
    ],
    ['an API key where requests could be signed', sigv4, 'ABSKabc=', { authorization: 'Bearer ABSKabc=' }],
  ];
  for (const [name, auth, value, expected] of rows) {
    test(name, () => {
      const headers = authorizer().headersFor(provider(auth, {}, { 'x-team': 'a' }), key(value), request);
      expect(headers).toEqual({ ...expected, 'x-team': 'a' });
    });
  }

  test('a signature over method, address, body and headers of its family', () => {
    const operator = { 'X-Amz-Guard': 'on', host: 'inner.example', 'x-team': 'a' };
    const up = provider(sigv4, { region: 'eu-west-1' }, operator);
    const signed = signRequest(
      { ...request, headers: { 'x-amz-guard': 'on', host: 'inner.example' } },
      { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'secret/with+signs', sessionToken: 'session' },
      { region: 'eu-west-1', service: 'service' },
      nowMs,
    );
    expect(authorizer().headersFor(up, key(`${accessKey}:session`), request)).toEqual({ ...operator, ...signed });
    expect(signed['authorization']).toContain('host;x-amz-date;x-amz-guard;x-amz-security-token');
  });

  test('a token that a pair signs, the same one for the next request', () => {
    const one = authorizer();
    const up = provider({ style: 'jwt-hs256' }, {}, { 'x-team': 'a' });
    const pair = key('access:signing-secret');
    const headers = one.headersFor(up, pair, request) as Record<string, string>;
    const claims = headers['authorization']?.split('.')[1] ?? '';
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: 'access',
      exp: nowMs / 1_000 + 1_800,
    });
    expect(headers['authorization']).toStartWith('Bearer ');
    expect(headers).toEqual({ authorization: expect.not.stringContaining('signing-secret'), 'x-team': 'a' });
    expect(one.headersFor(up, pair, request)).toEqual(headers);
  });

  test('a clear failure where no region is known', () => {
    expect(() => authorizer().headersFor(provider(sigv4), key(accessKey), request)).toThrow('has no region');
  });
});

test('a token is waited for once and at hand afterwards', async () => {
  const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  const file = JSON.stringify({ client_email: 'a@b.example', private_key: String(pem) });
  const one = authorizer();
  const give = async () => replyFromResponse(Response.json({ access_token: 'token', expires_in: 600 }));
  const up = provider({ style: 'service-account', scope: 's' }, {}, { 'x-team': 'a' }, give);
  const account = key(file);
  const first = one.headersFor(up, account, request);
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toEqual({ authorization: 'Bearer token', 'x-team': 'a' });
  expect(one.headersFor(up, account, request)).toEqual({ authorization: 'Bearer token', 'x-team': 'a' });
});

test('only fixed headers may be kept by the sender', () => {
  expect(hasFixedHeaders({ style: 'bearer' })).toBe(true);
  expect(hasFixedHeaders({ style: 'none' })).toBe(true);
  expect(hasFixedHeaders(sigv4)).toBe(false);
  expect(hasFixedHeaders({ style: 'service-account', scope: 's' })).toBe(false);
  expect(hasFixedHeaders({ style: 'jwt-hs256' })).toBe(false);
});
