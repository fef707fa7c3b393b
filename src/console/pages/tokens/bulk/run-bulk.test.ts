/** Proves that one change of many tokens sends what was meant for each, and that a failure stops none of the others. */

import { expect, test } from 'bun:test';
import type { OwnedTokenView } from '../../../../admin/contracts/account-contract.ts';
import { bulkChange, runBulk } from './run-bulk.ts';

const given = { expiresAt: '2030-01-31T23:59:59.000Z', label: 'eu' };

test('each action becomes what the admin interface takes', () => {
  expect(bulkChange('disable', {}, given)).toEqual({ disabled: true });
  expect(bulkChange('enable', {}, given)).toEqual({ disabled: false });
  expect(bulkChange('expiry', {}, given)).toEqual({ expiresAt: given.expiresAt });
  expect(bulkChange('expiry', {}, { ...given, expiresAt: null })).toEqual({ expiresAt: null });
  expect(bulkChange('label', { labels: ['team-a'] }, given)).toEqual({ labels: ['team-a', 'eu'] });
  expect(bulkChange('label', { labels: ['eu'] }, given)).toBeUndefined();
  expect(bulkChange('revoke', {}, given)).toBeNull();
});

test('all are tried, few at a time, and those that failed are named', async () => {
  const tokens = Array.from({ length: 20 }, (_, index) => ({ id: `tok_${index}`, name: `${index}` }) as OwnedTokenView);
  const tried: string[] = [];
  let running = 0;
  let most = 0;
  const outcome = await runBulk(tokens, async ({ id, name }) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    tried.push(id);
    running--;
    if (Number(name) % 7 === 3) throw new Error(`not ${name}`);
  });
  expect(tried.sort()).toEqual(tokens.map(({ id }) => id).sort());
  expect(most).toBeLessThanOrEqual(4);
  expect(outcome.done).toBe(17);
  expect(outcome.failures.map(({ token, error }) => `${token.id} ${(error as Error).message}`).sort()).toEqual([
    'tok_10 not 10',
    'tok_17 not 17',
    'tok_3 not 3',
  ]);
});
