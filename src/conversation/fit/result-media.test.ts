import { expect, test } from 'bun:test';
import { LossList } from '../loss-list.ts';
import type { MediaPart, Message } from '../parts.ts';
import { fitResultMedia } from './result-media.ts';

const image: MediaPart = { type: 'media', media: 'image', source: { kind: 'base64', data: 'AAAA' } };
const words: MediaPart = { type: 'media', media: 'document', source: { kind: 'text', text: 'plain' } };
const said = { type: 'text', text: 'fine' } as const;
const messages: readonly Message[] = [
  { role: 'user', parts: [image] },
  { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', parts: [said, image, words], failed: false }] },
];

test('what a model accepts stays the same', () => {
  const losses = new LossList();
  expect(fitResultMedia(messages, ['text', 'image'], losses)).toBe(messages);
  expect(losses.all).toEqual([]);
});

test('an image in a result is replaced by a note; one that the user sends is not', () => {
  const losses = new LossList();
  const fitted = fitResultMedia(messages, ['text'], losses);
  expect(fitted[0]).toBe(messages[0] as Message);
  expect(fitted[1]?.parts).toMatchObject([
    { callId: 'a', parts: [said, { type: 'text', text: expect.stringContaining('cannot take in') }, words] },
  ]);
  expect(losses.all.map(({ what }) => what)).toEqual(['messages[1] tool result image']);
});
