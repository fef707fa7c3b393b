/** Sizes come from the bytes themselves, whatever the caller says they are. */

import { describe, expect, test } from 'bun:test';
import { Buffer } from 'node:buffer';
import { describeMedia, readMediaFacts } from './media-header.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const png = bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 1, 64], [0, 0, 0, 200], [8, 6, 0, 0, 0]);
const gif = bytes('GIF89a', [0x40, 1, 0xc8, 0], [0, 0, 0]);
const jpeg = bytes(
  [0xff, 0xd8, 0xff, 0xe0, 0, 16],
  'JFIF\0',
  [1, 1, 0, 0, 1, 0, 1, 0, 0],
  [0xff, 0xfe, 0, 6, 1, 2, 3, 4],
  [0xff, 0xff, 0xc2, 0, 17, 8, 0, 200, 1, 64, 3],
  [0, 0, 0, 0],
);
const webp = (kind: string, body: readonly number[]) => bytes('RIFF', [0, 0, 0, 0], 'WEBP', kind, [0, 0, 0, 0], body);
const lossy = webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 1, 0xc8, 0]);
const lossless = webp('VP8L', [0x2f, 0x3f, 0xc1, 0x31, 0x00]);
const extended = webp('VP8X', [0, 0, 0, 0, 0x3f, 1, 0, 0xc7, 0, 0]);

describe('image headers', () => {
  const cases: readonly [string, Buffer, string][] = [
    ['PNG', png, 'PNG'],
    ['GIF', gif, 'GIF'],
    ['JPEG behind other segments', jpeg, 'JPEG'],
    ['lossy WebP', lossy, 'WebP'],
    ['lossless WebP', lossless, 'WebP'],
    ['extended WebP', extended, 'WebP'],
  ];
  for (const [name, image, kind] of cases) {
    test(`${name} is 320×200`, () => {
      const facts = readMediaFacts(image.toString('base64'), 'image/wrong');
      expect(facts).toEqual({ kind, width: 320, height: 200, bytes: image.length });
    });
    test(`${name} cut short does no harm`, () => {
      for (let length = 0; length < image.length; length++) {
        expect(readMediaFacts(image.subarray(0, length).toString('base64'), undefined).bytes).toBe(length);
      }
    });
  }

  test('a JPEG that points at itself ends', () => {
    const looped = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xe0, 0, 0, 0, 0, 0, 0]);
    expect(readMediaFacts(looped.toString('base64'), undefined).kind).toBe('JPEG');
  });

  test('other files are named', () => {
    expect(readMediaFacts(Buffer.from('%PDF-1.7').toString('base64'), undefined).kind).toBe('PDF');
    expect(readMediaFacts(bytes('RIFF', [0, 0, 0, 0], 'WAVE').toString('base64'), undefined).kind).toBe('WAV');
    expect(readMediaFacts('AAAA', 'text/plain')).toEqual({ kind: 'text/plain', bytes: 3 });
  });
});

describe('sentences', () => {
  test('a URL is named and not fetched', () => {
    const part = { type: 'media', media: 'image', source: { kind: 'url', url: 'http://127.0.0.1:1/x.png' } } as const;
    expect(describeMedia(part, 1)).toBe('Image 1: at http://127.0.0.1:1/x.png, not fetched.');
  });

  test('bytes are measured', () => {
    const part = { type: 'media', media: 'image', source: { kind: 'base64', data: png.toString('base64') } } as const;
    expect(describeMedia(part, 2)).toBe(`Image 2: PNG, 320×200 pixels, ${png.length} bytes.`);
    const document = {
      ...part,
      media: 'document',
      filename: 'a.pdf',
      source: { kind: 'base64', data: 'JVBERi0x' },
    } as const;
    expect(describeMedia(document, 1)).toBe('Document 1 "a.pdf": PDF, 6 bytes.');
  });

  test('a text says the same as text and as bytes', () => {
    const text = 'drei kleine Wörter';
    const document = { type: 'media', media: 'document', mediaType: 'text/plain' } as const;
    const data = Buffer.from(text).toString('base64');
    const said = 'Document 1: text/plain, 3 words, 19 bytes.';
    expect(describeMedia({ ...document, source: { kind: 'text', text } }, 1)).toBe(said);
    expect(describeMedia({ ...document, source: { kind: 'base64', data } }, 1)).toBe(said);
    const untyped = { type: 'media', media: 'document', source: { kind: 'text', text: 'one' } } as const;
    expect(describeMedia(untyped, 2)).toBe('Document 2: text/plain, 1 word, 3 bytes.');
  });
});
