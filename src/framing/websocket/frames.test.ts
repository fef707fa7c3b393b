/** Frames by data: however a stream is split, the messages are the same, and every fault has its code. */

import { describe, expect, test } from 'bun:test';
import { closing, frame } from '../../../test/harness/scripted-peer.ts';
import { FrameFault, FrameReader } from './frames.ts';

type Reported = readonly [kind: string, ...rest: unknown[]];

type Sender = 'client' | 'server';

function reading(messageBytesMax = 1_000_000, sender: Sender = 'server') {
  const reported: Reported[] = [];
  const reader = new FrameReader(
    {
      message: (message) =>
        reported.push(
          typeof message === 'string' ? ['text', message] : ['bytes', Buffer.from(message).toString('hex')],
        ),
      ping: (payload) => reported.push(['ping', Buffer.from(payload).toString()]),
      pong: () => reported.push(['pong']),
      closeFrame: (code, reason) => reported.push(['close', code, reason]),
    },
    messageBytesMax,
    sender,
  );
  return {
    reported,
    reader,
    take(bytes: Uint8Array): void {
      try {
        reader.take(bytes);
      } catch (error) {
        if (!(error instanceof FrameFault)) throw error;
        reported.push(['fault', error.closeCode]);
      }
    },
  };
}

function read(pieces: readonly Uint8Array[], messageBytesMax?: number, sender?: Sender): Reported[] {
  const { take, reported } = reading(messageBytesMax, sender);
  // A copy each: reading unmasks in place.
  for (const piece of pieces) take(new Uint8Array(piece));
  return reported;
}

/** The frame of a server as a client sends it. */
function masked(whole: Uint8Array, key: readonly number[] = [0x37, 0xfa, 0x00, 0x3d]): Buffer {
  const [first = 0, short = 0] = whole;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  const payload = whole.subarray(start).map((byte, at) => byte ^ (key[at % 4] ?? 0));
  return Buffer.concat([Uint8Array.of(first, short | 0x80), whole.subarray(2, start), Uint8Array.from(key), payload]);
}

const long = 'é'.repeat(100);
const longer = 'x'.repeat(70_000);

