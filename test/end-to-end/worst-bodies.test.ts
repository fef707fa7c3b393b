/**
 * One tenant sends the worst bodies there are; another one must not notice. The short run judges what is answered; with
 * WEIR_ATTACK_SECONDS it goes on for so long, and judges the other tenant's waits and the memory.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { post, scripted } from '../harness/chat.ts';
import type { SendOrder } from '../harness/send-bodies.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { memoryBytes, type RunningWeir, startWeir } from '../harness/weir.ts';
import { worstBodies } from '../harness/worst-bodies.ts';

const attackSeconds = Number(process.env['WEIR_ATTACK_SECONDS'] ?? 0);
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

// First, while the process is fresh: the memory that the others leave behind would hide what this one takes.
test.skipIf(attackSeconds === 0)(
  'the other tenant waits less than 50 ms longer, and memory grows by less than 100 MB',
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
        `${name}: ${JSON.stringify(statuses)}; p99 ${quiet.p99Ms.toFixed(1)} ms quiet, ${waits.p99Ms.toFixed(1)} ms attacked ` +
          `(${waits.count} requests, worst ${waits.worstMs.toFixed(1)} ms); memory +${grown.toFixed(0)} MB`,
      );
      expect(waits.p99Ms - quiet.p99Ms).toBeLessThan(50);
      expect(grown).toBeLessThan(100);
    }
  },
  attackSeconds * 1_000 + 120_000,
);

test.each([...worstBodies])('$name: refused by its limits, or served', async ({ make, status }) => {
  expect((await post(weir, make().toString('utf8'))).status).toBe(status);
}, 60_000);

test('a token with one request a minute gets nothing read beyond it', async () => {
  const token = await createToken(weir, '--rpm', '1', '--models', 'nothing-at-all');
  const statuses: number[] = [];
  for (const { make } of worstBodies) statuses.push((await post(token, make().toString('utf8'))).status);
  expect(statuses).toEqual([413, 429, 429, 429, 429]);
}, 60_000);

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
