/** The form of limits: what it shows, what it refuses, and what it sends. */

import { expect, test } from 'bun:test';
import { newBudget } from '../../terms/budget-form.ts';
import { termsChanges, termsFormOf, termsMistakes } from './terms-form.ts';

const words = { limit: 'limit', count: 'count', raise: 'raise' };

const view = {
  budgets: [
    {
      id: 'b2',
      unit: 'usd' as const,
      limit: '5.00',
      period: 'month' as const,
      raise: { limit: '7.00', until: '2031-01-31T23:59:59.000Z' },
      spent: '1.00',
      held: '0.00',
      left: '4.00',
      share: 0.2,
    },
  ],
  rpm: 60,
  models: ['gpt-*'],
};

test('what was not touched is not sent', () => {
  const form = termsFormOf(view);
  expect(termsChanges(form, form)).toEqual({});
  expect(termsChanges(form, { ...form, rpm: ' 1,000 ' })).toEqual({ rpm: 1000 });
  expect(termsChanges(form, { ...form, rpm: '', models: '', labels: 'eu, eu' })).toEqual({
    rpm: null,
    models: null,
    labels: ['eu'],
  });
});

test('hosted tools are the default, none, or a list', () => {
  const form = termsFormOf(view);
  const changed = (choice: 'default' | 'none' | 'listed', list = '') =>
    termsChanges(form, { ...form, tools: { choice, list } });
  expect([changed('default', 'x'), changed('none', 'x'), changed('listed', 'web_*, x')]).toEqual([
    {},
    { tools: [] },
    { tools: ['web_*', 'x'] },
  ]);
  expect(termsChanges(termsFormOf({ tools: [] }), form)).toMatchObject({ tools: null });
  expect(termsFormOf({ tools: ['a', 'b'] }).tools).toEqual({ choice: 'listed', list: 'a\nb' });
});

test('a budget keeps its id, and a new one has none', () => {
  const form = termsFormOf(view);
  const added = { ...newBudget('new'), unit: 'tokens' as const, limit: '1 000', models: 'gpt-4.1' };
  expect(termsChanges(form, { ...form, budgets: [...form.budgets, added] })).toEqual({
    budgets: [
      {
        id: 'b2',
        unit: 'usd',
        limit: '5.00',
        period: 'month',
        raise: { limit: '7.00', until: '2031-01-31T23:59:59Z' },
      },
      { unit: 'tokens', limit: '1000', period: 'month', models: ['gpt-4.1'] },
    ],
  });
  expect(termsChanges(form, { ...form, budgets: [] })).toEqual({ budgets: [] });
});

test('mistakes are named at their fields', () => {
  const form = {
    ...termsFormOf(view),
    rpm: '0',
    budgets: [newBudget('a'), { ...newBudget('b'), limit: '5', raiseLimit: '4' }],
  };
  expect(termsMistakes(form, words)).toEqual({
    rpm: 'count',
    'budgets.0.limit': 'limit',
    'budgets.1.raise': 'raise',
  });
  expect(termsMistakes(termsFormOf(view), words)).toEqual({});
});

test('terms for end users are sent as a whole, and none where they are off', () => {
  const none = termsFormOf({});
  const budget = { ...newBudget('k'), unit: 'requests' as const, limit: '50', period: 'day' as const };
  const limited = { ...none, endUsers: { limited: true, budgets: [budget], rpm: '', max: '1 000' } };
  const endUsers = { budgets: [{ unit: 'requests', limit: '50', period: 'day' }], rpm: null, max: 1_000 };
  expect(termsChanges(none, limited)).toEqual({ endUsers });
  const kept = termsFormOf({ endUsers: { rpm: 5 } });
  expect(termsChanges(kept, kept)).toEqual({});
  expect(termsChanges(kept, { ...kept, endUsers: { ...kept.endUsers, limited: false } })).toEqual({ endUsers: null });
  const wrong = { ...limited.endUsers, max: 'many', budgets: [{ ...budget, limit: '' }] };
  expect(termsMistakes({ ...limited, endUsers: wrong }, words)).toEqual({
    'endUsers.max': 'count',
    'endUsers.budgets.0.limit': 'limit',
  });
  expect(termsMistakes({ ...limited, endUsers: { ...wrong, limited: false } }, words)).toEqual({});
});
