/** The binary framing: published vectors, messages split at every byte, damage of every kind, and the contract of a reply. */

import { describe, expect, test } from 'bun:test';
import { decodeEventStream, EventStreamError } from './aws-event-stream.ts';
import { type Frame, FrameReader, FrameTooLargeError } from './frame-reader.ts';
import { ReplyTooLargeError, type UpstreamReply } from './transport.ts';

const binary = 'application/vnd.amazon.eventstream';

interface Scripted extends UpstreamReply {
  readonly reads: () => number;
  readonly cancelled: () => boolean;
}

function reply(pieces: readonly Uint8Array[], contentType = binary): Scripted {
  let reads = 0;
  let cancelled = false;
  return {
    status: 200,
    header: (name) => ({ 'content-type': contentType, 'content-length': '5', 'x-request': 'r1' })[name],
    whole: () => Promise.reject(new Error('not asked for')),
    read: async () => pieces[reads++],
    cancel: () => {
      cancelled = true;
    },
    reads: () => reads,
    cancelled: () => cancelled,
  };
}

/** A message as the framing's specification lays it out; header values are texts. */
function message(headers: Record<string, string>, payload: string | Uint8Array): Buffer {
  const block = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const text = Buffer.from(value);
      const length = Buffer.alloc(3, 7);
      length.writeUInt16BE(text.length, 1);
      return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), length, text]);
    }),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + block.length + body.length, 0);
  prelude.writeUInt32BE(block.length, 4);
  prelude.writeUInt32BE(Bun.hash.crc32(prelude.subarray(0, 8)), 8);
  const front = Buffer.concat([prelude, block, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(Bun.hash.crc32(front));
  return Buffer.concat([front, sum]);
}

const chunk = (event: string) =>
  message(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes: Buffer.from(event).toString('base64'), p: 'abcdef' }),
  );

const exception = (type: string, payload: string) =>
  message({ ':exception-type': type, ':message-type': 'exception' }, payload);

async function text(given: UpstreamReply): Promise<string> {
  return Buffer.from(await given.whole(1_000_000)).toString('utf8');
}

const events = [
  '{"type":"message_start","message":{"id":"msg_1"}}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße ✓\\n"}}',
  '{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":1}}',
];
const stream = Buffer.concat(events.map(chunk));
const expected = events.map((event) => `event: ${JSON.parse(event).type}\ndata: ${event}\n\n`).join('');

describe('the published vectors', () => {
  const good: Record<string, string> = {
    'empty message': '000000100000000005c248eb7d98c8ff',
    'int32 header': '0000002b0000000e348bec7b086576656e742d69640400 00a00c7b27666f6f273a27626172277dd3890285',
    'payload without headers': '0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936',
    'payload with a text header':
      '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
  };
  for (const [name, hex] of Object.entries(good)) {
    test(`${name} is read and carries no event`, async () => {
      const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
      expect(await text(decodeEventStream(reply([Buffer.concat([bytes, stream])])))).toBe(expected);
    });
  }

  const bad: Record<string, string> = {
    'corrupted header':
      '0000003d0000002007fd83960c636f6e74656e742b747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
    'corrupted header length':
      '0000003d0000012007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
    'corrupted length': '0100001d00000000fd528c5a7b27666f6f273a27626172277dc3653936',
    'corrupted payload': '0000001d00000000fd528c5a7b27666f6f273a27626172278dc3653936',
  };
  for (const [name, hex] of Object.entries(bad)) {
    test(`${name} is refused`, async () => {
      const given = reply([Buffer.from(hex, 'hex')]);
      await expect(decodeEventStream(given).read()).rejects.toBeInstanceOf(EventStreamError);
      expect(given.cancelled()).toBe(true);
    });
  }
});

describe('events', () => {
  test('come out the same wherever the bytes are cut', async () => {
    for (let cut = 1; cut < stream.length; cut++) {
      const pieces = [stream.subarray(0, cut), stream.subarray(cut)];
      expect(await text(decodeEventStream(reply(pieces)))).toBe(expected);
    }
    const single = [...stream].map((byte) => Uint8Array.of(byte));
    expect(await text(decodeEventStream(reply(single)))).toBe(expected);
  });

  test('are frames to the ordinary reader', async () => {
    const frames: Frame[] = [];
    new FrameReader(10_000).push(Buffer.from(await text(decodeEventStream(reply([stream])))), (frame) =>
      frames.push(frame),
    );
    expect(frames.map(({ event, data }) => [event, data])).toEqual(
      events.map((event) => [JSON.parse(event).type, event]),
    );
  });

  test('with line ends between their tokens stay one line', async () => {
    const loose = '{\n  "a": 1,\r\n  "type": "ping"\n}';
    expect(await text(decodeEventStream(reply([chunk(loose)])))).toBe(
      'event: ping\ndata: {   "a": 1,   "type": "ping" }\n\n',
    );
  });

  test('without a type of their own have no name', async () => {
    expect(await text(decodeEventStream(reply([chunk('{"outputText":"x"}')])))).toBe('data: {"outputText":"x"}\n\n');
    expect(await text(decodeEventStream(reply([chunk('{"a":1,"type":"x\\ndata: y"}')])))).toStartWith('data: {"a":1,');
  });

  test('of another kind are passed over', async () => {
    const other = message({ ':event-type': 'initial-response', ':message-type': 'event' }, '{}');
    expect(await text(decodeEventStream(reply([other, chunk(events[0] ?? '')])))).toStartWith('event: message_start');
  });

  test('that hold no bytes are no events', async () => {
    const empty = message({ ':event-type': 'chunk', ':message-type': 'event' }, '{"p":"x"}');
    await expect(decodeEventStream(reply([empty])).read()).rejects.toBeInstanceOf(EventStreamError);
  });
});

