/** Items by their ids: for their token, for an hour, within bounds, and only where the operator lets them be kept. */

import { beforeEach, expect, test } from 'bun:test';
import { ItemMemo, itemLimits } from './item-memo.ts';

let nowMs = 0;
let away = false;
const settings = { recentTurns: true };
const table = new Map<string, Uint8Array<ArrayBuffer>>();
const warnings: string[] = [];
const shared = {
  async put(tokenId: string, id: string, item: Uint8Array) {
    table.set(`${tokenId} ${id}`, new Uint8Array(item));
  },
  async get(tokenId: string, ids: readonly string[]) {
    if (away) throw new Error('away');
    const found = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const id of ids) {
      const item = table.get(`${tokenId} ${id}`);
      if (item !== undefined) found.set(id, item);
    }
    return found;
  },
};
const warn = (message: string): void => void warnings.push(message);
const alone = (): ItemMemo => new ItemMemo({ settings, nowMs: () => nowMs, warn });
const replica = (): ItemMemo => new ItemMemo({ settings, nowMs: () => nowMs, shared, warn });
const item = { type: 'message', text: 'x' };
const found = async (memo: ItemMemo, token: string, id: string) => (await memo.find(token, [id])).get(id);

beforeEach(() => {
  nowMs = 0;
  away = false;
  settings.recentTurns = true;
  table.clear();
  warnings.length = 0;
});

test('an item is its token’s, for an hour', async () => {
  const memo = alone();
  expect(memo.keep('t', new Map([['a', item]]))).toBeUndefined();
  expect(await found(memo, 't', 'a')).toBe(JSON.stringify(item));
  expect([await found(memo, 'other', 'a'), await found(memo, 't', 'b')]).toEqual([undefined, undefined]);
  nowMs = itemLimits.lifetimeMs - 1;
  expect(await found(memo, 't', 'a')).toBeDefined();
  nowMs++;
  expect(await found(memo, 't', 'a')).toBeUndefined();
});

test('nothing is kept or found where it is switched off', async () => {
  const memo = alone();
  memo.keep('t', new Map([['a', item]]));
  settings.recentTurns = false;
  memo.keep('t', new Map([['b', item]]));
  expect(await found(memo, 't', 'a')).toBeUndefined();
  settings.recentTurns = true;
  expect([await found(memo, 't', 'a'), await found(memo, 't', 'b')]).toEqual([JSON.stringify(item), undefined]);
});

test('a large item is not kept, and the oldest of a token are dropped', async () => {
  const memo = alone();
  // The quotes count.
  const sized = (length: number): string => 'x'.repeat(length - 2);
  memo.keep('t', new Map([['fits', sized(1_048_576)]]));
  memo.keep('t', new Map([['large', sized(1_048_577)]]));
  expect([await found(memo, 't', 'fits'), await found(memo, 't', 'large')]).toEqual([expect.any(String), undefined]);
  for (let number = 0; number < 4; number++) memo.keep('t', new Map([[`n${number}`, sized(1_000_000)]]));
  expect([await found(memo, 't', 'fits'), await found(memo, 't', 'n3')]).toEqual([undefined, expect.any(String)]);
});

test('another replica finds it, and a database that is away is a warning', async () => {
  await replica().keep('t', new Map([['a', item]]));
  const other = replica();
  expect(await found(other, 't', 'a')).toBe(JSON.stringify(item));
  expect(await found(other, 'else', 'a')).toBeUndefined();
  away = true;
  // It has it itself now.
  expect(await found(other, 't', 'a')).toBe(JSON.stringify(item));
  expect([await found(other, 't', 'b'), warnings.length]).toEqual([undefined, 1]);
});
