/**
 * Random frames of clients and of a provider against a running Weir: every event arrives at its own session, once and in
 * order; a fault of either side ends only that session, with a valid close code. WEIR_FUZZ_EXCHANGES and WEIR_FUZZ_SEED
 * as for replies; a session carries ten exchanges.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { Random } from '../../harness/random.ts';
import { properHandshake, RawSocket } from '../../harness/raw-socket.ts';
import { agree, type Peer, type PeerServer, startPeer } from '../../harness/scripted-peer.ts';
import { until } from '../../harness/until.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';
import { cutBytes, endingOf, faultsOf, messageOf, readFrames } from './frames.ts';

const exchanges = Number(process.env['WEIR_FUZZ_EXCHANGES'] ?? 400);
const seed = Number(process.env['WEIR_FUZZ_SEED'] ?? 261_115);
const lanes = 8;
const perSession = 10;
const messageBytesMax = 65_536;

let provider: PeerServer;
let weir: RunningWeir;
beforeAll(async () => {
  provider = startPeer(agree);
  weir = await startWeir({
    yaml: {
      providers: {
        up: { kind: 'openai', base_url: `http://127.0.0.1:${provider.port}/v1`, key: 'sk-up', models: ['m-realtime'] },
      },
      limits: { json_body_bytes_max: messageBytesMax, stream_event_bytes_max: messageBytesMax },
    },
  });
}, 300_000);
afterAll(async () => {
  await weir?.remove();
  provider?.stop();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function write(random: Random, socket: Socket | Peer['socket'], bytes: Buffer): Promise<void> {
  for (const piece of cutBytes(random, bytes)) {
    socket.write(piece);
    await turn();
  }
}

/** The ids of the events among some frames: none of these tests' frames comes from Weir in parts. */
function idsIn(frames: readonly { readonly opcode: number; readonly payload: Buffer }[]): string[] {
  return frames
    .filter(({ opcode }) => opcode === 1)
    .map(({ payload }) => JSON.parse(payload.toString()) as { type: string; event_id: string })
    .filter(({ type }) => type !== 'error')
    .map(({ event_id }) => event_id);
}

class Session {
  readonly #random: Random;
  readonly nonce: string;
  readonly client: RawSocket;
  peer: Peer | undefined;
  readonly #asked: string[] = [];
  readonly #sentToClient: string[] = [];

  constructor(random: Random, nonce: string, client: RawSocket) {
    this.#random = random;
    this.nonce = nonce;
    this.client = client;
  }

  get #received(): string[] {
    return idsIn(readFrames(this.client.body).frames);
  }

  async #ask(text: string): Promise<void> {
    const id = `${this.nonce} ${text}`;
    this.#asked.push(id);
    const event = JSON.stringify({ type: 'input_audio_buffer.clear', event_id: id });
    await write(this.#random, this.client.socket, messageOf(this.#random, event, true));
  }

  async #tell(peer: Peer, text: string): Promise<void> {
    const id = `${this.nonce} ${text}`;
    this.#sentToClient.push(id);
    const event = JSON.stringify({ type: 'rate_limits.updated', event_id: id });
    await write(this.#random, peer.socket, messageOf(this.#random, event, false));
  }

  /** Messages in both directions at once; all of them arrive, and nothing else. */
  async talk(): Promise<void> {
    await this.#ask('hello');
    const isOurs = ({ frames }: Peer) => frames.some(({ payload }) => payload.includes(`${this.nonce} hello`));
    await until(() => provider.peers.slice(-4 * lanes).some(isOurs), 60_000, `the provider's side of ${this.nonce}`);
    const peer = provider.peers.findLast(isOurs);
    if (peer === undefined) throw new Error('no peer');
    this.peer = peer;
    const ask = async (): Promise<void> => {
      for (let index = 1; index < perSession; index++) await this.#ask(this.#random.saying(this.#random.int(1, 40)));
    };
    const tell = async (): Promise<void> => {
      for (let index = 0; index < perSession; index++)
        await this.#tell(peer, this.#random.saying(this.#random.int(1, 40)));
    };
    await Promise.all([ask(), tell()]);
    const isDone = () => this.#received.length >= perSession && idsIn(peer.frames).length >= perSession;
    await until(isDone, 60_000, `the messages of ${this.nonce}`);
  }

  /** One side, or both at once, ends the session at random; both connections close. */
  async end(): Promise<string> {
    const random = this.#random;
    const { peer, client } = this;
    if (peer === undefined) throw new Error('no peer');
    const ends = random.pick([['client'], ['provider'], ['client', 'provider']]);
    const names: string[] = [];
    await Promise.all(
      ends.map(async (side) => {
        const ending = endingOf(random, side === 'client', messageBytesMax);
        names.push(`${side} ${ending.name}`);
        await write(random, side === 'client' ? client.socket : peer.socket, ending.bytes);
        if (ending.hangsUp !== true) return;
        if (side === 'client') client.end();
        else peer.socket.end();
      }),
    );
    const isOver = (): boolean => {
      // Each side closes once Weir has sent a close frame.
      if (peer.frames.some(({ opcode }) => opcode === 8)) peer.socket.end();
      if (readFrames(client.body).frames.some(({ opcode }) => opcode === 8)) client.end();
      return client.closed && peer.gone;
    };
    await until(isOver, 60_000, `the end of ${this.nonce} (${names.join(', ')})`);
    return names.join(', ');
  }

  /** Empty if everything was correct. */
  faults(): string[] {
    const { frames } = readFrames(this.client.body);
    const fromWeir = faultsOf(frames, false);
    const toProvider = faultsOf(
      (this.peer?.frames ?? []).map((each) => ({ ...each, reserved: 0 })),
      true,
    );
    const received =
      JSON.stringify(this.#received) === JSON.stringify(this.#sentToClient) ? [] : ['events at the client'];
    const asked = idsIn(this.peer?.frames ?? []);
    const arrived = JSON.stringify(asked) === JSON.stringify(this.#asked) ? [] : ['events at the provider'];
    return [...fromWeir, ...toProvider, ...received, ...arrived];
  }
}

test(
  `${exchanges} exchanges in sessions, seed ${seed}: every event at its own session, no illegal close code, no crash`,
  async () => {
    const random = new Random(seed);
    const { pid } = weir;
    const headers = { ...properHandshake, authorization: `Bearer ${weir.token}` };
    const sessions = Math.ceil(exchanges / perSession);
    let begun = 0;
    const wrong: string[] = [];
    const lane = async (): Promise<void> => {
      while (begun < sessions) {
        const nonce = `n${String(begun++).padStart(8, '0')}`;
        const client = await RawSocket.open(weir.url, '/v1/realtime?model=m-realtime', headers);
        if (client.status !== 101) throw new Error(`${nonce}: status ${client.status}`);
        const session = new Session(random, nonce, client);
        await session.talk();
        const how = await session.end();
        const faults = session.faults();
        if (faults.length > 0) wrong.push(`${nonce} ended by ${how}: ${faults.join(', ')}`);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(wrong).toEqual([]);
    expect(weir.pid).toBe(pid);
    expect((await fetch(`${weir.url}/healthz`)).status).toBe(200);
    await until(() => provider.open === 0, 60_000, 'the end of every connection to the provider');
    expect(weir.output()).not.toMatch(/uncaught|unhandled|TypeError|RangeError/i);
  },
  60_000 + exchanges * 60,
);
