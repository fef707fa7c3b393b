import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { endUserIn, tagsIn } from './named-in-request.ts';

const rules = { endUserHeaders: ['x-first', 'x-second'], tagsFromMetadata: ['job', 'stage'] };
const headersOf = (given: Record<string, string>) => new Headers(given);

test('the first header that names an end user counts, then the body', () => {
  expect(endUserIn(headersOf({ 'x-second': 'b', 'x-first': 'a' }), rules, 'c', 0)).toBe('a');
  expect(endUserIn(headersOf({ 'x-second': 'b', 'x-first': '' }), rules, 'c', 0)).toBe('b');
  expect(endUserIn(headersOf({ other: 'b' }), rules, 'c', 0)).toBe('c');
  expect([endUserIn(headersOf({}), rules, '', 0), endUserIn(headersOf({}), rules, undefined, 0)]).toEqual([
    undefined,
    undefined,
  ]);
});

test('tags come from the header and from the keys of metadata that the operator names', () => {
  const headers = headersOf({ 'x-weir-tags': ' a, b ,,a' });
  expect(tagsIn(headers, rules, { job: 'nightly', stage: 7, other: 'x' })).toEqual(['a', 'b', 'job:nightly']);
  expect(tagsIn(headers, { ...rules, tagsFromMetadata: [] }, { job: 'nightly' })).toEqual(['a', 'b']);
  expect(tagsIn(headersOf({}), rules, { job: 'x,y' })).toEqual(['job:x y']);
  expect(tagsIn(headersOf({ 'x-weir-tags': ' , ' }), rules, undefined)).toBeUndefined();
  expect(tagsIn(headersOf({}), rules, undefined)).toBeUndefined();
});

test('there are at most ten tags of 64 characters', () => {
  const many = Array.from({ length: 30 }, (_, index) => `t${index}`).join(',');
  expect(tagsIn(headersOf({ 'x-weir-tags': many }), rules, undefined)).toHaveLength(10);
  expect(tagsIn(headersOf({ 'x-weir-tags': 'x'.repeat(65) }), rules, undefined)).toEqual(['x'.repeat(64)]);
});

/** As Open WebUI signs it. */
function signed(claims: object, secret = 'a secret of both', alg = 'HS256'): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const statement = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
  return `${statement}.${createHmac('sha256', secret).update(statement).digest('base64url')}`;
}

test('a signed header names the end user before all others, and one that is not valid is refused', () => {
  const nowMs = 1_000_000_000;
  const claims = { iss: 'open-webui', sub: 'user-1', email: 'a@b.example', iat: 999_900, exp: 1_000_200 };
  const of = (token: string, secret: string | undefined = 'a secret of both') => {
    const headers = headersOf({ 'x-openwebui-user-jwt': token, 'x-first': 'claimed' });
    return endUserIn(headers, { ...rules, endUserJwtSecret: secret }, 'c', nowMs);
  };
  expect(of(signed(claims))).toBe('user-1');
  expect(endUserIn(headersOf({ 'x-openwebui-user-jwt': 'x', 'x-first': 'a' }), rules, 'c', nowMs)).toBe('a');
  expect(endUserIn(headersOf({ 'x-first': 'a' }), { ...rules, endUserJwtSecret: 's' }, 'c', nowMs)).toBe('a');
  const wrong = [
    '',
    'x',
    signed(claims, 'another secret'),
    signed(claims, undefined, 'none'),
    `${signed(claims)}.x`,
    signed(claims).replace(/^[^.]*/, Buffer.from('{"alg":"none"}').toString('base64url')),
    signed({ ...claims, iss: 'other' }),
    signed({ ...claims, sub: '' }),
    signed({ ...claims, exp: 999_900 }),
    signed({ ...claims, exp: undefined }),
    `${signed(claims)}${'x'.repeat(5_000)}`,
  ];
  for (const token of wrong) {
    let error: unknown;
    try {
      of(token);
    } catch (thrown) {
      error = thrown;
    }
    expect([token.slice(0, 20), error]).toEqual([token.slice(0, 20), expect.any(GatewayError)]);
    expect((error as GatewayError).code).toBe('header_invalid');
  }
});
