/** The server's side of an open WebSocket, by data: every end is reported once, and nothing after it. */
import { describe, expect, test } from 'bun:test';
import { type Call, connected, from, pongsOf, text } from '../../../test/harness/client-sockets.ts';
import { closing, frame } from '../../../test/harness/scripted-peer.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { FrameWriter } from '../../framing/websocket/frame-writer.ts';
import type { Socket } from './socket-handler.ts';

describe('messages', () => {
  test('of both kinds are delivered in order', () => {
    const { say, calls } = connected();
    say(text('a'), from(2, 'b'), text(''), from(2));
    expect(calls).toEqual([
      ['message', 'a'],
      ['message', undefined],
      ['message', ''],
      ['message', undefined],
    ]);
  });

  test('in parts are joined around control frames, which are answered at once', () => {
    const { say, calls, raw } = connected();
    say(from(1, 'a', { final: false }), from(9, 'one'), from(0, 'b', { final: false }), from(10));
    expect(pongsOf(raw)).toEqual(['one']);
    expect(calls).toEqual([]);
    say(from(0, 'c'));
    expect(calls).toEqual([['message', 'abc']]);
  });

  test('are sent whole, unmasked and in order', () => {
    const { raw, socket } = connected();
    for (const size of [0, 125, 126, 65_535, 65_536]) expect(socket.send('x'.repeat(size))).toBe(true);
    expect(raw.frames).toEqual([0, 125, 126, 65_535, 65_536].map((size) => ['text', 'x'.repeat(size)]));
    expect(socket.bufferedBytes).toBe(0);
  });

  test('1,000 random conversations in random reads are delivered as they were sent', () => {
    let seed = 0;
    const random = (below: number) => Bun.hash.crc32(String(seed++)) % below;
    for (let round = 0; round < 1_000; round += 1) {
      const { calls, socket, raw } = connected({ messageBytesMax: 70_000 });
      const bytes: Buffer[] = [];
      const client = new FrameWriter(
        { write: (data, at, length) => bytes.push(Buffer.from(data.subarray(at, at + length))) && length },
        'client',
        () => undefined,
      );
      const expected: Call[] = [];
      /** And where each ends. */
      const pings: [payload: string, end: number][] = [];
      for (let count = random(6); count >= 0; count -= 1) {
        const words = 'aé€🙂'.repeat(random([2, 40, 6_000][random(3)] ?? 1));
        if (random(4) === 0) {
          client.send(9, `${round} ${count}`);
          pings.push([`${round} ${count}`, Buffer.concat(bytes).length]);
        } else {
          const isText = random(3) > 0;
          client.send(isText ? 1 : 2, words);
          expected.push(['message', isText ? words : undefined]);
        }
      }
      client.send(8, closing(4_000 + round, 'bye'));
      client.send(1, 'too late');
      expected.push(['closed', 4_000 + round, 'bye']);
      const whole = Buffer.concat(bytes);
      const answered: string[] = [];
      for (let at = 0; at < whole.length; ) {
        const next = at + 1 + random([2, 30, 5_000][random(3)] ?? 1);
        socket.received(whole.subarray(at, next));
        const last = pings.findLast(([, end]) => end > at && end <= next);
        if (last !== undefined) answered.push(last[0]);
        at = next;
      }
      expect(calls).toEqual(expected);
      expect(pongsOf(raw)).toEqual(answered);
      expect(raw.frames.at(-1)).toEqual(['close', 4_000 + round, 'bye']);
    }
  });
});

describe('the size of a message', () => {
  test.each([
    ['in one frame', (size: number) => [text('x'.repeat(size))]],
    ['in parts', (size: number) => [from(1, 'x', { final: false }), from(0, 'x'.repeat(size - 1))]],
  ])('%s passes at the limit; one byte more is 1009', (_, make) => {
    const { say, calls, raw } = connected({ messageBytesMax: 200 });
    say(...make(200));
    expect(calls).toEqual([['message', 'x'.repeat(200)]]);
    say(...make(201));
    expect(calls.slice(1)).toEqual([['closed', 1009, 'A message is larger than 200 bytes.']]);
    expect(raw.frames).toEqual([['close', 1009, 'A message is larger than 200 bytes.']]);
  });

  test('is known from its header: the rest is neither kept nor answered', () => {
    const { calls, socket, ends, raw } = connected({ messageBytesMax: 200 });
    const whole = text('x'.repeat(60_000));
    for (let at = 0; at < whole.length; at += 1_000) socket.received(whole.subarray(at, at + 1_000));
    expect(calls.map(([name, code]) => [name, code])).toEqual([['closed', 1009]]);
    expect(raw.calls).toEqual(['shutdown']);
    expect(ends).toEqual([]);
  });
});

