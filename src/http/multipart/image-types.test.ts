import { expect, test } from 'bun:test';
import { imageTypeOf } from './image-types.ts';

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (unit) => unit.charCodeAt(0));

test.each([
  ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image/png'],
  ['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['GIF89a\x01\0', 'image/gif'],
  ['RIFF\x10\0\0\0WAVEfmt ', undefined],
  ['\x89PNG', undefined],
  ['text', undefined],
  ['', undefined],
])('%j is %p', (beginning, expected) => {
  expect(imageTypeOf(bytes(beginning))).toBe(expected as string);
});
