/** What is moderated of a reply: every kind of part, and long texts to their last word. */

import { describe, expect, test } from 'bun:test';
import type { Part } from '../../conversation/parts.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { compactedItem } from '../../formats/openai-responses/compaction/compacted-item.ts';
import { contentOfReply, piecesOf } from './content.ts';

const text = (value: string): Part => ({ type: 'text', text: value });
const ofParts = (...parts: Part[]) => {
  const finish = { reason: 'stop' } as const;
  return contentOfReply({ id: '', model: '', createdAtMs: 0, candidates: [{ parts, finish }], usage: unknownUsage });
};

describe('which parts', () => {
  test('words, wherever they are', () => {
    const value = { title: 'f', list: ['g', { deep: 'h', on: true }] };
    const content = ofParts(
      text('a'),
      text('  '),
      { type: 'thinking', text: 'b' },
      { type: 'refusal', text: 'c' },
      { type: 'tool-call', id: '1', name: 'd', arguments: '{"e":1}' },
      { type: 'native', format: 'x', value },
      { type: 'media', media: 'document', source: { kind: 'text', text: 'i' }, context: 'j' },
      { type: 'media', media: 'document', mediaType: 'text/csv', source: { kind: 'base64', data: btoa('k,l') } },
    );
    expect(content.segments).toEqual(['a\nb\nc\nd\n{"e":1}\nf\ng\nh\nj\ni\nk,l']);
    expect([content.images, content.unreadable]).toEqual([[], undefined]);
  });

  test('a summary inside its seal', () => {
    const value = compactedItem('m', () => '');
    expect(ofParts({ type: 'native', format: 'x', value }).segments).toEqual(['compaction\nm']);
  });

  test('images', () => {
    const content = ofParts(
      { type: 'media', media: 'image', source: { kind: 'url', url: 'https://h/a.png' } },
      { type: 'media', media: 'image', mediaType: 'image/webp', source: { kind: 'base64', data: 'AA==' } },
      { type: 'media', media: 'image', source: { kind: 'base64', data: 'BB==' } },
      { type: 'native', format: 'x', value: { output: 'data:image/gif;base64,CC==' } },
    );
    const embedded = ['data:image/webp;base64,AA==', 'data:image/png;base64,BB==', 'data:image/gif;base64,CC=='];
    expect(content.images).toEqual(['https://h/a.png', ...embedded]);
  });

  const illegible: readonly (readonly [string, Part])[] = [
    ['audio', { type: 'media', media: 'audio', source: { kind: 'base64', data: 'AA==' } }],
    ['a video', { type: 'media', media: 'video', source: { kind: 'url', url: 'https://h/a.mp4' } }],
    [
      'a document',
      { type: 'media', media: 'document', mediaType: 'application/pdf', source: { kind: 'base64', data: '' } },
    ],
    [
      'an image that only its provider can look up',
      { type: 'media', media: 'image', source: { kind: 'file-id', id: '1' } },
    ],
    [
      'an image that only its provider can look up',
      { type: 'media', media: 'image', source: { kind: 'url', url: 'gs://b/a' } },
    ],
    ['numbers in the place of words', { type: 'native', format: 'x', value: { prompt: [[1, 2]] } }],
  ];
  for (const [expected, part] of illegible) {
    test(`${JSON.stringify(part).slice(0, 60)} holds ${expected}`, () => {
      expect(ofParts(text('a'), part).unreadable).toBe(expected);
    });
  }

  test('every candidate of a reply', () => {
    const finish = { reason: 'stop' } as const;
    const candidates = ['a', 'b'].map((value) => ({ parts: [text(value)], finish }));
    const reply: TextReply = { id: '', model: '', createdAtMs: 0, candidates, usage: unknownUsage };
    expect(contentOfReply(reply).segments).toEqual(['a\nb']);
  });
});

describe('pieces of a long text', () => {
  test('none of nothing, one of little', () => {
    expect(piecesOf('')).toEqual([]);
    expect(piecesOf('a')).toEqual(['a']);
    expect(piecesOf('a'.repeat(8_000)).length).toBe(1);
  });

  test('text at a cut is whole in one of the pieces, and nothing is left out', () => {
    for (const length of [8_001, 15_600, 15_601, 40_000]) {
      const words = Array.from({ length: Math.ceil(length / 6) }, (_, index) => `${10_000 + index}`)
        .join(' ')
        .slice(0, length);
      const pieces = piecesOf(words);
      for (const word of words.split(' ').slice(0, -1)) expect(pieces.some((piece) => piece.includes(word))).toBe(true);
      expect(words.endsWith(pieces.at(-1) ?? '?')).toBe(true);
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(8_000 + 1);
    }
  });

  test('no character is cut in two', () => {
    for (const before of ['', 'a']) {
      for (const piece of piecesOf(before + '😀'.repeat(10_000))) expect(piece.isWellFormed()).toBe(true);
    }
  });
});