const streams: readonly (readonly [name: string, bytes: readonly Uint8Array[], reported: readonly Reported[]])[] = [
  ['a text', [frame(1, 'hello')], [['text', 'hello']]],
  ['an empty text', [frame(1)], [['text', '']]],
  ['bytes', [frame(2, Buffer.from([0, 255, 1]))], [['bytes', '00ff01']]],
  ['empty bytes', [frame(2)], [['bytes', '']]],
  ['a length of two bytes', [frame(1, long)], [['text', long]]],
  ['characters of four bytes', [frame(1, '🙂🙃')], [['text', '🙂🙃']]],
  ['a byte order mark', [frame(1, '\ufeffa')], [['text', '\ufeffa']]],
  [
    'several at once',
    [frame(1, 'a'), frame(1, 'b'), frame(2, 'c')],
    [
      ['text', 'a'],
      ['text', 'b'],
      ['bytes', '63'],
    ],
  ],
  [
    'parts, one of them empty, cut inside a character',
    [
      frame(1, Buffer.from([0xf0, 0x9f]), { final: false }),
      frame(0, '', { final: false }),
      frame(0, Buffer.from([0x99, 0x82])),
    ],
    [['text', '🙂']],
  ],
  ['parts that hold nothing', [frame(1, '', { final: false }), frame(0)], [['text', '']]],
  [
    'control frames between parts',
    [
      frame(1, 'a', { final: false }),
      frame(9, 'are you there'),
      frame(0, 'b', { final: false }),
      frame(10),
      frame(0, 'c'),
    ],
    [['ping', 'are you there'], ['pong'], ['text', 'abc']],
  ],
  ['the largest control frame', [frame(9, 'p'.repeat(125))], [['ping', 'p'.repeat(125)]]],
  ['a close with reason', [frame(8, closing(1000, 'bye ü'))], [['close', 1000, 'bye ü']]],
  ['a close without a code', [frame(8)], [['close', 1005, '']]],
  ['nothing after a close', [frame(8, closing(4999)), frame(1, 'late'), frame(3)], [['close', 4999, '']]],
  ['reserved bit 1', [frame(1, 'a', { reserved: 4 })], [['fault', 1002]]],
  ['reserved bit 2', [frame(1, 'a', { reserved: 2 })], [['fault', 1002]]],
  ['reserved bit 3', [frame(1, 'a', { reserved: 1 })], [['fault', 1002]]],
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map(
    (opcode) => [`opcode ${opcode}`, [frame(opcode, 'a')], [['fault', 1002]]] as const,
  ),
  ['a ping in parts', [frame(9, 'a', { final: false })], [['fault', 1002]]],
  ['a ping of 126 bytes', [frame(9, 'p'.repeat(126))], [['fault', 1002]]],
  ['a continuation of nothing', [frame(0, 'a')], [['fault', 1002]]],
  [
    'a continuation after the end',
    [frame(1, 'a'), frame(0, 'b')],
    [
      ['text', 'a'],
      ['fault', 1002],
    ],
  ],
  ['a message inside a message', [frame(1, 'a', { final: false }), frame(1, 'b')], [['fault', 1002]]],
  ['a length with its highest bit', [Buffer.from([0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 1])], [['fault', 1002]]],
  [
    'a length beyond all limits',
    [Buffer.from([0x81, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255])],
    [['fault', 1009]],
  ],
  ['text that is no UTF-8', [frame(1, Buffer.from([0x61, 0xff]))], [['fault', 1007]]],
  ['text that ends inside a character', [frame(1, Buffer.from([0xe2, 0x82]))], [['fault', 1007]]],
  ['a surrogate', [frame(1, Buffer.from([0xed, 0xa0, 0x80]))], [['fault', 1007]]],
  ['bytes need not be UTF-8', [frame(2, Buffer.from([0xff]))], [['bytes', 'ff']]],
  ['a reason that is no UTF-8', [frame(8, closing(1000, Buffer.from([0xc3])))], [['fault', 1007]]],
  ['a close of one byte', [frame(8, Buffer.from([3]))], [['fault', 1002]]],
  ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535].map(
    (code) => [`close code ${code}`, [frame(8, closing(code))], [['fault', 1002]]] as const,
  ),
  ...[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4000].map(
    (code) => [`close code ${code}`, [frame(8, closing(code))], [['close', code, '']]] as const,
  ),
  ['nothing after a fault', [frame(3), frame(1, 'a')], [['fault', 1002]]],
];

const keys = [
  [0x37, 0xfa, 0x00, 0x3d],
  [0, 0, 0, 0],
  [255, 1, 128, 127],
];
/** Each stream as the sender may send it. */
const senders: readonly (readonly [
  Sender,
  readonly (readonly [string, readonly Uint8Array[], readonly Reported[]])[],
])[] = [
  ['server', [...streams, ['a masked frame', [masked(frame(1, 'a'))], [['fault', 1002]]]]],
  [
    'client',
    [
      ...streams.map(
        ([name, frames, reported]) =>
          [name, frames.map((one, index) => masked(one, keys[index % keys.length])), reported] as const,
      ),
      ['a frame that is not masked', [frame(1, 'a')], [['fault', 1002]]],
      ['an empty frame that is not masked', [frame(10)], [['fault', 1002]]],
      [
        'frames of which the second is not masked',
        [masked(frame(1, 'a')), frame(9)],
        [
          ['text', 'a'],
          ['fault', 1002],
        ],
      ],
    ],
  ],
];

describe.each(senders)('streams of a %s, cut at every byte and byte by byte', (sender, ofSender) => {
  test.each(ofSender)('%s', (_name, frames, reported) => {
    const whole = Buffer.concat(frames);
    const expected = [...reported];
    expect(read([whole], undefined, sender)).toEqual(expected);
    expect(
      read(
        [...whole].map((byte) => Uint8Array.of(byte)),
        undefined,
        sender,
      ),
    ).toEqual(expected);
    for (let cut = 1; cut < whole.length; cut += 1) {
      expect(read([whole.subarray(0, cut), whole.subarray(cut)], undefined, sender)).toEqual(expected);
    }
  });

  test('a length of eight bytes', () => {
    const whole = sender === 'client' ? masked(frame(1, longer)) : frame(1, longer);
    for (const cut of [1, 2, 3, 9, 10, 11, 12, 13, 14, 15, 35_000, 35_001, 35_002, whole.length - 1, whole.length]) {
      expect(read([whole.subarray(0, cut), whole.subarray(cut)], undefined, sender)).toEqual([['text', longer]]);
    }
  });
});

