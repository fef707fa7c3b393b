/**
 * Random replies of a provider against the HTTP client: whatever the bytes are, no exchange reads what was written for
 * another one. WEIR_FUZZ_EXCHANGES says how many, WEIR_FUZZ_SEED repeats a run.
 */

import { afterEach, expect, test } from 'bun:test';
import type { Socket } from 'bun';

import { ConnectionLostError } from '../../../src/upstream/http1/errors.ts';
import { createHttpTransport } from '../../../src/upstream/http1/http-transport.ts';
import { createNetwork } from '../../../src/upstream/network.ts';
import type { Transport } from '../../../src/upstream/transport.ts';
import { startProxy } from '../../harness/proxy.ts';
import { Random } from '../../harness/random.ts';
import { type ServerConnection, startServer } from '../../harness/scripted-server.ts';
import { correctMutations, type Mutation, mutations, type ScriptedReply } from './reply-mutations.ts';

const exchanges = Number(process.env['WEIR_FUZZ_EXCHANGES'] ?? 1_000);
const seed = Number(process.env['WEIR_FUZZ_SEED'] ?? 261_115);
const lanes = 8;
/** No exchange of these scripts takes long; one that waits for bytes of another one would wait forever. */
const exchangeTimeoutMs = 120_000;
const bodyBytesMax = 1_000_000;

const opened: (() => void)[] = [];
afterEach(() => {
  for (const stop of opened.splice(0)) stop();
});

interface Tally {
  exchanges: number;
  served: number;
  readonly wrong: string[];
}

/** Answers by the mutation that the request names; held bytes are sent if the connection is used again. */
function startProvider(random: Random) {
  const held = new WeakMap<object, string>();
  let reused = 0;
  const server = startServer((socket, { body }) => {
    const [nonce = '', name = ''] = body.toString().split('|');
    const connection = socket.data;
    if (connection.requests > 1) reused += 1;
    const rest = held.get(connection);
    const mutation = mutations.find((each) => each.name === name);
    if (mutation === undefined) throw new Error(`no mutation is called ${name}`);
    const reply = mutation.make(nonce, random);
    if (reply.held !== undefined) held.set(connection, reply.held);
    void writeAll(socket, rest === undefined ? reply : { ...reply, writes: [rest, ...reply.writes] });
  });
  opened.push(() => server.stop());
  return { url: server.url, accepted: () => server.accepted, reused: () => reused };
}

async function writeAll(socket: Socket<ServerConnection>, { writes, closes }: ScriptedReply): Promise<void> {
  for (const piece of writes) {
    socket.write(Buffer.from(piece, 'latin1'));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (closes === true) socket.end();
}

async function exchange(transport: Transport, url: string, nonce: string, mutation: Mutation): Promise<string> {
  const signal = AbortSignal.timeout(exchangeTimeoutMs);
  const body = `${nonce}|${mutation.name}`;
  const reply = await transport({ url, method: 'POST', headers: {}, body, signal });
  return Buffer.from(await reply.whole(bodyBytesMax)).toString('latin1');
}

async function run(transport: Transport, url: string, random: Random, count: number): Promise<Tally> {
  const tally: Tally = { exchanges: 0, served: 0, wrong: [] };
  const lane = async (): Promise<void> => {
    while (tally.exchanges < count) {
      const nonce = `n${String(tally.exchanges++).padStart(8, '0')}`;
      const mutation = random.chance(0.4) ? random.pick(correctMutations) : random.pick(mutations);
      const isCorrect = correctMutations.includes(mutation);
      const outcome = await exchange(transport, url, nonce, mutation).catch((error: unknown) => error);
      if (typeof outcome !== 'string') {
        if ((isCorrect && !isLost(outcome)) || isTimeout(outcome))
          tally.wrong.push(`${mutation.name} ${nonce}: ${outcome}`);
        continue;
      }
      const foreign = (outcome.match(/n\d{8}/g) ?? []).filter((each) => each !== nonce);
      const expected = mutation.name === 'empty 204' ? '' : nonce;
      if (foreign.length > 0 || (isCorrect && outcome !== expected)) {
        tally.wrong.push(`${mutation.name} ${nonce} read ${JSON.stringify(outcome)}`);
      } else if (outcome !== '') tally.served += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return tally;
}

/** A server may have closed an idle connection without the client noticing yet. */
function isLost(error: unknown): boolean {
  return error instanceof ConnectionLostError;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

const timeoutMs = 60_000 + exchanges * 20;

test(
  `${exchanges} exchanges, seed ${seed}: no reply reaches a wrong request`,
  async () => {
    const random = new Random(seed);
    const provider = startProvider(random);
    const transport = createHttpTransport({ connectTimeoutMs: 60_000 });
    opened.push(() => transport.close());
    const tally = await run(transport, provider.url, random, exchanges);
    expect(tally.wrong).toEqual([]);
    // A client that never reused a connection, or always failed, would prove nothing.
    expect(provider.reused()).toBeGreaterThan(exchanges / 10);
    expect(tally.served).toBeGreaterThan(exchanges / 3);
  },
  timeoutMs,
);

test(
  `the same through a proxy's tunnel, seed ${seed}`,
  async () => {
    const random = new Random(seed + 1);
    const provider = startProvider(random);
    const proxy = await startProxy();
    const transport = createHttpTransport({ connectTimeoutMs: 60_000, proxyFor: () => proxy.url });
    opened.push(
      () => transport.close(),
      () => proxy.stop(),
    );
    const tally = await run(transport, provider.url, random, exchanges / 4);
    expect(tally.wrong).toEqual([]);
    expect(provider.reused()).toBeGreaterThan(exchanges / 40);
  },
  timeoutMs,
);

test(
  `the same with fetch, behind a proxy that passes requests on, seed ${seed}`,
  async () => {
    const random = new Random(seed + 2);
    const provider = startProvider(random);
    const tally = await run(createNetwork({ proxy: provider.url }), provider.url, random, exchanges / 4);
    expect(tally.wrong).toEqual([]);
  },
  timeoutMs,
);
