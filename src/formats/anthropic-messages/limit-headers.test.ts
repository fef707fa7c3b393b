import { expect, test } from 'bun:test';
import { limitHeaders } from './limit-headers.ts';

const nowMs = Date.parse('2026-11-17T10:00:00.000Z');

test('limits have the names and the times of this format', () => {
  const given = {
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1m0.25s',
    'x-ratelimit-limit-tokens': '1000',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': '120ms',
  };
  expect(limitHeaders(given, nowMs)).toEqual({
    'anthropic-ratelimit-requests-limit': '60',
    'anthropic-ratelimit-requests-remaining': '59',
    'anthropic-ratelimit-requests-reset': '2026-11-17T10:01:00Z',
    'anthropic-ratelimit-tokens-limit': '1000',
    'anthropic-ratelimit-tokens-remaining': '0',
    'anthropic-ratelimit-tokens-reset': '2026-11-17T10:00:00Z',
  });
});

test('what has no limit has no header', () => {
  expect(limitHeaders({ 'x-weir-budget-left': '1' }, nowMs)).toEqual({});
});