test('masked frames in three pieces, wherever they were cut', () => {
  const whole = Buffer.concat([masked(frame(1, 'é'.repeat(70))), masked(frame(9, 'ping'), keys[2])]);
  for (let first = 1; first < whole.length; first += 1) {
    for (let second = first; second < whole.length; second += 1) {
      const pieces = [whole.subarray(0, first), whole.subarray(first, second), whole.subarray(second)];
      expect(read(pieces, 1_000, 'client')).toEqual([
        ['text', 'é'.repeat(70)],
        ['ping', 'ping'],
      ]);
    }
  }
});

describe('the limit', () => {
  test.each([
    ['in one frame', (length: number) => [frame(1, 'x'.repeat(length))]],
    ['in parts', (length: number) => [frame(1, 'xx', { final: false }), frame(0, 'x'.repeat(length - 2))]],
  ])('%s', (_name, make) => {
    expect(read(make(300), 300)).toEqual([['text', 'x'.repeat(300)]]);
    expect(read(make(301), 300)).toEqual([['fault', 1009]]);
    expect(read([...make(300), ...make(300)], 300)).toHaveLength(2);
    const ofClient = (length: number) => make(length).map((one) => masked(one));
    expect(read(ofClient(300), 300, 'client')).toEqual([['text', 'x'.repeat(300)]]);
    expect(read(ofClient(301), 300, 'client')).toEqual([['fault', 1009]]);
  });

  test('is noticed by the announced length, before the bytes', () => {
    expect(read([frame(1, 'x'.repeat(301)).subarray(0, 4)], 300)).toEqual([['fault', 1009]]);
    expect(read([masked(frame(1, 'x'.repeat(301))).subarray(0, 8)], 300, 'client')).toEqual([['fault', 1009]]);
  });

  test('does not count control frames', () => {
    expect(read([frame(1, 'x', { final: false }), frame(9, 'y'.repeat(100)), frame(0, 'z')], 2)).toHaveLength(2);
  });

  test('a message that is announced and never comes is no fault', () => {
    const announced = Buffer.from([0x81, 127, 0, 0, 0, 0, 0x20, 0, 0, 0, 0x61]);
    for (let count = 0; count < 200; count += 1) expect(read([announced], 1e9)).toEqual([]);
  });
});

describe('a large message is whole', () => {
  test('of 8 MB in pieces of 1 KB, and in a million parts', () => {
    const whole = frame(2, Buffer.alloc(8_388_608, 1));
    const { reported, take } = reading(1e9);
    for (let at = 0; at < whole.length; at += 1024) take(whole.subarray(at, at + 1024));
    expect(reported).toHaveLength(1);
    const client = reading(1e9, 'client');
    const ofClient = masked(whole);
    for (let at = 0; at < ofClient.length; at += 1023) client.take(ofClient.subarray(at, at + 1023));
    expect(client.reported).toEqual(reported);
    const part = frame(0, 'x', { final: false });
    const parts = Buffer.concat([frame(1, 'x', { final: false }), ...Array(10_000).fill(part)]);
    const many = reading(1e9);
    many.take(parts);
    for (let round = 0; round < 99; round += 1) many.take(parts.subarray(3));
    many.take(frame(0));
    expect(many.reported).toEqual([['text', 'x'.repeat(1_000_001)]]);
  });
});

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

