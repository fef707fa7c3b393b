/** One caller sends the worst bodies there are: how much longer another one waits, and what it costs in memory. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { post, scripted } from '../harness/chat.ts';
import type { SendOrder } from '../harness/send-bodies.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { memoryBytes, type RunningWeir, startWeir } from '../harness/weir.ts';
import { worstBodies } from '../harness/worst-bodies.ts';
import { judge } from './figures.ts';

const attackSeconds = Number(process.env['WEIR_ATTACK_SECONDS'] ?? 30);
const connections = 3;
const megabyte = 1024 * 1024;

let upstream: RunningUpstream;
let weir: RunningWeir;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    yaml: { providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } } },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});

test(
  'the waits of another caller',
  async () => {
    const attacker = await createToken(weir, '--rpm', '1', '--models', 'nothing-at-all');
    await waitsFor(3_000);
    const quiet = await waitsFor(5_000);
    const before = await memoryBytes(weir.pid);
    for (const { name, make } of worstBodies) {
      const thread = attack(attacker, make());
      const waits = await waitsFor((attackSeconds * 1_000) / worstBodies.length);
      const statuses = await thread.stop();
      const grown = ((await memoryBytes(weir.pid)) - before) / megabyte;
      console.log(
        `${name}: ${JSON.stringify(statuses)}; ${waits.count} requests, worst ${waits.worstMs.toFixed(1)} ms`,
      );
      judge(`${name}: p99 of another caller, above ${quiet.p99Ms.toFixed(1)}`, waits.p99Ms - quiet.p99Ms, 50, 'ms');
      judge(`${name}: memory`, grown, 100, 'MB');
    }
  },
  attackSeconds * 1_000 + 120_000,
);

function attack({ token }: MadeToken, body: Buffer): { stop(): Promise<unknown> } {
  const { hostname, port } = new URL(weir.url);
  const worker = new Worker(new URL('../harness/send-bodies.ts', import.meta.url).href);
  const ended = Promise.withResolvers<unknown>();
  worker.onmessage = ({ data }) => {
    worker.terminate();
    ended.resolve(data);
  };
  const order: SendOrder = { host: hostname, port: Number(port), token, body, connections };
  worker.postMessage(order);
  return {
    stop() {
      worker.postMessage('stop');
      return ended.promise;
    },
  };
}

interface Waits {
  readonly count: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

/** One request after the other, as one client sends them. */
async function waitsFor(lengthMs: number): Promise<Waits> {
  const waits: number[] = [];
  const body = scripted({});
  for (const until = performance.now() + lengthMs; performance.now() < until; ) {
    const startedAt = performance.now();
    const reply = await post(weir, body);
    await reply.text();
    expect(reply.status).toBe(200);
    waits.push(performance.now() - startedAt);
    await Bun.sleep(2);
  }
  waits.sort((one, other) => one - other);
  return { count: waits.length, p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0, worstMs: waits.at(-1) ?? 0 };
}