describe('a fault', () => {
  test.each([
    ['a frame that is not masked', frame(1, 'x'), 1002],
    ['a reserved bit', from(1, 'x', { reserved: 4 }), 1002],
    ['an unknown kind', from(3, 'x'), 1002],
    ['a control frame in parts', from(9, 'x', { final: false }), 1002],
    ['a long control frame', from(9, 'x'.repeat(126)), 1002],
    ['a continuation of nothing', from(0, 'x'), 1002],
    ['a message in a message', Buffer.concat([from(1, 'x', { final: false }), text('y')]), 1002],
    ['a negative length', Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]), 1002],
    ['a close of one byte', from(8, 'x'), 1002],
    ['a close code that may not be sent', from(8, closing(1005)), 1002],
    ['text that is no UTF-8', from(1, Buffer.from([0xc3, 0x28])), 1007],
    ['a reason that is no UTF-8', from(8, closing(1000, Buffer.from([0xff]))), 1007],
    ['a message that is too large', text('x'.repeat(1_001)), 1009],
  ])('%s is reported to both sides, and the connection ends', (_, bytes, code) => {
    const { say, calls, raw, ends, socket } = connected();
    say(text('before'), bytes, text('after'));
    say(text('later'));
    const reason = calls[1]?.[2];
    expect(reason).toBeString();
    expect(calls).toEqual([
      ['message', 'before'],
      ['closed', code, reason],
    ]);
    expect(raw.frames).toEqual([['close', code, reason]]);
    expect(raw.calls).toEqual(['shutdown']);
    expect(socket.send('x')).toBe(false);
    raw.close();
    expect(ends).toEqual([socket]);
    expect(calls).toHaveLength(2);
  });

  test('after Weir’s close frame only ends the connection', () => {
    const { say, calls, raw, socket } = connected();
    socket.close(1000, 'done');
    say(from(3));
    expect(calls).toEqual([['closed', 1000, 'done']]);
    expect(raw.frames).toEqual([['close', 1000, 'done']]);
    expect(raw.calls).toEqual(['shutdown']);
  });

  test('of the handler itself is not taken for one of the client', () => {
    const failure = new Error('a bug');
    const on = {
      message() {
        throw failure;
      },
    };
    const { say, calls, socket } = connected({ on });
    expect(() => say(text('a'))).toThrow(failure);
    socket.terminate();
    expect(calls.at(-1)).toEqual(['closed', 1006, '']);
  });
});

