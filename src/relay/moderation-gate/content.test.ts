/** What is judged of a conversation: the new turns, every kind of part, and long texts to their last word. */

import { describe, expect, test } from 'bun:test';
import type { Message, Part } from '../../conversation/parts.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { contentOfReply, contentOfRequest, piecesOf } from './content.ts';

const text = (value: string): Part => ({ type: 'text', text: value });
const said = (role: Message['role'], ...parts: Part[]): Message => ({ role, parts });

function requestOf(...messages: Message[]): TextRequest {
  const toolChoice = { kind: 'auto' } as const;
  const output = { kind: 'text' } as const;
  return { model: 'm', messages, stream: false, tools: [], toolChoice, output, candidates: 1, stop: [] };
}

const ofParts = (...parts: Part[]) => contentOfRequest(requestOf(said('user', ...parts)));

describe('which turns', () => {
  const user = (value: string) => said('user', text(value));
  const assistant = (value: string) => said('assistant', text(value));
  const cases: readonly (readonly [string, readonly Message[]])[] = [
    ['a b', [said('instruction', text('a')), user('b')]],
    ['c d', [user('a'), assistant('b'), user('c'), user('d')]],
    [
      'c',
      [
        user('a'),
        assistant('b'),
        said('tool', { type: 'tool-result', callId: '1', parts: [{ type: 'text', text: 'c' }], failed: false }),
      ],
    ],
    // A beginning of the answer that the caller wrote hides neither itself nor the question.
    ['a b', [user('a'), assistant('b')]],
    ['c d e', [user('a'), assistant('b'), user('c'), assistant('d'), assistant('e')]],
    ['a', [assistant('a')]],
    ['', []],
  ];
  for (const [expected, messages] of cases) {
    test(`${messages.map(({ role }) => role).join(', ') || 'none'}: ${expected}`, () => {
      expect(contentOfRequest(requestOf(...messages)).text).toBe(expected.replaceAll(' ', '\n'));
    });
  }
});

describe('which parts', () => {
  test('words, wherever they stand', () => {
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
    expect(content.text).toBe('a\nb\nc\nd\n{"e":1}\nf\ng\nh\nj\ni\nk,l');
    expect([content.pictures, content.unreadable]).toEqual([[], undefined]);
  });

  test('pictures', () => {
    const content = ofParts(
      { type: 'media', media: 'image', source: { kind: 'url', url: 'https://h/a.png' } },
      { type: 'media', media: 'image', mediaType: 'image/webp', source: { kind: 'base64', data: 'AA==' } },
      { type: 'media', media: 'image', source: { kind: 'base64', data: 'BB==' } },
      { type: 'native', format: 'x', value: { output: 'data:image/gif;base64,CC==' } },
    );
    const embedded = ['data:image/webp;base64,AA==', 'data:image/png;base64,BB==', 'data:image/gif;base64,CC=='];
    expect(content.pictures).toEqual(['https://h/a.png', ...embedded]);
  });

  const illegible: readonly (readonly [string, Part])[] = [
    ['sound', { type: 'media', media: 'audio', source: { kind: 'base64', data: 'AA==' } }],
    ['a video', { type: 'media', media: 'video', source: { kind: 'url', url: 'https://h/a.mp4' } }],
    [
      'a document',
      { type: 'media', media: 'document', mediaType: 'application/pdf', source: { kind: 'base64', data: '' } },
    ],
    [
      'a picture that only its provider can look up',
      { type: 'media', media: 'image', source: { kind: 'file-id', id: '1' } },
    ],
    [
      'a picture that only its provider can look up',
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
    expect(contentOfReply(reply).text).toBe('a\nb');
  });
});

describe('pieces of a long text', () => {
  test('none of nothing, one of little', () => {
    expect(piecesOf('')).toEqual([]);
    expect(piecesOf('a')).toEqual(['a']);
    expect(piecesOf('a'.repeat(8_000)).length).toBe(1);
  });

  test('what stands at a cut is whole in one of them, and nothing is left out', () => {
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
