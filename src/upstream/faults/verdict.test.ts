import { describe, expect, test } from 'bun:test';
import { createScrubber } from '../../secrets/scrubber.ts';
import { readRetryAfter, verdictOfFault, verdictOfStatus, verdictOfThrow } from './verdict.ts';

const secret = 'sk-live-0123456789abcdef';
const scrub = createScrubber([secret]);
const judge = (status: number, fault = {}, retryAfter: string | null = null) =>
  verdictOfStatus({
    status,
    fault: { message: 'said', type: undefined, code: undefined, param: undefined, ...fault },
    retryAfter,
    provider: 'up',
    scrub,
    nowMs: 0,
  });

describe('a status', () => {
  test.each([
    [400, 'request-fault', 400],
    [404, 'cannot-serve', 404],
    [405, 'cannot-serve', 405],
    [410, 'cannot-serve', 410],
    [421, 'cannot-serve', 421],
    [425, 'cannot-serve', 425],
    [413, 'too-large', 413],
    [408, 'uncertain', 502],
    [409, 'uncertain', 502],
    [422, 'request-fault', 422],
    [401, 'key-refused', 503],
    [402, 'key-dead', 503],
    [403, 'forbidden', 403],
    [429, 'key-cooling', 429],
    [503, 'target-cooling', 503],
    [529, 'target-cooling', 503],
    [500, 'uncertain', 502],
    [302, 'uncertain', 502],
  ] as const)('%d is %s and becomes %d', (status, kind, answered) => {
    const verdict = judge(status);
    expect([verdict.kind, verdict.error.status]).toEqual([kind, answered]);
  });

  test.each([
    [{ message: 'Incorrect API key provided' }, true],
    [{ message: 'no', code: 'invalid_api_key' }, true],
    [{ message: 'no', type: 'authentication_error' }, true],
    [{ message: 'Provider returned error', code: '401' }, false],
    [{ message: 'Unauthorized' }, false],
  ])('a 401 that says %p names the key: %p', (fault, expected) => {
    expect(judge(401, fault).namesKey === true).toBe(expected);
  });

  test("a refusal keeps the provider's own words", () => {
    const { error } = judge(400, {
      message: 'too long',
      code: 'context_length_exceeded',
      type: 'x',
      param: 'messages',
    });
    expect([error.message, error.providerCode, error.providerType, error.param]).toEqual([
      'too long',
      'context_length_exceeded',
      'x',
      'messages',
    ]);
  });

  test('no field of it shows the key', () => {
    const { error } = judge(400, { message: `bad ${secret}`, code: secret, type: secret, param: secret });
    expect(JSON.stringify([error.message, error.providerCode, error.providerType, error.param])).not.toContain(secret);
  });

  test('the key is taken out before a long message is cut', () => {
    for (let before = 1_970; before < 2_005; before++) {
      const { message } = judge(400, { message: `${'.'.repeat(before)} ${secret}` }).error;
      expect(message).not.toContain(secret.slice(0, 8));
      expect(message.length).toBeLessThanOrEqual(2_001);
    }
  });

  test('our own key is never blamed on the caller', () => {
    expect(judge(401, { message: `Incorrect API key ${secret}` }).error.message).not.toContain('Incorrect');
  });

  test('Retry-After is passed on', () => {
    expect(judge(429, {}, '7').error.retryAfterMs).toBe(7_000);
  });
});

test.each([
  ['7', 7_000],
  ['0.5', 500],
  ['Thu, 01 Jan 1970 00:00:09 GMT', 9_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  ['999999', 3_600_000],
])('Retry-After %p is %p', (value, expected) => {
  expect(readRetryAfter(value, 0)).toBe(expected as number);
});

test.each([
  [`key ${secret} is wrong`, 'key [key] is wrong'],
  ['key sk-li***********cdef is wrong', 'key [key] is wrong'],
  ['another sk-proj-aaaaaaaaaaaaaaaaaaaaaaaa here', 'another [key] here'],
  ['line\r\n\u0000forged', 'line \n forged'],
])('%p is shown as %p', (message, shown) => {
  expect(scrub(message)).toBe(shown);
});

test('a connection error before sending differs from a broken connection', () => {
  const thrown = (code: string) => Object.assign(new Error('x'), { code });
  expect(verdictOfThrow(thrown('ECONNREFUSED'), 'up').kind).toBe('target-down');
  expect(verdictOfThrow(thrown('ECONNRESET'), 'up').kind).toBe('uncertain');
  expect(verdictOfThrow(new Error('odd'), 'up').kind).toBe('uncertain');
});

describe('an error as an event of a stream', () => {
  test.each([
    ['rate_limit_error', 'key-cooling', 429],
    ['RESOURCE_EXHAUSTED', 'key-cooling', 429],
    ['overloaded_error', 'target-cooling', 503],
    ['UNAVAILABLE', 'target-cooling', 503],
    ['api_error', 'uncertain', 502],
    [undefined, 'uncertain', 502],
  ] as const)('%s is %s and becomes %d', (type, kind, status) => {
    const fault = { message: `no, ${secret}`, type, code: undefined, param: undefined };
    const verdict = verdictOfFault(fault, 'up', scrub);
    expect([verdict.kind, verdict.error.status, verdict.error.message]).toEqual([kind, status, 'no, [key]']);
  });
});
