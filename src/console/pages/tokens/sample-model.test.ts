/** Proves which model a snippet names: a real one that the token may use and pay before the sandbox. */

import { expect, test } from 'bun:test';
import { modelFor } from './sample-model.ts';

type Served = Parameters<typeof modelFor>[1][number];

const served = (id: string, fields: Partial<Served> = {}): Served => ({
  id,
  providers: ['up'],
  operations: ['converse'],
  ...fields,
});
const budget = { limitUsd: '5', limitNano: '5000000000', period: 'day' } as const;
const target = { provider: 'up', model: 'm', tier: 0, weight: 1 } as const;
const sandbox = served('sandbox-chat', { providers: ['sandbox'] });

test('a real model comes before the sandbox, and one that converses before one that does not', () => {
  const embedding = served('embed', { operations: ['embed'] });
  expect(modelFor({}, [sandbox, embedding, served('gpt-4.1')])).toBe('gpt-4.1');
  expect(modelFor({}, [embedding, sandbox])).toBe('sandbox-chat');
  expect(modelFor({}, [])).toBe('sandbox-chat');
});

test('it is one that the token may use', () => {
  expect(modelFor({ models: ['claude-*'] }, [served('gpt-4.1'), served('claude-x')])).toBe('claude-x');
  expect(modelFor({ models: ['sandbox-*'] }, [sandbox, served('gpt-4.1')])).toBe('sandbox-chat');
  expect(modelFor({ models: ['only-this'] }, [served('gpt-4.1')])).toBe('only-this');
});

test('one that is down comes after one that is ready, and with a budget one without a price after one with', () => {
  const down = served('down', { targets: [{ ...target, state: 'circuit-open' }] });
  const ready = served('ready', { targets: [{ ...target, state: 'healthy' }] });
  expect(modelFor({}, [down, ready])).toBe('ready');
  const priced = served('priced', { pricing: { source: 'table' } });
  const guessed = served('guessed', { pricing: { source: 'guess' } });
  expect(modelFor({ budget }, [guessed, served('unpriced'), priced])).toBe('priced');
  expect(modelFor({}, [guessed, priced])).toBe('guessed');
});
