/** An open socket against a server of raw bytes: faults, pauses, pings and every way to end. */

import { afterEach, describe, expect, spyOn, test } from 'bun:test';
import { loopbackRounds } from '../../../test/harness/loopback.ts';
import { endAll, open, openAndListen, type SocketOptions } from '../../../test/harness/recorded-client.ts';
import { agree, closing, frame, type Peer, type PeerServer, startPeer } from '../../../test/harness/scripted-peer.ts';
import { until } from '../../../test/harness/scripted-server.ts';
import { acceptFor } from '../../framing/websocket/accept-key.ts';

const servers: PeerServer[] = [];
afterEach(() => {
  endAll();
  for (const server of servers.splice(0)) server.stop();
});

async function connected(given: SocketOptions = {}, openWith: typeof open = openAndListen) {
  const server = startPeer();
  servers.push(server);
  const client = await openWith(server.url, given);
  const peer = server.peers[0];
  if (peer === undefined) throw new Error('no peer connected');
  return { ...client, peer, server };
}

const opcodesOf = ({ frames }: Peer) => frames.map(({ opcode }) => opcode);
const closeOf = ({ frames }: Peer) => {
  const payload = frames.find(({ opcode }) => opcode === 8)?.payload;
  if (payload === undefined) return undefined;
  return payload.length === 0 ? [] : [payload.readUInt16BE(0), payload.toString('utf8', 2)];
};
/** Everything that was sent has been read. */
const settled = () => loopbackRounds();

/** A connection whose periods of silence end when the test says so. */
async function connectedWithPeriods() {
  let period = () => {};
  const timers = spyOn(globalThis, 'setInterval').mockImplementation(((callback: () => void) => {
    period = callback;
    return setTimeout(() => {}, 0);
  }) as unknown as typeof setInterval);
  try {
    const client = await connected();
    return { ...client, endPeriod: () => period() };
  } finally {
    timers.mockRestore();
  }
}

describe('faults end the connection with their code, reported to both sides', () => {
  test.each([
    ['a masked frame', frame(1, 'x', { masked: true }), 1002],
    ['an unknown kind', frame(3, 'x'), 1002],
    ['text that is no UTF-8', frame(1, Buffer.from([0xff])), 1007],
    ['a message that is too large', frame(1, 'x'.repeat(1_001)), 1009],
    ['an illegal close code', frame(8, closing(1005)), 1002],
  ])('%s', async (_name, bytes, code) => {
    const { peer, recorded } = await connected({ messageBytesMax: 1_000 });
    peer.send(frame(1, 'before'), bytes, frame(1, 'after'));
    await until(() => recorded.ends.length === 1 && closeOf(peer) !== undefined);
    expect(recorded.messages).toEqual(['before']);
    expect(recorded.ends[0]?.[0]).toBe(code);
    expect(closeOf(peer)?.[0]).toBe(code);
    await until(() => peer.gone);
    await settled();
    expect(recorded.ends).toHaveLength(1);
  });
});

describe('pings', () => {
  test('are answered at once with what they hold, also between parts', async () => {
    const { peer, recorded } = await connected();
    peer.send(frame(9, 'one'), frame(1, 'a', { final: false }), frame(9), frame(0, 'b'));
    await until(() => peer.frames.length === 2 && recorded.messages.length === 1);
    expect(peer.frames.map(({ opcode, payload, masked }) => [opcode, payload.toString(), masked])).toEqual([
      [10, 'one', true],
      [10, '', true],
    ]);
  });

  test('go to a silent server, and their answers keep it', async () => {
    const { peer, recorded, endPeriod } = await connectedWithPeriods();
    endPeriod();
    for (let answered = 0; answered < 6; answered += 1) {
      endPeriod();
      await until(() => opcodesOf(peer).filter((opcode) => opcode === 9).length > answered);
      peer.send(frame(10), frame(1, 'x'));
      await until(() => recorded.messages.length > answered);
      endPeriod();
    }
    expect(recorded.ends).toEqual([]);
  });

  test('do not go to a server that speaks', async () => {
    const { peer, recorded, endPeriod } = await connectedWithPeriods();
    for (let count = 1; count <= 20; count += 1) {
      peer.send(frame(1, 'x'));
      await until(() => recorded.messages.length === count);
      endPeriod();
    }
    await settled();
    expect(opcodesOf(peer)).not.toContain(9);
    expect(recorded.ends).toEqual([]);
  });

  test('without an answer end the connection', async () => {
    const { peer, recorded } = await connected({ pingEveryMs: 15 });
    await until(() => recorded.ends.length === 1);
    expect(recorded.ends).toEqual([[1006, '']]);
    expect(new Set(opcodesOf(peer))).toEqual(new Set([9]));
    await until(() => peer.gone);
  });

  test('while paused silence is no fault, and counting restarts after', async () => {
    const { peer, recorded, socket, endPeriod } = await connectedWithPeriods();
    socket.pause();
    for (let periods = 1; periods <= 6; periods += 1) {
      endPeriod();
      await until(() => peer.frames.length === periods);
    }
    expect(recorded.ends).toEqual([]);
    socket.resume();
    peer.send(frame(1, 'back'));
    await until(() => recorded.messages.length === 1);
    for (let periods = 0; periods < 6; periods += 1) endPeriod();
    await until(() => recorded.ends.length === 1);
  });

  test('of a server that does not read are answered with one pong, not thousands', async () => {
    const { peer, socket } = await connected();
    peer.socket.pause();
    while (socket.bufferedBytes === 0) socket.send('x'.repeat(1_000_000));
    const before = socket.bufferedBytes;
    for (let count = 0; count < 1_000; count += 1) peer.send(frame(9, String(count)));
    await settled();
    expect(socket.bufferedBytes).toBe(before);
    peer.socket.resume();
    await until(() => opcodesOf(peer).includes(10));
    await settled();
    const pongs = peer.frames.filter(({ opcode }) => opcode === 10).map(({ payload }) => payload.toString());
    expect(pongs).toEqual(['999']);
  });
});

