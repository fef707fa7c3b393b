/** Chunked bodies, cut at every position, and those that are refused. */

import { describe, expect, test } from 'bun:test';
import { ChunkedBody } from './chunked.ts';
import { FramingError } from './framing-error.ts';

const sample =
  'a;name="va;lue"\r\n0123456789\r\n00B \r\nabcdefghijk\r\n1\r\n\r\r\n2\r\n\r\n\r\n0;x\r\nTrailer: 1\r\nOther: 2\r\n\r\n';
const sampleData = '0123456789abcdefghijk\r\r\n';

function decode(...reads: string[]) {
  const body = new ChunkedBody('reply');
  body.begin();
  let text = '';
  let extra = '';
  let pieces = 0;
  for (const read of reads) {
    const bytes = Buffer.from(read, 'latin1');
    if (body.done) {
      extra += read;
      continue;
    }
    const piece = body.take(bytes, 0);
    if (piece !== undefined) pieces += 1;
    text += Buffer.from(piece ?? []).toString('latin1');
    body.check();
    if (body.done) extra += read.slice(body.endsAt);
  }
  return { text, extra, done: body.done, pieces };
}

describe('chunks', () => {
  test('one read gives one piece', () => {
    expect(decode(sample)).toEqual({ text: sampleData, extra: '', done: true, pieces: 1 });
  });

  test('every pair of cuts gives the same body', () => {
    for (let first = 0; first <= sample.length; first += 1) {
      for (let second = first; second <= sample.length; second += 1) {
        const { text, done } = decode(sample.slice(0, first), sample.slice(first, second), sample.slice(second));
        if (text !== sampleData || !done) throw new Error(`cut at ${first} and ${second}: ${JSON.stringify(text)}`);
      }
    }
  });

  test('byte by byte', () => {
    expect(decode(...sample)).toMatchObject({ text: sampleData, done: true });
  });

  test('what follows the end is not consumed', () => {
    expect(decode('1\r\na\r\n0\r\n\r\nHTTP/1.1')).toMatchObject({ text: 'a', extra: 'HTTP/1.1', done: true });
  });

  test('without its last chunk it is not done', () => {
    for (let cut = 0; cut < sample.length; cut += 1) expect(decode(sample.slice(0, cut)).done).toBe(false);
  });

  test('one reader reads several bodies', () => {
    const body = new ChunkedBody('reply');
    for (const word of ['one', 'two']) {
      body.begin();
      expect(Buffer.from(body.take(Buffer.from(`3\r\n${word}\r\n0\r\n\r\n`), 0) ?? []).toString()).toBe(word);
      expect(body.done).toBe(true);
    }
  });

  test.each([
    ['a size that is no number', 'g\r\n'],
    ['no size', '\r\n'],
    ['a negative size', '-1\r\n'],
    ['a size with a prefix', '0x5\r\n'],
    ['an endless size', '1000000000000\r\n'],
    ['data longer than its size', '1\r\nab\r\n'],
    ['data without its line end', '1\r\na0\r\n'],
    ['a size that ends in a line feed alone', '1\na\r\n'],
    ['an extension that ends in a line feed alone', '1;x\na\r\n'],
    ['an endless extension', `1;${'x'.repeat(70_000)}`],
    ['endless trailers', `0\r\n${'x: y\r\n'.repeat(20_000)}`],
  ])('refuses %s', (_name, bytes) => {
    expect(() => decode(bytes)).toThrow(FramingError);
  });

  test('the data before a fault in the same read is returned', () => {
    const body = new ChunkedBody('reply');
    body.begin();
    expect(Buffer.from(body.take(Buffer.from('3\r\none\r\n3\r\ntwox'), 0) ?? []).toString()).toBe('onetwo');
    expect(() => body.check()).toThrow('A chunk of the reply does not end where its size says.');
    expect(body.done).toBe(false);
  });
});
