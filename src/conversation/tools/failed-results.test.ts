import { expect, test } from 'bun:test';
import type { MediaPart } from '../parts.ts';
import { toldAsError } from './failed-results.ts';

const text = (said: string) => ({ type: 'text', text: said }) as const;
const image: MediaPart = { type: 'media', media: 'image', source: { kind: 'base64', data: 'AAAA' } };

test('the first text tells the failure once', () => {
  expect(toldAsError([image, text('gone'), text('b')])).toEqual([image, text('Error: gone'), text('b')]);
  const told = [text('<error>gone</error>')];
  expect(toldAsError(told)).toBe(told);
  expect(toldAsError([text('Errors are fine')])).toEqual([text('Error: Errors are fine')]);
  expect(toldAsError([image])).toEqual([text('Error: the tool failed.'), image]);
});
