/**
 * Random frames of a provider against the WebSocket client: what was sent whole is delivered once and in order, what
 * is wrong ends the connection with the right code, and nothing of one connection is delivered on another.
 * WEIR_FUZZ_EXCHANGES and WEIR_FUZZ_SEED as for replies.
 */

import { afterEach, expect, test } from 'bun:test';
import { Random } from '../../harness/random.ts';
import { endAll, openAndListen } from '../../harness/recorded-client.ts';
import { agree, type Peer, startPeer } from '../../harness/scripted-peer.ts';
import { until } from '../../harness/until.ts';
import { cutBytes, endingOf, faultsOf, messageOf } from './frames.ts';

const exchanges = Number(process.env['WEIR_FUZZ_EXCHANGES'] ?? 400);
const seed = Number(process.env['WEIR_FUZZ_SEED'] ?? 261_115);
const lanes = 16;
const messageBytesMax = 4_096;

const stops: (() => void)[] = [];
afterEach(() => {
  endAll();
  for (const stop of stops.splice(0)) stop();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test(
  `${exchanges} connections, seed ${seed}: every message at its own connection, every end with its own code`,
  async () => {
    const random = new Random(seed);
    const peers = new Map<string, Peer>();
    const server = startPeer(agree, (peer) => {
      const nonce = /^x-nonce: (\S+)$/im.exec(peer.head)?.[1] ?? '';
      peers.set(nonce, peer);
    });
    stops.push(() => server.stop());
    let begun = 0;
    let messages = 0;
    const wrong: string[] = [];

    const connection = async (): Promise<void> => {
      const nonce = `n${String(begun++).padStart(8, '0')}`;
      const headers = { 'x-nonce': nonce };
      const { socket, recorded } = await openAndListen(server.url, { headers, messageBytesMax, closeTimeoutMs: 5_000 });
      await until(() => peers.has(nonce));
      const peer = peers.get(nonce);
      peers.delete(nonce);
      if (peer === undefined) throw new Error('no peer');
      const sent = random.list(0, 5, (index) => `${nonce} ${index} ${random.saying(random.int(1, 40))}`);
      const ending = endingOf(random, false, messageBytesMax);
      const bytes = Buffer.concat([...sent.map((text) => messageOf(random, text, false)), ending.bytes]);
      for (const piece of cutBytes(random, bytes)) {
        if (random.chance(0.1)) socket.pause();
        socket.send(`${nonce} from the client`);
        peer.socket.write(piece);
        await turn();
        socket.resume();
      }
      if (ending.hangsUp === true) peer.socket.end();
      await until(() => recorded.ends.length > 0, 60_000, `the end of ${nonce} (${ending.name})`);
      peer.socket.end();
      messages += recorded.messages.length;
      const faults = faultsOf(
        peer.frames.map((each) => ({ ...each, reserved: 0 })),
        true,
      );
      const foreign = peer.frames.filter(
        ({ opcode, payload }) => opcode === 1 && !payload.toString().startsWith(nonce),
      );
      const seen = JSON.stringify([recorded.messages, recorded.ends.map(([code]) => code), faults, foreign.length]);
      const expected = JSON.stringify([sent, [ending.code], [], 0]);
      if (seen !== expected) wrong.push(`${nonce} ${ending.name}: ${seen} instead of ${expected}`);
    };

    const lane = async (): Promise<void> => {
      while (begun < exchanges) await connection();
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(wrong).toEqual([]);
    expect(messages).toBeGreaterThan(exchanges);
  },
  60_000 + exchanges * 30,
);