describe('a fault inside the stream', () => {
  const fault = (type: string, words: string, code: string) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type, message: words, code } })}\n\n`;

  test('becomes the error event of the format', async () => {
    const rows: [string, string, string, string][] = [
      ['throttlingException', '{"message":"Too many."}', 'rate_limit_error', 'Too many.'],
      ['validationException', '{"Message":"Bad."}', 'invalid_request_error', 'Bad.'],
      ['serviceUnavailableException', '{}', 'overloaded_error', 'serviceUnavailableException'],
      ['modelTimeoutException', '{"message":"Late."}', 'timeout_error', 'Late.'],
      ['modelStreamErrorException', '{"message":"Broke.","originalStatusCode":500}', 'api_error', 'Broke.'],
      ['constructor', 'no json', 'api_error', 'constructor'],
    ];
    for (const [name, payload, type, words] of rows) {
      expect(await text(decodeEventStream(reply([exception(name, payload)])))).toBe(fault(type, words, name));
    }
  });

  test('of the framing itself does too', async () => {
    const headers = { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'An error.' };
    expect(await text(decodeEventStream(reply([message(headers, '')])))).toBe(
      fault('api_error', 'An error.', 'InternalError'),
    );
  });
});

describe('the reply', () => {
  test('says that it is an event stream of unknown length', () => {
    const decoded = decodeEventStream(reply([]));
    expect([
      decoded.status,
      decoded.header('content-type'),
      decoded.header('content-length'),
      decoded.header('x-request'),
    ]).toEqual([200, 'text/event-stream', undefined, 'r1']);
  });

  test('of another content type is the very same', () => {
    const plain = reply([], 'application/json');
    expect(decodeEventStream(plain)).toBe(plain);
  });

  test('is read no further than it is asked for', async () => {
    const given = reply(events.map(chunk));
    const decoded = decodeEventStream(given);
    await decoded.read();
    expect(given.reads()).toBe(1);
    decoded.cancel();
    expect(given.cancelled()).toBe(true);
  });

  test('that ends inside a message is broken, not ended', async () => {
    const decoded = decodeEventStream(reply([stream.subarray(0, stream.length - 1)]));
    expect(await decoded.read()).toBeDefined();
    await expect(decoded.read()).rejects.toBeInstanceOf(EventStreamError);
  });

  test('passes the fault of its source on', async () => {
    const given = { ...reply([]), read: () => Promise.reject(new Error('reset')) };
    await expect(decodeEventStream(given).read()).rejects.toThrow('reset');
  });

  test('has a cap on a message and on the whole', async () => {
    const one = chunk(events[0] ?? '');
    expect(await decodeEventStream(reply([one]), one.length).read()).toBeDefined();
    const given = reply([one.subarray(0, 12)]);
    await expect(decodeEventStream(given, one.length - 1).read()).rejects.toBeInstanceOf(FrameTooLargeError);
    expect(given.cancelled()).toBe(true);
    const bytes = Buffer.byteLength(expected);
    expect(await decodeEventStream(reply([stream])).whole(bytes)).toHaveLength(bytes);
    await expect(decodeEventStream(reply([stream])).whole(bytes - 1)).rejects.toBeInstanceOf(ReplyTooLargeError);
  });

  test('of one large message in small reads is whole', async () => {
    const large = chunk(JSON.stringify({ type: 'ping', text: 'x'.repeat(4_000_000) }));
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < large.length; at += 1_024) pieces.push(large.subarray(at, at + 1_024));
    expect((await decodeEventStream(reply(pieces)).whole(10_000_000)).length).toBeGreaterThan(4_000_000);
  });
});

test('headers of every type are passed over, an unknown one is refused', async () => {
  const block = (type: number, value: readonly number[]) => {
    const header = Buffer.from([1, 0x61, type, ...value]);
    const prelude = Buffer.alloc(12);
    prelude.writeUInt32BE(16 + header.length, 0);
    prelude.writeUInt32BE(header.length, 4);
    prelude.writeUInt32BE(Bun.hash.crc32(prelude.subarray(0, 8)), 8);
    const front = Buffer.concat([prelude, header]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(Bun.hash.crc32(front));
    return Buffer.concat([front, sum]);
  };
  const sizes = [0, 0, 1, 2, 4, 8, 4, 4, 8, 16];
  for (const [type, size] of sizes.entries()) {
    const value = type === 6 || type === 7 ? [0, 2, 1, 2] : new Array<number>(size).fill(1);
    expect(await text(decodeEventStream(reply([block(type, value), stream])))).toBe(expected);
  }
  await expect(decodeEventStream(reply([block(10, [])])).read()).rejects.toThrow('unknown type 10');
  await expect(decodeEventStream(reply([block(5, [1])])).read()).rejects.toThrow('beyond its block');
});
