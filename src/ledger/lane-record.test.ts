import { expect, test } from 'bun:test';
import { readLaneRecord, writeLaneRecord } from './lane-record.ts';

test('a lane record is one text, written once', () => {
  const text = writeLaneRecord('translate', 'one', 'other', []);
  expect(text).toBe('translate one other');
  expect(readLaneRecord(text)).toEqual({ lane: 'translate', from: 'one', to: 'other', losses: [], replyLosses: [] });
  expect(writeLaneRecord('forward', 'one', 'one', [])).toBe('forward one one');
});

test('losses are named once each, and bounded whatever callers wrote', () => {
  const losses = ['top_k', 'a "b"]\n', 'top_k'].map((what) => ({ what, why: 'no such thing' }));
  expect(readLaneRecord(writeLaneRecord('patch', 'one', 'one', losses))?.losses).toEqual(['top_k', 'a "b"]\n']);
  const many = Array.from({ length: 500 }, (_, at) => ({ what: `\0${at}${'x'.repeat(500)}`, why: '' }));
  const text = writeLaneRecord('translate', 'one', 'other', many);
  expect(text.length).toBeLessThan(2_000);
  expect(text).not.toContain('\0');
  expect(readLaneRecord(text)?.losses).toHaveLength(20);
});

test('losses of the reply are listed apart from those of the request', () => {
  const named = (...names: string[]) => names.map((what) => ({ what, why: '' }));
  const both = writeLaneRecord('translate', 'one', 'other', named('top_k'), named('content[1] image', '["x"]'));
  expect(readLaneRecord(both)).toMatchObject({ losses: ['top_k'], replyLosses: ['content[1] image', '["x"]'] });
  const reply = writeLaneRecord('translate', 'one', 'other', [], named('citations'));
  expect(readLaneRecord(reply)).toMatchObject({ losses: [], replyLosses: ['citations'] });
});

test('a text from elsewhere is none', () => {
  for (const text of ['', 'fly one other', 'forward one', 'translate one other [not json]']) {
    expect(readLaneRecord(text)?.losses ?? []).toEqual([]);
  }
  expect(readLaneRecord('fly one other')).toBeUndefined();
});