describe('a client that does not read', () => {
  test('gets everything in order, and the handler is called when some of it was sent', () => {
    const { raw, socket, calls, drain } = connected();
    raw.roomBytes = 10;
    const texts = Array.from({ length: 50 }, (_, index) => `${index} ${'x'.repeat(index * 20)}`);
    for (const one of texts) expect(socket.send(one)).toBe(true);
    expect(socket.bufferedBytes).toBeGreaterThan(20_000);
    let drains = 0;
    while (socket.bufferedBytes > 0) {
      expect(calls).toHaveLength(drains);
      drain(777);
      drains += 1;
    }
    expect(calls).toEqual(Array(drains).fill(['drained']));
    expect(raw.frames).toEqual(texts.map((one) => ['text', one]));
  });

  test.each([
    ['x', 3],
    ['é', 2],
    ['🙂', 1],
  ])('loses whole messages of %s, and only beyond the backlog', (letter) => {
    const backlogBytesMax = 2_000;
    const { raw, socket, drain } = connected({ backlogBytesMax });
    raw.roomBytes = 0;
    const one = letter.repeat(24);
    const bytes = Buffer.byteLength(one) + 2;
    let taken = 0;
    while (socket.send(one)) taken += 1;
    expect(socket.bufferedBytes).toBe(taken * bytes);
    expect(socket.bufferedBytes).toBeLessThanOrEqual(backlogBytesMax);
    expect(socket.bufferedBytes).toBeGreaterThan(backlogBytesMax - bytes - 10);
    drain(bytes);
    expect(socket.send(one)).toBe(true);
    expect(socket.send(one)).toBe(false);
    drain();
    expect(raw.frames).toEqual(Array(taken + 1).fill(['text', one]));
  });

  test.each(['x', 'é', '€'])('may be sent one message of %s as large as the backlog with its header', (letter) => {
    const size = 3_000 / Buffer.byteLength(letter);
    const { raw, socket } = connected({ backlogBytesMax: 3_010 });
    raw.roomBytes = 0;
    expect(socket.send(`${letter.repeat(size)}x`)).toBe(false);
    expect(socket.bufferedBytes).toBe(0);
    expect(socket.send(letter.repeat(size))).toBe(true);
    expect(socket.bufferedBytes).toBe(3_004);
  });

  test('gets one pong for all of its pings, with the last payload', () => {
    const { raw, socket, say, calls, drain } = connected();
    raw.roomBytes = 0;
    socket.send('waits');
    for (let turn = 0; turn < 20; turn += 1) {
      const bytes = Buffer.concat(Array.from({ length: 25 }, (_, index) => from(9, `${turn} ${index}`)));
      socket.received(bytes);
      // The runtime may use the memory of a read again.
      bytes.fill(0);
    }
    expect(socket.bufferedBytes).toBe(7);
    drain();
    expect(pongsOf(raw)).toEqual(['19 24']);
    expect(calls).toEqual([['drained']]);
    say(from(9, 'again'));
    expect(pongsOf(raw)).toEqual(['19 24', 'again']);
  });

  test('gets the close frame after what waits, and the hang-up after that', () => {
    const { raw, socket, say, drain, calls } = connected();
    raw.roomBytes = 3;
    socket.send('waits');
    say(from(9, 'no pong after a close'), from(8, closing(4_001, 'why')));
    expect(calls).toEqual([['closed', 4_001, 'why']]);
    expect(raw.calls).toEqual([]);
    drain(5);
    expect(raw.calls).toEqual([]);
    drain();
    drain();
    expect(raw.calls).toEqual(['shutdown']);
    expect(raw.frames).toEqual([
      ['text', 'waits'],
      ['close', 4_001, 'why'],
    ]);
    expect(calls).toHaveLength(1);
  });
});

describe('silence', () => {
  test('of 60 ticks brings one ping, of 120 the end', () => {
    const { raw, ticks, calls, ends, socket } = connected();
    ticks(59);
    expect(raw.frames).toEqual([]);
    ticks(1);
    expect(raw.frames).toEqual([['ping', '']]);
    ticks(59);
    expect(raw.frames).toHaveLength(1);
    expect(calls).toEqual([]);
    ticks(1);
    expect(calls).toEqual([['closed', 1006, '']]);
    expect(raw.calls).toEqual(['terminate']);
    expect(ends).toEqual([socket]);
    ticks(200);
    expect([calls.length, raw.calls.length, ends.length]).toEqual([1, 1, 1]);
  });

  test.each([
    ['a pong', from(10)],
    ['a ping', from(9)],
    ['a message', text('x')],
    ['a part of a frame', text('x').subarray(0, 1)],
  ])('is ended by %s', (_, bytes) => {
    const { raw, ticks, calls, say } = connected();
    ticks(119);
    say(bytes);
    ticks(59);
    expect(raw.frames.filter(([name]) => name === 'ping')).toHaveLength(1);
    ticks(60);
    expect(raw.frames.filter(([name]) => name === 'ping')).toHaveLength(2);
    expect(calls.filter(([name]) => name === 'closed')).toEqual([]);
    ticks(1);
    expect(calls.at(-1)).toEqual(['closed', 1006, '']);
  });

  test('does not count while the client takes what waits for it', () => {
    const { raw, ticks, calls, socket, drain } = connected();
    raw.roomBytes = 0;
    socket.send('x'.repeat(1_000));
    for (let turn = 0; turn < 5; turn += 1) {
      ticks(119);
      drain(10);
    }
    expect(calls).toEqual(Array(5).fill(['drained']));
    ticks(119);
    drain(0);
    ticks(1);
    expect(calls.slice(5)).toEqual([['closed', 1006, '']]);
  });
});