test.each([
  'server',
  'client',
] as const)('3,000 random streams of a %s in random pieces say what was put in', (sender) => {
  const random = seeded(7);
  const alphabet = ['a', 'é', '€', '🙂', '\n', '\u0000'];
  const text = (length: number) => Array.from({ length }, () => alphabet[random(alphabet.length)]).join('');
  const lengthOf = () =>
    [0, 1, random(125), random(200), random(3_000), random(200) === 0 ? 70_000 : 130][random(6)] ?? 0;
  for (let round = 0; round < 3_000; round += 1) {
    const expected: Reported[] = [];
    const frames: Uint8Array[] = [];
    for (let messages = random(5); messages >= 0; messages -= 1) {
      const isText = random(2) === 0;
      const words = text(lengthOf());
      const payload = isText ? Buffer.from(words) : Buffer.alloc(lengthOf(), random(256));
      const cuts = Array.from({ length: random(4) }, () => random(payload.length + 1)).sort((a, b) => a - b);
      const edges = [0, ...cuts, payload.length];
      for (let part = 1; part < edges.length; part += 1) {
        const final = part === edges.length - 1;
        frames.push(
          frame(part === 1 ? (isText ? 1 : 2) : 0, payload.subarray(edges[part - 1], edges[part]), { final }),
        );
        if (!final && random(3) === 0) {
          frames.push(frame(9, `p${round}`));
          expected.push(['ping', `p${round}`]);
        }
      }
      expected.push(isText ? ['text', words] : ['bytes', payload.toString('hex')]);
    }
    const key = () => [random(256), random(256), random(256), random(256)];
    const whole = Buffer.concat(sender === 'client' ? frames.map((one) => masked(one, key())) : frames);
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < whole.length; ) {
      const next = Math.min(whole.length, at + 1 + random([2, 20, 500, 100_000][random(4)] ?? 1));
      pieces.push(whole.subarray(at, next));
      at = next;
    }
    expect(read(pieces, undefined, sender)).toEqual(expected);
  }
});

test('stop() inside a message keeps the rest of the read unreported', () => {
  const reported: string[] = [];
  const reader: FrameReader = new FrameReader(
    {
      message: (message) => {
        reported.push(String(message));
        reader.stop();
      },
      ping: () => reported.push('ping'),
      pong: () => reported.push('pong'),
      closeFrame: () => reported.push('close'),
    },
    1_000,
    'server',
  );
  reader.take(Buffer.concat([frame(1, 'a'), frame(1, 'b'), frame(9), frame(8)]));
  expect(reported).toEqual(['a']);
});

test('masked bytes are read wherever they are in memory, and wherever the key begins', () => {
  const payload = Uint8Array.from({ length: 300 }, (_, at) => at);
  for (let offset = 0; offset < 4; offset += 1) {
    for (const length of [1, 63, 64, 65, 66, 67, 68, 200, 300]) {
      const whole = masked(frame(2, payload.subarray(0, length)));
      for (let cut = 1; cut < Math.min(whole.length, 12); cut += 1) {
        const memory = new Uint8Array(offset + whole.length);
        memory.set(whole, offset);
        const { take, reported } = reading(1_000, 'client');
        take(memory.subarray(offset, offset + cut));
        take(memory.subarray(offset + cut));
        expect(reported).toEqual([['bytes', Buffer.from(payload.subarray(0, length)).toString('hex')]]);
      }
    }
  }
});

test('no more frames than allowed are taken at once, and the rest afterwards', () => {
  const { reader, reported } = reading();
  const frames = [
    frame(1, 'a'),
    frame(9),
    frame(1, 'b', { final: false }),
    frame(0),
    frame(10),
    frame(2),
    frame(1, 'c'),
  ];
  const bytes = Buffer.concat([...frames, frame(1, 'rest').subarray(0, 4)]);
  const ends = frames.map((_, at) => Buffer.concat(frames.slice(0, at + 1)).length);
  const counts: number[] = [];
  let at = 0;
  for (const end of [ends[1], ends[3], ends[5], bytes.length]) {
    at += reader.take(bytes.subarray(at), 2);
    counts.push(reported.length);
    expect(at).toBe(end ?? 0);
  }
  expect(counts).toEqual([2, 3, 5, 6]);
  reader.take(frame(1, 'rest').subarray(4));
  expect(reported).toEqual([
    ['text', 'a'],
    ['ping', ''],
    ['text', 'b'],
    ['pong'],
    ['bytes', ''],
    ['text', 'c'],
    ['text', 'rest'],
  ]);
});
