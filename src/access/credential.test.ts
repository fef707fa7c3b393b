/** Every carrier on its own, together with others, and in every odd spelling. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../conversation/gateway-error.ts';
import { type Carrier, readCredential } from './credential.ts';

const all: readonly Carrier[] = ['bearer', 'x-api-key', 'api-key', 'x-goog-api-key', 'query-key', 'subprotocol'];

function outcome(headers: Record<string, string>, query = '', carriers: readonly Carrier[] = all): string {
  try {
    return readCredential(new Headers(headers), query, carriers);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.message).not.toContain('CANARY');
    return `error ${error.code}`;
  }
}

describe('bearer', () => {
  test.each([
    'Bearer CANARY',
    'bearer CANARY',
    'BEARER CANARY',
    'Bearer  CANARY',
    'Bearer\tCANARY',
    'Bearer \t CANARY  ',
  ])('reads %p', (authorization) => {
    expect(outcome({ authorization })).toBe('CANARY');
    expect(outcome({ authorization }, '', [])).toBe('CANARY');
  });

  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic CANARY',
    'BearerCANARY',
    'CANARY',
    'Bearer: CANARY',
    'Digest a=CANARY',
  ])('finds nothing in %p', (authorization) => {
    expect(outcome({ authorization })).toBe('error token_missing');
  });

  test('two headers at once are not read as one of them', () => {
    const headers = new Headers([
      ['authorization', 'Bearer CANARY'],
      ['authorization', 'Bearer OTHER'],
    ]);
    expect(readCredential(headers, '', all)).toBe('CANARY, Bearer OTHER');
  });

  test('says what to send, for the carriers of the endpoint', () => {
    expect(() => readCredential(new Headers(), '', ['bearer', 'x-api-key'])).toThrow(
      'The request has no token: send `Authorization: Bearer <token>` or `x-api-key: <token>`.',
    );
    expect(() => readCredential(new Headers({ authorization: 'Basic eA==' }), '', [])).toThrow('Bearer scheme');
    expect(() => readCredential(new Headers({ authorization: 'Bearer ' }), '', [])).toThrow('has no token');
  });
});

describe('other carriers', () => {
  test('each is read where it is listed and ignored where it is not', () => {
    const cases: readonly [Carrier, Record<string, string>, string][] = [
      ['x-api-key', { 'x-api-key': ' CANARY ' }, ''],
      ['api-key', { 'api-key': 'CANARY' }, ''],
      ['x-goog-api-key', { 'x-goog-api-key': 'CANARY' }, ''],
      ['query-key', {}, '?key=CANARY'],
      ['subprotocol', { 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.CANARY' }, ''],
    ];
    for (const [carrier, headers, query] of cases) {
      expect(outcome(headers, query, [carrier])).toBe('CANARY');
      expect(
        outcome(
          headers,
          query,
          all.filter((other) => other !== carrier),
        ),
      ).toBe('error token_missing');
    }
  });

  test.each([
    ['key=CANARY', 'CANARY'],
    ['?alt=sse&key=CANARY', 'CANARY'],
    ['?key=CANARY&key=CANARY', 'CANARY'],
    ['?key=CAN%41RY', 'CANARY'],
    ['?%6bey=CANARY', 'CANARY'],
    ['?key=a+b%2B', 'a+b+'],
    ['?key=a=b', 'a=b'],
    ['?key=%', '%'],
    ['?key=%E0%A4%A', '%E0%A4%A'],
    ['?key=CANARY&key=OTHER', 'error credentials_conflict'],
    ['?key=', 'error token_missing'],
    ['?key', 'error token_missing'],
    ['?monkey=CANARY', 'error token_missing'],
    ['?Key=CANARY', 'error token_missing'],
    ['?', 'error token_missing'],
    ['?&&&', 'error token_missing'],
  ])('the query %p gives %p', (query, expected) => {
    expect(outcome({}, query, ['query-key'])).toBe(expected);
  });
});

describe('several at once', () => {
  const authorization = 'Bearer CANARY';

  test('the same token twice is one token', () => {
    expect(outcome({ authorization, 'x-api-key': 'CANARY' }, '?key=CANARY')).toBe('CANARY');
  });

  test('two different ones conflict, in every pair', () => {
    expect(outcome({ authorization, 'x-api-key': 'CANARY2' })).toBe('error credentials_conflict');
    expect(outcome({ authorization }, '?key=CANARY2')).toBe('error credentials_conflict');
    expect(outcome({ 'x-api-key': 'CANARY', 'x-goog-api-key': 'CANARY2' })).toBe('error credentials_conflict');
    expect(outcome({ authorization, 'sec-websocket-protocol': 'openai-insecure-api-key.CANARY2' })).toBe(
      'error credentials_conflict',
    );
  });

  test('with an empty or foreign Authorization header the other carrier counts', () => {
    expect(outcome({ authorization: 'Bearer ', 'x-api-key': 'CANARY' })).toBe('CANARY');
    expect(outcome({ authorization: 'Basic eA==', 'x-api-key': 'CANARY' })).toBe('CANARY');
  });

  test('a credential in a carrier that the endpoint does not take does not count, but is compared', () => {
    const others: readonly [Record<string, string>, string][] = [
      [{ 'x-api-key': 'CANARY2' }, ''],
      [{ 'x-goog-api-key': 'CANARY2' }, ''],
      [{ 'api-key': 'CANARY2' }, ''],
      [{}, '?key=CANARY2'],
      [{ 'sec-websocket-protocol': 'openai-insecure-api-key.CANARY2' }, ''],
    ];
    for (const [headers, query] of others) {
      expect(outcome(headers, query, ['bearer'])).toBe('error token_missing');
      expect(outcome({ authorization, ...headers }, query, ['bearer'])).toBe('error credentials_conflict');
      const equal = { authorization: 'Bearer CANARY2', ...headers };
      expect(outcome(equal, query, ['bearer'])).toBe('CANARY2');
    }
  });
});