describe('the end', () => {
  test.each([
    [closing(1000, 'done'), 1000, 'done'],
    [closing(4_999), 4_999, ''],
    [Buffer.alloc(0), 1005, ''],
  ])('that the client announces is answered alike and reported', (payload, code, reason) => {
    const { raw, calls, say, socket, ends } = connected();
    say(text('last'), from(8, payload), text('late'), from(3));
    say(text('later'));
    expect(calls).toEqual([
      ['message', 'last'],
      ['closed', code, reason],
    ]);
    expect(Buffer.concat(raw.sent).equals(frame(8, payload))).toBe(true);
    expect(raw.calls).toEqual(['shutdown']);
    expect(socket.send('x')).toBe(false);
    socket.close(1000, '');
    expect(ends).toEqual([]);
    raw.close();
    socket.lost();
    socket.terminate();
    expect(ends).toEqual([socket]);
    expect(calls).toHaveLength(2);
    expect(raw.calls).toEqual(['shutdown']);
  });

  test.each([
    ['answer', closing(1001)],
    ['own close frame, which crossed Weir’s', closing(4_001, 'theirs')],
  ])('that Weir announces is reported at once; the connection ends with the client’s %s', (_, payload) => {
    const { raw, calls, say, socket, ends } = connected();
    expect(socket.send('last')).toBe(true);
    socket.close(1001, 'Weir is shutting down.');
    expect(calls).toEqual([['closed', 1001, 'Weir is shutting down.']]);
    expect(socket.send('late')).toBe(false);
    socket.close(1011, 'twice');
    say(text('crossed'), from(9, 'crossed'), text('part').subarray(0, 3));
    expect(raw.calls).toEqual([]);
    say(text('part').subarray(3), from(8, payload), text('late'));
    expect(raw.calls).toEqual(['shutdown']);
    expect(raw.frames).toEqual([
      ['text', 'last'],
      ['close', 1001, 'Weir is shutting down.'],
    ]);
    raw.close();
    expect(calls).toHaveLength(1);
    expect(ends).toEqual([socket]);
  });

  const losses: readonly (readonly [string, Uint8Array, Call])[] = [
    ['the connection is open', from(10), ['closed', 1006, '']],
    ['a message arrives', text('x').subarray(0, 3), ['closed', 1006, '']],
    ['the client’s close frame is answered', from(8, closing(4_000)), ['closed', 4_000, '']],
  ];
  test.each(losses)('by loss while %s keeps nothing of what waits', (_, before, reported) => {
    const { raw, calls, say, socket, ends } = connected();
    raw.roomBytes = 0;
    socket.send('waits');
    say(before);
    raw.close();
    expect(socket.bufferedBytes).toBe(0);
    expect(calls).toEqual([reported]);
    expect(ends).toEqual([socket]);
    expect(socket.send('x')).toBe(false);
    socket.close(1000, '');
    socket.received(text('late'));
    socket.drained();
    socket.terminate();
    expect([calls.length, ends.length]).toEqual([1, 1]);
    expect(raw.calls).toEqual([]);
  });

  test('by terminate has no close frame and is reported once', () => {
    const { raw, calls, socket, ends } = connected();
    socket.terminate();
    socket.terminate();
    expect(calls).toEqual([['closed', 1006, '']]);
    expect(raw.calls).toEqual(['terminate']);
    expect(raw.frames).toEqual([]);
    expect(ends).toEqual([socket]);
  });
});

