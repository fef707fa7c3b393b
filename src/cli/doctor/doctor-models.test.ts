import { expect, test } from 'bun:test';
import { checkEndings } from './doctor-models.ts';

const nowMs = Date.parse('2026-11-16T12:00:00Z');
const token = (name: string, requests: number) => ({ id: name, name, requests });
const detailOf = (ending: object) =>
  checkEndings([{ provider: 'up', model: 'm', names: ['m'], tokens: [token('ci', 3)], ...ending }], nowMs)[0];

test('says when it ends, or that it has ended, and who used it', () => {
  expect(detailOf({ shutdownAt: '2027-01-14' })).toEqual({
    name: 'model up/m',
    state: 'warning',
    detail: 'is shut down on 2027-01-14; used in the last 30 days by ci 3×',
  });
  expect(detailOf({ shutdownAt: '2026-11-16' })?.detail).toStartWith('was shut down on 2026-11-16; ');
  expect(detailOf({ deprecatedAt: '2026-06-01' })?.detail).toStartWith('deprecated since 2026-06-01; ');
});

test('names what it was asked for as, some tokens, and that a count may be of other models too', () => {
  const tokens = [1, 2, 3, 4, 5, 6, 7].map((count) => token(`t${count}`, 10 - count));
  expect(detailOf({ shutdownAt: '2027-01-14', names: ['alias', 'm'], tokens, isMost: true })?.detail).toBe(
    'is shut down on 2027-01-14; used in the last 30 days at most by t1 9×, t2 8×, t3 7×, t4 6×, t5 5×, 2 more (asked for as alias, m)',
  );
  expect(detailOf({ shutdownAt: '2027-01-14', tokens: [token('a\nb', 1)] })?.detail).toEndWith('by a\ufffdb 1×');
});

test('nothing to say where nothing ends', () => {
  expect(checkEndings([], nowMs)).toEqual([]);
});
