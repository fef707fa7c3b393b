/** Seals are kept for an hour and up to a size, shared with other replicas where they may be needed, and looked up where this one has none. */

import { beforeEach, expect, test } from 'bun:test';
import type { SealedTurn } from '../../conversation/seals/sealed-turns.ts';
import { SealMemo, sealLimits } from './seal-memo.ts';

const origin = { format: 'a-format', provider: 'up', model: 'm' };
const turn = (characters: number): SealedTurn => ({
  thinking: [{ type: 'thinking', text: '', seal: { value: 'x'.repeat(characters), origin } }],
});
const none: SealedTurn = { thinking: [] };

let nowMs: number;
let table: Map<string, Uint8Array<ArrayBuffer>>;
let asked: number[];
let warnings: string[];
let away: boolean;

beforeEach(() => {
  nowMs = 1_000;
  table = new Map();
  asked = [];
  warnings = [];
  away = false;
});

const shared = {
  async put(tokenId: string, name: string, bytes: Uint8Array) {
    table.set(`${tokenId} ${name}`, new Uint8Array(bytes));
  },
  async get(tokenId: string, names: readonly string[]) {
    asked.push(names.length);
    if (away) throw new Error('away');
    return new Map(
      names.flatMap((name) => [[name, table.get(`${tokenId} ${name}`)] as const].filter(([, found]) => found)),
    ) as Map<string, Uint8Array<ArrayBuffer>>;
  },
};
const warn = (message: string): void => void warnings.push(message);
const replica = (): SealMemo => new SealMemo({ settings: { recentTurns: true }, nowMs: () => nowMs, shared, warn });
const alone = (): SealMemo => new SealMemo({ settings: { recentTurns: true }, nowMs: () => nowMs, warn });

test('a turn is its token’s, for an hour', () => {
  const memo = alone();
  expect(memo.keep('t', 'up m', new Map([['a', turn(5)]]), true)).toBeUndefined();
  expect(memo.find('t', 'a')).toEqual(turn(5));
  expect([memo.find('other', 'a'), memo.find('t', 'b')]).toEqual([undefined, undefined]);
  nowMs += sealLimits.lifetimeMs - 1;
  expect(memo.find('t', 'a')).toEqual(turn(5));
  nowMs += 1;
  expect(memo.find('t', 'a')).toBeUndefined();
  expect(memo.fetch('t', ['a'])).toBeUndefined();
});

test('a token that seals much forgets its own oldest, not a neighbor’s', () => {
  const memo = alone();
  memo.keep('neighbor', 'up m', new Map([['a', turn(5)]]), true);
  for (let index = 0; index < 9; index++) memo.keep('t', 'up m', new Map([[`${index}`, turn(1_000_000)]]), true);
  expect([memo.find('t', '0'), memo.find('t', '8')]).toEqual([undefined, turn(1_000_000)]);
  expect(memo.find('neighbor', 'a')).toEqual(turn(5));
});

test('another replica finds it, asks once, and keeps it', async () => {
  const [here, there] = [replica(), replica()];
  const strange = 'id with \0 and ä'.repeat(50);
  await here.keep('t', 'up m', new Map([[strange, turn(5)]]), false);
  expect([here.fetch('t', [strange]), there.find('t', strange)]).toEqual([undefined, undefined]);
  await there.fetch('t', [strange, 'unknown']);
  expect(there.find('t', strange)).toEqual(turn(5));
  expect(there.find('t', 'unknown')).toBeUndefined();
  expect(there.fetch('t', [strange, 'unknown'])).toBeUndefined();
  expect(asked).toEqual([2]);
  await there.fetch('other', [strange]);
  expect(there.find('other', strange)).toBeUndefined();
});

test('that a call had no seals is shared only where the model was asked to think', async () => {
  const memo = replica();
  expect(memo.keep('t', 'up m', new Map([['a', none]]), false)).toBeUndefined();
  expect([table.size, memo.find('t', 'a'), memo.fetch('t', ['a'])]).toEqual([0, none, undefined]);
  await memo.keep('t', 'up m', new Map([['b', none]]), true);
  expect(table.size).toBe(1);
  expect(memo.hasSealed('up m')).toBe(false);
  await memo.keep('t', 'up m', new Map([['c', turn(1)]]), false);
  expect([memo.hasSealed('up m'), memo.hasSealed('up other')]).toEqual([true, false]);
});

test('of very many calls the latest are asked for, and a database that is away costs the thoughts alone', async () => {
  const ids = Array.from({ length: 500 }, (_, index) => `call-${index}`);
  const memo = replica();
  await memo.fetch('t', ids);
  expect(asked).toEqual([96]);
  away = true;
  await memo.fetch('t', ids);
  expect(memo.fetch('t', ids)).toBeInstanceOf(Promise);
  expect(warnings).toEqual(['The seals of earlier turns could not be looked up.']);
});
