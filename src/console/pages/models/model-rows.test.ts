/** Proves which models are listed, what finds them, and that a price for a million tokens keeps every digit. */

import { expect, test } from 'bun:test';
import type { ModelView } from '../../../admin/contracts/account-contract.ts';
import type { RouteView } from '../../../admin/contracts/configuration-contract.ts';
import { matchingRows, modelRows, nanoPerMillion } from './model-rows.ts';

const model = (id: string, alias = false): ModelView => ({
  id,
  alias,
  providers: ['near'],
  targets: [{ provider: 'near', model: id, tier: 0, weight: 1, state: 'healthy' }],
  health: { state: 'healthy' },
  operations: ['embed'],
});
const route = (alias: string, problem?: string): RouteView => ({
  alias,
  origin: 'console',
  originText: '',
  locked: false,
  entry: {
    targets: [
      { provider: 'far', model: 'x' },
      { provider: 'far', model: 'y' },
    ],
  },
  ...(problem !== undefined && { problem }),
});

const rows = modelRows(
  [model('zeta'), model('beta', true), model('alpha')],
  [route('beta'), route('any-*'), route('lost', 'no such provider')],
);

test('aliases first, each name once, and routes that are not served by name too', () => {
  expect(rows.map(({ id, kind, isServed }) => [id, kind, isServed])).toEqual([
    ['any-*', 'pattern', true],
    ['beta', 'alias', true],
    ['lost', 'alias', false],
    ['alpha', 'own', true],
    ['zeta', 'own', true],
  ]);
  expect(rows[0]?.providers).toEqual(['far']);
});

test('words find by name, provider, operation and what an operation is called', () => {
  const ids = (text: string, kind = 'all') =>
    matchingRows(rows, { text, kind, operationText: (name) => (name === 'embed' ? '嵌入' : name) }).map(({ id }) => id);
  expect(ids('')).toHaveLength(5);
  expect(ids('', 'own')).toEqual(['alpha', 'zeta']);
  expect(ids('', 'alias')).toEqual(['any-*', 'beta', 'lost']);
  expect(ids('NEAR zet')).toEqual(['zeta']);
  expect(ids('嵌入')).toEqual(['beta', 'alpha', 'zeta']);
  expect(ids('far any')).toEqual(['any-*']);
});

test('a price for each token is one for a million, to the last digit', () => {
  expect(nanoPerMillion('0.0000025')).toBe('2500000000');
  expect(nanoPerMillion('0.000000075')).toBe('75000000');
  expect(nanoPerMillion('5e-7')).toBe('500000000');
  expect(nanoPerMillion('0')).toBe('0');
  expect(nanoPerMillion('1')).toBe('1000000000000000');
  expect(nanoPerMillion('unknown')).toBeUndefined();
});

test('a row says whose price it is, also where nobody knows one', () => {
  const guessed = { ...model('alpha'), pricing: { prompt: '1', completion: '2', source: 'guess' } } as const;
  const models = [guessed, { ...model('beta'), pricing: { source: 'unknown' } } as const, model('gamma')];
  expect(modelRows(models, []).map(({ priceSource }) => priceSource)).toEqual(['guess', 'unknown', undefined]);
});
