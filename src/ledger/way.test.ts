import { expect, test } from 'bun:test';
import { readWay, writeWay } from './way.ts';

test('a way is one text, written once', () => {
  const text = writeWay('translate', 'one', 'other', []);
  expect(text).toBe('translate one other');
  expect(readWay(text)).toEqual({ lane: 'translate', from: 'one', to: 'other', losses: [] });
  expect(writeWay('forward', 'one', 'one', [])).toBe('forward one one');
});

test('losses are named once each, and bounded whatever callers wrote', () => {
  const losses = ['top_k', 'a "b"]\n', 'top_k'].map((what) => ({ what, why: 'no such thing' }));
  expect(readWay(writeWay('patch', 'one', 'one', losses))?.losses).toEqual(['top_k', 'a "b"]\n']);
  const many = Array.from({ length: 500 }, (_, at) => ({ what: `\0${at}${'x'.repeat(500)}`, why: '' }));
  const text = writeWay('translate', 'one', 'other', many);
  expect(text.length).toBeLessThan(2_000);
  expect(text).not.toContain('\0');
  expect(readWay(text)?.losses).toHaveLength(20);
});

test('a text from elsewhere is none', () => {
  for (const text of ['', 'fly one other', 'forward one', 'translate one other [not json]']) {
    expect(readWay(text)?.losses ?? []).toEqual([]);
  }
  expect(readWay('fly one other')).toBeUndefined();
});