describe('pause', () => {
  test('holds what came with the handshake until the first resume, and even the end', async () => {
    const server = startPeer(
      () => '',
      (peer) => {
        const key = /sec-websocket-key: (\S+)/.exec(peer.head)?.[1] ?? '';
        peer.send(agree(acceptFor(key), ''), frame(1, 'a'), frame(1, 'b'), frame(8, closing(1000)));
      },
    );
    servers.push(server);
    const { socket, recorded } = await open(server.url);
    await settled();
    expect([recorded.messages, recorded.ends]).toEqual([[], []]);
    socket.resume();
    expect(recorded.messages).toEqual([]);
    await until(() => recorded.ends.length === 1);
    expect(recorded.messages).toEqual(['a', 'b']);
    expect(recorded.ends).toEqual([[1000, '']]);
  });

  test.each([
    ['a close', (peer: Peer) => peer.send(frame(8, closing(4002))), 4002],
    ['a reset', (peer: Peer) => peer.socket.terminate(), 1006],
  ])('before the first resume keeps even %s with nothing before it', async (_name, leave, code) => {
    const server = startPeer(
      () => '',
      (peer) => {
        const key = /sec-websocket-key: (\S+)/.exec(peer.head)?.[1] ?? '';
        peer.send(agree(acceptFor(key), ''));
        leave(peer);
      },
    );
    servers.push(server);
    const { socket, recorded } = await open(server.url);
    await settled();
    expect(recorded.ends).toEqual([]);
    socket.resume();
    await until(() => recorded.ends.length === 1);
    expect(recorded.ends[0]?.[0]).toBe(code);
  });

  test('inside a message holds the rest of the read', async () => {
    let pause = () => {};
    const { peer, recorded, socket } = await connected({ onMessage: () => pause() });
    pause = () => socket.pause();
    peer.send(frame(1, '1'), frame(1, '2'), frame(1, '3'));
    for (const count of [1, 2, 3]) {
      await until(() => recorded.messages.length === count);
      await settled();
      expect(recorded.messages).toHaveLength(count);
      socket.resume();
    }
    expect(recorded.messages).toEqual(['1', '2', '3']);
  });

  test('still answers a ping that came with the read, and echoes a close', async () => {
    let pause = () => {};
    const { peer, recorded, socket } = await connected({ onMessage: () => pause() });
    pause = () => socket.pause();
    peer.send(frame(1, '1'), frame(9, 'p'), frame(1, '2'), frame(8, closing(4001, 'why')));
    await until(() => peer.frames.length === 2);
    expect(opcodesOf(peer)).toEqual([10, 8]);
    expect([recorded.messages, recorded.ends]).toEqual([['1'], []]);
    socket.resume();
    await until(() => recorded.ends.length === 1);
    expect(recorded.messages).toEqual(['1', '2']);
    expect(recorded.ends).toEqual([[4001, 'why']]);
  });

  test('with nothing held back reports a reset at once', async () => {
    const { peer, recorded, socket } = await connected();
    socket.pause();
    peer.socket.terminate();
    await until(() => recorded.ends.length === 1);
    expect(recorded.ends).toEqual([[1006, '']]);
  });

  test('and resume at once lose and double nothing', async () => {
    const { peer, recorded, socket } = await connected();
    for (let count = 0; count < 200; count += 1) {
      peer.send(frame(1, String(count)));
      socket.pause();
      socket.resume();
      if (count % 20 === 0) await Bun.sleep(1);
    }
    await until(() => recorded.messages.length === 200);
    expect(recorded.messages).toEqual(Array.from({ length: 200 }, (_, count) => String(count)));
  });
});

