/** Proves that the page reads explanations as the gateway writes them. */

import { expect, test } from 'bun:test';
import type { Explanation } from '../../../relay/explain/explanation.ts';
import { type ExplanationView, firstEndpoint, readSample, sampleText } from './explanation.ts';

test('every explanation of the gateway is one that the page can read', () => {
  // The type checker compares them; the value only keeps the line alive.
  const read = (explanation: Explanation): ExplanationView => explanation;
  expect(read).toBeFunction();
});

test('a sample names its model, fits the model, and must stay an object', () => {
  expect(readSample(sampleText('embeddings', 'e1'))).toEqual({ model: 'e1', input: 'Hello' });
  expect(firstEndpoint(['speak', 'transcribe'])).toBe('speech');
  expect(firstEndpoint(['transcribe'])).toBe('chat');
  for (const text of ['[]', '1', 'null', '{', '']) expect(readSample(text)).toBeUndefined();
});
