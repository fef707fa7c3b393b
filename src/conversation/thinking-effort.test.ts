import { expect, test } from 'bun:test';
import { budgetOfEffort, effortOfBudget } from './thinking-effort.ts';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

test('a word survives the conversion to tokens and back', () => {
  expect(efforts.map((effort) => effortOfBudget(budgetOfEffort(effort) ?? -1))).toEqual(efforts);
});

test('a larger word is a larger budget', () => {
  const budgets = efforts.map((effort) => budgetOfEffort(effort) ?? Number.NaN);
  expect(budgets).toEqual([...budgets].sort((one, other) => one - other));
  expect(new Set(budgets).size).toBe(efforts.length);
});

test('every budget has a word, and an unknown word has no budget', () => {
  const words = [-1, 0, 1, 1_023, 1_024, 4_095, 4_096, 31_999, 57_344, 1e9].map(effortOfBudget);
  expect(words).toEqual(['none', 'none', 'minimal', 'minimal', 'low', 'low', 'medium', 'high', 'max', 'max']);
  expect(budgetOfEffort('enormous')).toBeUndefined();
});