describe('the end', () => {
  test.each([
    [closing(1000, 'done'), [1000, 'done']],
    [closing(4005, ''), [4005, '']],
    [Buffer.alloc(0), [1005, '']],
  ])('that the server announces with %p is echoed and reported', async (payload, ending) => {
    const { peer, recorded, socket } = await connected();
    peer.send(frame(8, payload));
    await until(() => recorded.ends.length === 1 && closeOf(peer) !== undefined);
    expect(recorded.ends).toEqual([ending as [number, string]]);
    expect(peer.frames[0]?.payload.equals(payload)).toBe(true);
    socket.send('too late');
    socket.close(1000, '');
    socket.terminate();
    await until(() => peer.gone);
    await settled();
    expect(peer.frames).toHaveLength(1);
    expect(recorded.ends).toHaveLength(1);
  });

  test('that we announce waits for the answer, and messages before it are delivered', async () => {
    const { peer, recorded, socket } = await connected({ closeTimeoutMs: 60_000 });
    socket.send('last');
    socket.close(4000, 'enough');
    socket.send('never');
    socket.close(4001, 'twice');
    await until(() => closeOf(peer) !== undefined);
    expect(closeOf(peer)).toEqual([4000, 'enough']);
    expect(opcodesOf(peer)).toEqual([1, 8]);
    expect(recorded.ends).toEqual([]);
    peer.send(frame(1, 'crossed'), frame(8, closing(4000)));
    await until(() => recorded.ends.length === 1);
    expect(recorded.messages).toEqual(['crossed']);
    expect(recorded.ends).toEqual([[4000, '']]);
    peer.socket.end();
    await settled();
    expect(recorded.ends).toHaveLength(1);
  });

  test.each([
    [1005, 1000],
    [1006, 1011],
    [1015, 1011],
    [12, 1011],
  ])('with code %d is announced as %d', async (code, sent) => {
    const { peer, socket } = await connected();
    socket.close(code, 'ü'.repeat(100));
    await until(() => closeOf(peer) !== undefined);
    expect(closeOf(peer)).toEqual([sent, 'ü'.repeat(61)]);
  });

  test('that is not answered comes after its time', async () => {
    const { peer, recorded, socket } = await connected({ closeTimeoutMs: 40 });
    socket.close(1000, '');
    expect(recorded.ends).toEqual([]);
    await until(() => recorded.ends.length === 1);
    expect(recorded.ends).toEqual([[1006, '']]);
    await until(() => peer.gone);
  });

  test('by terminate is at once, without a close frame, and reported after the call', async () => {
    const { peer, recorded, socket } = await connected({}, open);
    socket.terminate();
    expect(recorded.ends).toEqual([]);
    socket.terminate();
    await until(() => peer.gone && recorded.ends.length === 1);
    await settled();
    expect(recorded.ends).toEqual([[1006, '']]);
    expect(peer.frames).toEqual([]);
  });

  test('by terminate inside a message stops the others', async () => {
    let end = () => {};
    const { peer, recorded, socket } = await connected({ onMessage: () => end() });
    end = () => socket.terminate();
    peer.send(frame(1, 'a'), frame(1, 'b'), frame(8, closing(1000)));
    await until(() => recorded.ends.length === 1);
    expect(recorded.messages).toEqual(['a']);
    expect(recorded.ends).toEqual([[1006, '']]);
  });

  test.each(['end', 'terminate'] as const)('by the server’s %s without a word is 1006', async (way) => {
    const { peer, recorded, socket } = await connected();
    peer.send(frame(1, 'whole'), frame(1, 'part').subarray(0, 4));
    await until(() => recorded.messages.length === 1);
    peer.socket[way]();
    await until(() => recorded.ends.length === 1);
    expect(recorded.ends).toEqual([[1006, '']]);
    socket.send('sent after the end');
    expect(socket.bufferedBytes).toBe(0);
  });

  test('of a server that never hangs up is made by us', async () => {
    const { peer, recorded } = await connected({ closeTimeoutMs: 30 });
    peer.send(frame(8, closing(1000)));
    await until(() => recorded.ends.length === 1);
    await until(() => peer.gone);
  });
});
