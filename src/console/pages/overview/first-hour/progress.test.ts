/** Proves which steps of the first hour count as done. */

import { expect, test } from 'bun:test';
import { hasOwnToken, isComplete, servingNames } from './progress.ts';

const sandbox = { name: 'sandbox', origin: 'built-in', state: 'serving' } as const;

test('a provider counts where it serves; the built-in one, a paused and a disabled one do not', () => {
  const models = [{ providers: ['sandbox', 'up'] }];
  expect(servingNames([sandbox], models)).toEqual([]);
  expect(
    servingNames(
      [
        { name: 'one', origin: 'console', state: 'serving' },
        { name: 'two', origin: 'file', state: 'paused' },
        { name: 'three', origin: 'environment', state: 'disabled' },
        sandbox,
      ],
      models,
    ),
  ).toEqual(['one']);
});

test('an account that may not list providers sees those of its models', () => {
  const models = [{ providers: ['sandbox'] }, { providers: ['up', 'sandbox'] }, { providers: ['up'] }];
  expect(servingNames(undefined, models)).toEqual(['up']);
});

test('a token counts where a person created it or it was used, unless it is revoked or the playground’s', () => {
  const first = { id: 'tok_1', state: 'active' } as const;
  expect(hasOwnToken([first])).toBe(false);
  expect(hasOwnToken([{ ...first, lastUsedAt: '2026-11-16T00:00:00Z' }])).toBe(true);
  expect(hasOwnToken([{ ...first, ownerName: 'Ada' }])).toBe(true);
  expect(hasOwnToken([{ ...first, ownerName: 'Ada', state: 'revoked' }])).toBe(false);
  expect(hasOwnToken([{ id: 'tok_playground_00ff', state: 'active', ownerName: 'Ada' }])).toBe(false);
});

test('all four steps make it complete', () => {
  const done = { isCopied: true, providers: ['up'], hasToken: true, requestId: 'req_1' };
  expect(isComplete(done)).toBe(true);
  for (const missing of [{ isCopied: false }, { providers: [] }, { hasToken: false }, { requestId: undefined }]) {
    expect(isComplete({ ...done, ...missing })).toBe(false);
  }
});
