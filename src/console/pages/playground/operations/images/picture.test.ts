/** Proves that pictures are read from every kind of reply, and that the page is never sent to a foreign server for one. */

import { describe, expect, test } from 'bun:test';
import { ownPath, picturesOf } from './picture.ts';

test('bytes and addresses are both pictures', async () => {
  const [first, second] = picturesOf({
    output_format: 'webp',
    data: [{ b64_json: btoa('abc'), revised_prompt: 'A boat.' }, { url: 'https://pictures.example/1.png' }],
  });
  expect(first).toMatchObject({ format: 'webp', revisedPrompt: 'A boat.', url: '' });
  expect(first?.blob?.type).toBe('image/webp');
  expect(await first?.blob?.text()).toBe('abc');
  expect(second).toMatchObject({ blob: undefined, url: 'https://pictures.example/1.png' });
});

test('without a word about it the bytes tell the format', () => {
  const [jpeg] = picturesOf({ data: [{ b64_json: btoa('\xff\xd8\xff') }] });
  const [png] = picturesOf({ data: [{ b64_json: btoa('\x89PNG') }] });
  expect([jpeg?.format, png?.format]).toEqual(['jpeg', 'png']);
});

test('a drawing that is text is none, whatever it is declared as', () => {
  for (const output_format of ['svg+xml', 'svg', 'png;x=y', '../html']) {
    const [drawing] = picturesOf({ output_format, data: [{ b64_json: btoa('<svg onload=alert(1)>') }] });
    expect([drawing?.format, drawing?.blob?.type]).toEqual(['png', 'image/png']);
  }
});

test('a reply without pictures has none', () => {
  expect(picturesOf({})).toEqual([]);
  expect(picturesOf({ data: 'x' })).toEqual([]);
});

describe('the place of a picture', () => {
  const origin = 'http://127.0.0.1:8787';
  for (const [url, path] of [
    ['http://127.0.0.1:8787/v1/results/r1?signature=s', '/v1/results/r1?signature=s'],
    ['https://weir.example/v1/results/r1?signature=s', '/v1/results/r1?signature=s'],
    ['https://weir.example/v1/videos/v1/content?signature=s', '/v1/videos/v1/content?signature=s'],
    ['/v1/results/r1', '/v1/results/r1'],
    ['https://pictures.example/1.png', undefined],
    ['javascript:alert(1)', undefined],
    ['data:image/png;base64,AAAA', 'data:image/png;base64,AAAA'],
    ['data:text/html,<script>alert(1)</script>', undefined],
    ['data:image/svg+xml,<svg onload=alert(1)>', undefined],
    ['blob:https://weir.example/1', undefined],
    ['http://[', undefined],
  ] as const) {
    test(`${url} is ${path}`, () => expect(ownPath(url, origin)).toBe(path));
  }
});
