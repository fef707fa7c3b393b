import { describe, expect, test } from 'bun:test';
import { type Frame, FrameReader, FrameTooLargeError } from './frame-reader.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(pieces: readonly Uint8Array[], bytesMax = 1 << 25): Frame[] {
  const reader = new FrameReader(bytesMax);
  const frames: Frame[] = [];
  const emit = (frame: Frame): void => {
    frames.push({ ...frame, raw: frame.raw.slice() });
  };
  for (const piece of pieces) reader.push(piece, emit);
  reader.end(emit);
  return frames;
}

const isBlank = (frame: Frame): boolean => Buffer.from(frame.raw).toString().trim() === '';
const shown = (frames: readonly Frame[]) =>
  frames.filter((frame) => !isBlank(frame)).map(({ event, data }) => [event, data]);

describe('frames', () => {
  const streams: readonly [string, string][] = [
    ['plain', 'data: {"a":1}\n\ndata: [DONE]\n\n'],
    ['no space', 'data:{"a":1}\n\ndata:[DONE]\n\n'],
    ['carriage returns', 'data: {"a":1}\r\rdata: [DONE]\r\r'],
    ['both', 'data: {"a":1}\r\n\r\ndata: [DONE]\r\n\r\n'],
    ['a mixture', 'data: {"a":1}\r\n\ndata: [DONE]\n\r\n'],
    ['no last blank line', 'data: {"a":1}\n\ndata: [DONE]'],
    ['byte order mark', '\ufeffdata: {"a":1}\n\ndata: [DONE]\n\n'],
    ['unknown fields', 'id: 7\nretry: 10\nodd\ndata: {"a":1}\n\n\n\ndata: [DONE]\n\n'],
  ];
  test.each(streams)('%s', (_, text) => {
    const expected = [
      [undefined, '{"a":1}'],
      [undefined, '[DONE]'],
    ];
    expect(shown(readAll([encode(text)]))).toEqual(expected);
    // Every way of cutting the bytes in three gives the same frames.
    const bytes = encode(text);
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        const cut = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
        expect(shown(readAll(cut))).toEqual(expected);
      }
    }
  });

  test('events, comments and several data lines', () => {
    const frames = readAll([encode(': hello\n\nevent: ping\ndata: 1\ndata: 2\n\nevent: lone\n\n')]);
    expect(shown(frames)).toEqual([
      [undefined, undefined],
      ['ping', '1\n2'],
      ['lone', undefined],
    ]);
  });

  test('a frame is the same in one read and in two', () => {
    const lines = [
      'data: 1',
      'data:1',
      'data:',
      'data: ',
      'data:  1',
      'data',
      'event: a',
      'event:a',
      'event:',
      ': note',
      'id: 7',
    ];
    const ends = ['\n\n', '\r\n\r\n', '\r\r', '\n\r\n', '\r\n\n', '\n'];
    const frames = lines.flatMap((first) =>
      ['', ...lines].map((second) => (second === '' ? first : `${first}\n${second}`)),
    );
    for (const text of [
      ...frames,
      'data: "h\u00e9 \u6c34 \ud83c\udf0a"',
      'data: a\rdata: b',
      '\ufeffdata: 1',
      '',
      'event: a\n\ndata: 1',
    ]) {
      for (const end of ends) {
        const before = encode('data: 0\n\n');
        const own = encode(text + end);
        const after = encode('data: 2\n\n');
        const two = [own.subarray(0, 1), own.subarray(1)];
        // A line feed behind a cut in a frame's last line end is the next frame's.
        const parts = (pieces: Uint8Array[]) =>
          readAll(pieces)
            .filter((frame) => !isBlank(frame))
            .map(({ raw, event, data }) => [
              Buffer.from(raw)
                .toString()
                .replace(/^[\r\n]+/, ''),
              event,
              data,
            ]);
        expect(parts([before, own, after])).toEqual(parts([before, ...two, after]));
      }
    }
  });

  const fields: readonly [string, string | undefined, string | undefined][] = [
    ['data: 1', undefined, '1'],
    ['data:1', undefined, '1'],
    ['data:', undefined, ''],
    ['data:  1', undefined, ' 1'],
    ['event: a\ndata: 1', 'a', '1'],
    ['event:a\ndata:1', 'a', '1'],
    ['event:\ndata:', '', ''],
    ['event:  a\ndata:  1', ' a', ' 1'],
    ['data: 1\nevent: a', 'a', '1'],
    ['data: 1\ndata: 2', undefined, '1\n2'],
    ['event: a\nid: 7', 'a', undefined],
    ['events: a\ndata: 1', undefined, '1'],
    ['event: a\nmetadata: 1', 'a', undefined],
  ];
  test.each(fields)('the fields of %j', (text, event, data) => {
    const opening = encode('data: 0\n\n');
    for (const end of ['\n\n', '\r\n\r\n', '\r\r']) {
      expect(shown(readAll([opening, encode(text + end)]))).toEqual([
        [undefined, '0'],
        [event, data],
      ]);
    }
  });

  test('a code point split between reads survives', () => {
    const bytes = encode('data: "é漢🌊"\n\n');
    for (let at = 1; at < bytes.length; at++) {
      expect(shown(readAll([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual([[undefined, '"é漢🌊"']]);
    }
  });

  test('raw bytes joined give the stream back', () => {
    const text = 'data: {"a":1}\n\n: note\n\nevent: x\ndata: y\r\n\r\ndata: [DONE]\n\n';
    const bytes = encode(text);
    for (let at = 0; at <= bytes.length; at++) {
      const frames = readAll([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(Buffer.concat(frames.map((frame) => frame.raw)).toString()).toBe(text);
    }
  });

  test('one event of 16 MB in 1 KB pieces is whole', () => {
    const pieces = [encode('data: '), ...Array(16_384).fill(encode('x'.repeat(1024))), encode('\n\n')];
    expect(readAll(pieces)[0]?.data?.length).toBe(16_384 * 1024);
  });

  test('an endless line is cut at the limit', () => {
    const piece = encode('x'.repeat(1000));
    expect(readAll([encode('data: '), piece, encode('\n\n')], 1008)[0]?.data?.length).toBe(1000);
    expect(() => readAll([encode('data: '), piece, encode('\n\n')], 1007)).toThrow(FrameTooLargeError);
    expect(() => readAll(Array(20).fill(piece), 10_000)).toThrow(FrameTooLargeError);
  });
});
