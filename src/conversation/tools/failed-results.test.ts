import { expect, test } from 'bun:test';
import type { MediaPart } from '../parts.ts';
import { withErrorPrefix } from './failed-results.ts';

const text = (said: string) => ({ type: 'text', text: said }) as const;
const image: MediaPart = { type: 'media', media: 'image', source: { kind: 'base64', data: 'AAAA' } };

test('the first text is marked as an error once', () => {
  expect(withErrorPrefix([image, text('gone'), text('b')])).toEqual([image, text('Error: gone'), text('b')]);
  const marked = [text('<error>gone</error>')];
  expect(withErrorPrefix(marked)).toBe(marked);
  expect(withErrorPrefix([text('Errors are fine')])).toEqual([text('Error: Errors are fine')]);
  expect(withErrorPrefix([image])).toEqual([text('Error: the tool failed.'), image]);
});