describe('a client that does not hang up', () => {
  const endings: readonly (readonly [string, (one: ReturnType<typeof connected>) => void])[] = [
    ['does not answer a close', ({ socket }) => socket.close(1000, '')],
    ['answered it', ({ socket, say }) => [socket.close(1000, ''), say(from(8, closing(1000)))]],
    ['closed by itself', ({ say }) => say(from(8, closing(1000)))],
    ['broke the protocol', ({ say }) => say(from(3))],
  ];
  test.each(endings)('and %s is cut off after 10 ticks, whatever it sends', (_, begin) => {
    const one = connected();
    one.ticks(59);
    begin(one);
    for (let tick = 0; tick < 9; tick += 1) {
      one.ticks(1);
      one.say(text('still here'));
    }
    expect(one.raw.calls).not.toContain('terminate');
    expect(one.ends).toEqual([]);
    one.ticks(1);
    expect(one.raw.calls.at(-1)).toBe('terminate');
    expect(one.ends).toEqual([one.socket]);
    expect(one.calls).toHaveLength(1);
    expect(one.raw.frames.map(([name]) => name)).toEqual(['close']);
  });

  test('has more time while it reads what waits, but not forever', () => {
    const { raw, socket, ticks, drain } = connected();
    raw.roomBytes = 0;
    socket.send('x'.repeat(5_000));
    socket.close(1000, '');
    for (let turn = 1; turn < 120; turn += 1) {
      ticks(1);
      drain(1);
    }
    expect(raw.calls).toEqual([]);
    ticks(1);
    expect(raw.calls).toEqual(['terminate']);
  });
});

describe('inside a callback', () => {
  test('open, a handler may send', () => {
    expect(connected({ on: { open: (socket) => void socket.send('hi') } }).raw.frames).toEqual([['text', 'hi']]);
  });

  test.each([
    ['close', ['closed', 1008, 'no']],
    ['terminate', ['closed', 1006, '']],
  ] as const)('open, it may %s: then nothing is delivered', (how, reported) => {
    const { raw, calls, say, socket, ends } = connected({ on: { open: (opened) => leave(opened, how) } });
    say(text('early'));
    expect(calls).toEqual([[...reported]]);
    expect(raw.frames).toEqual(how === 'close' ? [['close', 1008, 'no']] : []);
    expect(socket.send('x')).toBe(false);
    raw.close();
    expect(ends).toEqual([socket]);
  });

  test.each([
    ['close', ['closed', 1008, 'no']],
    ['terminate', ['closed', 1006, '']],
  ] as const)('message, it may %s: the rest of the read is not delivered', (how, reported) => {
    const { calls, say, raw, socket, ends } = connected({ on: { message: (open) => leave(open, how) } });
    say(text('a'), text('b'), from(2, 'c'), from(9, 'd'), from(8, closing(4_000)), from(3));
    expect(calls).toEqual([['message', 'a'], [...reported]]);
    expect(raw.calls).toEqual([how === 'close' ? 'shutdown' : 'terminate']);
    expect(raw.frames).toEqual(how === 'close' ? [['close', 1008, 'no']] : []);
    raw.close();
    expect(ends).toEqual([socket]);
  });

  test.each(['close', 'terminate', 'send'] as const)('closed, it may %s', (how) => {
    const begins: ((one: ReturnType<typeof connected>) => void)[] = [
      ({ say }) => say(from(8, closing(4_000))),
      ({ say }) => say(from(3)),
      ({ socket }) => socket.close(1000, ''),
      ({ socket }) => socket.terminate(),
      ({ raw }) => raw.close(),
    ];
    for (const begin of begins) {
      const one = connected({
        on: { closed: (socket) => (how === 'send' ? expect(socket.send('late')).toBe(false) : leave(socket, how)) },
      });
      begin(one);
      one.raw.close();
      expect(one.calls).toHaveLength(1);
      expect(one.ends).toEqual([one.socket]);
      expect(one.raw.calls.length).toBeLessThanOrEqual(1);
    }
  });

  test('drained, it may send until the socket is full again', () => {
    const more = (socket: Socket) => {
      while (socket.bufferedBytes === 0) socket.send('more');
    };
    const { raw, calls, socket, drain } = connected({ on: { drained: more } });
    raw.roomBytes = 0;
    socket.send('waits');
    drain(50);
    expect(calls).toEqual([['drained']]);
    expect(socket.bufferedBytes).toBeGreaterThan(0);
  });
});

function leave(socket: Socket, how: 'close' | 'terminate'): void {
  if (how === 'close') socket.close(1008, 'no');
  else socket.terminate();
}

test('the refusal is the server’s', () => {
  const refusal = new GatewayError('shutting_down', 'Later.');
  expect(connected({ refusal }).socket.refusal()).toBe(refusal);
  expect(connected().socket.refusal()).toBeUndefined();
});
