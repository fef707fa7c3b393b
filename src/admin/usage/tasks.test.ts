/** What the list of tasks says a video cost. */

import { expect, test } from 'bun:test';
import { writePrice } from '../../prices/price-text.ts';
import { zeroPrice } from '../../prices/prices.ts';
import type { TaskPageStore } from '../../store/tasks/task-pages.ts';
import type { Task } from '../../tasks/task.ts';
import type { Actor } from '../accounts/sessions.ts';
import { createTaskAdmin } from './tasks.ts';

const actor = { account: { id: 'olga', role: 'owner' } } as Actor;

async function costOf(task: Partial<Task>, price: string | undefined, costNano: bigint | undefined) {
  const terms = { priceVersion: '', most: { videos: 1 }, ...(price !== undefined && { price }) };
  const shown = {
    id: 'v',
    facts: {},
    requested: { count: 1 },
    results: [],
    createdAtMs: 0,
    guessed: false,
    terms,
    ...task,
  };
  const items = [{ task: shown, costNano }];
  const table = { list: async () => ({ items, next: undefined }) } as unknown as TaskPageStore;
  const admin = createTaskAdmin({ table, tokenName: async () => undefined, nowMs: () => 1 });
  return (await admin.list(actor, { filter: {}, limit: 1 })).items[0]?.costUsd;
}

test('a video that was made without a price has an unknown cost, a free one and a failed one none', async () => {
  const byImage = writePrice({ ...zeroPrice('operator'), units: { images: 5n } });
  expect(await costOf({ state: 'completed' }, undefined, 0n)).toBeNull();
  expect(await costOf({ state: 'completed' }, byImage, 0n)).toBeNull();
  expect(await costOf({ state: 'failed', guessed: true }, undefined, 0n)).toBeNull();
  expect(await costOf({ state: 'failed' }, undefined, 0n)).toBe('0.00');
  expect(await costOf({ state: 'completed' }, writePrice(zeroPrice('free')), 0n)).toBe('0.00');
  expect(await costOf({ state: 'completed' }, byImage, 2_000_000_000n)).toBe('2.00');
  expect(await costOf({ state: 'in_progress' }, undefined, undefined)).toBeUndefined();
});
