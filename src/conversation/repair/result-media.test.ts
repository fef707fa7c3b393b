import { expect, test } from 'bun:test';
import type { MediaPart, Message, Part } from '../parts.ts';
import { withMediaAfterResults } from './result-media.ts';

const image: MediaPart = { type: 'media', media: 'image', source: { kind: 'base64', data: 'AAAA' } };
const plain: MediaPart = { type: 'media', media: 'document', source: { kind: 'text', text: 'words' } };
const text = (said: string): Part => ({ type: 'text', text: said });
const result = (callId: string, ...parts: (MediaPart | (Part & { type: 'text' }))[]): Part => ({
  type: 'tool-result',
  callId,
  parts,
  failed: false,
});
const tool = (...parts: Part[]): Message => ({ role: 'tool', parts });
const label = (callId: string, kinds = 'image') => text(`The ${kinds} in the result of the tool call ${callId}:`);

test('media follow all results of their round, in the user’s turn where there is one', () => {
  const said = { type: 'text', text: 'fine' } as const;
  const first = [tool(result('a', said, image)), tool(result('b', said)), { role: 'assistant', parts: [] } as Message];
  expect(withMediaAfterResults(first)).toEqual([
    tool(result('a', said)),
    tool(result('b', said)),
    { role: 'user', parts: [label('a'), image] },
    { role: 'assistant', parts: [] },
  ]);
  const followed = [tool(result('a', said, image)), { role: 'user', name: 'n', parts: [text('and?')] } as Message];
  expect(withMediaAfterResults(followed)).toEqual([
    tool(result('a', said)),
    { role: 'user', name: 'n', parts: [label('a'), image, text('and?')] },
  ]);
});

test('a result that held nothing else says where it is', () => {
  const [emptied, turn] = withMediaAfterResults([tool(result('a', image, { ...image, media: 'document' }))]);
  expect(JSON.stringify(emptied)).toContain('The image and file of this result: see the next message');
  expect(turn?.parts[0]).toEqual(label('a', 'image and file'));
});

test('nothing is moved that is a text, and what holds no media stays the same', () => {
  const messages = [tool(result('a', plain))];
  expect(withMediaAfterResults(messages)).toBe(messages);
});
