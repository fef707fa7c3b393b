import { expect, test } from 'bun:test';
import { Absence } from './absence.ts';

test('one caller tries it after others for a second, then for longer each time it says so again', () => {
  const absence = new Absence();
  let nowMs = 0;
  const waits: number[] = [];
  for (let times = 0; times < 14; times += 1) {
    absence.note('one', nowMs);
    let heldMs = 0;
    while (absence.holds('one', nowMs + heldMs)) heldMs += 1_000;
    waits.push(heldMs / 1_000);
    nowMs += heldMs;
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600, 600]);
});

test('what was in flight is no new evidence, and one caller says nothing of another', () => {
  const absence = new Absence();
  for (let count = 0; count < 100; count += 1) absence.note('one', 0);
  expect([absence.holds('one', 999), absence.holds('one', 1_000), absence.holds('two', 0)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('the answer to two callers holds for all', () => {
  const absence = new Absence();
  absence.note('one', 0);
  absence.note('two', 500);
  expect([absence.holds('three', 1_499), absence.holds('three', 1_500)]).toEqual([true, false]);
  absence.note('three', 1_500);
  expect([absence.holds('four', 3_499), absence.holds('four', 3_500)]).toEqual([true, false]);
});

test('a crowd of callers takes no more room than a thousand', () => {
  const absence = new Absence();
  for (let caller = 0; caller < 5_000; caller += 1) absence.note(`caller ${caller}`, 0);
  expect(absence.holds('caller 4999', 0)).toBe(true);
  absence.note('caller 4999', 2_000);
  expect([absence.holds('caller 4999', 3_999), absence.holds('caller 4999', 4_000)]).toEqual([true, false]);
});
