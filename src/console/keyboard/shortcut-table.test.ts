/** Proves that shortcuts fire when meant, stay silent while someone writes, and that sequences begin and end cleanly. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { type KeyPress, ShortcutTable, sequencePauseMaxMs } from './shortcut-table.ts';

let table: ShortcutTable;
let ran: string[];
let nowMs: number;

beforeEach(() => {
  table = new ShortcutTable();
  ran = [];
  nowMs = 1_000;
  for (const keys of ['g o', 'g t', '?', 'j', 'mod+k']) table.add(keys, () => ran.push(keys));
});

function press(key: string, more: Partial<KeyPress> = {}): boolean {
  nowMs += 10;
  return table.press({ key, mod: false, alt: false, writing: false, ...more }, nowMs);
}

describe('shortcuts', () => {
  test('a single key, a sequence, a combination', () => {
    expect([press('?'), press('g'), press('o'), press('K', { mod: true })]).toEqual([true, true, true, true]);
    expect(ran).toEqual(['?', 'g o', 'mod+k']);
  });

  test('while someone writes only combinations act', () => {
    expect(press('j', { writing: true })).toBe(false);
    expect(press('k', { writing: true, mod: true })).toBe(true);
    expect(ran).toEqual(['mod+k']);
  });

  test('what is not a shortcut is left to the browser', () => {
    expect([press('x'), press('j', { mod: true }), press('j', { alt: true })]).toEqual([false, false, false]);
    expect(ran).toEqual([]);
  });

  test('a sequence ends at a key that does not continue it, which then counts for itself', () => {
    press('g');
    expect(press('j')).toBe(true);
    expect(press('o')).toBe(false);
    expect(ran).toEqual(['j']);
  });

  test('a sequence is forgotten after a pause, not before', () => {
    press('g');
    nowMs += sequencePauseMaxMs - 10;
    press('o');
    expect(ran).toEqual(['g o']);
    press('g');
    nowMs += sequencePauseMaxMs + 1;
    press('t');
    expect(ran).toEqual(['g o']);
  });

  test('the latest wins, and what is taken away gives the key back', () => {
    const leave = table.add('j', () => ran.push('panel'));
    press('j');
    leave();
    press('j');
    expect(ran).toEqual(['panel', 'j']);
  });
});
