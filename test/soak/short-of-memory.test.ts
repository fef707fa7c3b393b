/**
 * A process that may use 1 GiB, as the chart gives it, under what takes the most memory: large bodies, large replies and clients that
 * never read. It stays alive and serves others, or refuses them by code. Where control groups can be made, the kernel kills it as it
 * kills a pod; elsewhere the limit is the setting's, and the peak is judged.
 */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { type MemoryGroup, memoryGroup } from '../harness/memory-cgroup.ts';
import { chatHead, openSocket } from '../harness/raw-request.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { judgeMegabytes } from '../measures/figures.ts';

setDefaultTimeout(600_000);

const megabyte = 1_048_576;
const limitBytes = 1_024 * megabyte;
const refusals = ['gateway_overloaded', 'body_memory_exhausted', 'rate_limited', 'concurrency_limited'];

let upstream: RunningUpstream;
let weir: RunningWeir;
let group: MemoryGroup | undefined;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(async () => {
  weir = await startWeir({
    yaml: {
      providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } },
      limits: { memory_bytes_max: limitBytes },
    },
  });
  group = memoryGroup(limitBytes);
  group?.add(weir.pid);
});
afterEach(async () => {
  await weir.remove();
  group?.remove();
});

const peakBytes = (): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${weir.pid}/status`, 'utf8'))?.[1]) * 1_024;

/** What a small request gets: `200`, or the code of its refusal. */
async function outcome(): Promise<string> {
  const reply = await post(weir, scripted({ deltas: 1 }));
  if (reply.status !== 200) return (await errorOf(reply)).code;
  await reply.text();
  return '200';
}

/** Small requests of others while something runs, and what they got. */
async function othersWhile(run: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>();
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      const got = await outcome();
      seen.set(got, (seen.get(got) ?? 0) + 1);
      await Bun.sleep(50);
    }
  })();
  await run();
  isOver = true;
  await others;
  return seen;
}

async function judgeAlive(what: string, others: ReadonlyMap<string, number>): Promise<void> {
  const peak = peakBytes();
  console.log(`${what}: others got ${JSON.stringify(Object.fromEntries(others))}`);
  expect(group?.kills() ?? 0).toBe(0);
  judgeMegabytes(`${what}: peak`, peak, limitBytes / megabyte);
  for (const code of others.keys()) expect(['200', ...refusals]).toContain(code);
  await until(async () => (await outcome()) === '200');
}

describe('1 GiB of memory', () => {
  test('2,000 clients that never read a stream', async () => {
    const sockets: Socket[] = [];
    const others = await othersWhile(async () => {
      for (let index = 0; index < 2_000; index += 1) {
        const socket = await openSocket(weir.url);
        socket.pause();
        socket.on('error', () => socket.destroy());
        const script = { nonce: `deaf-${index}`, deltas: 10_000, deltaBytes: 20_000 };
        socket.write(chatHead(weir, JSON.stringify(scripted(script, { stream: true }))));
        sockets.push(socket);
      }
      await Bun.sleep(20_000);
    });
    await judgeAlive('2,000 clients that never read', others);
    for (const socket of sockets) socket.destroy();
  });

  test.each([
    [72, 10],
    [720, 1],
  ])('%d bodies of %d MB at once', async (bodies, megabytes) => {
    const text = 'a'.repeat(megabytes * megabyte);
    const message = { role: 'user', content: text };
    const codes: string[] = [];
    const others = await othersWhile(async () => {
      await Promise.all(
        Array.from({ length: bodies }, async () => {
          const reply = await post(weir, { model: 'gpt-4.1', messages: [message] });
          codes.push(reply.status === 200 ? '200' : (await errorOf(reply)).code);
        }),
      );
    });
    const counts = Object.fromEntries(
      [...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length]),
    );
    console.log(`${bodies} bodies of ${megabytes} MB: ${JSON.stringify(counts)}`);
    await judgeAlive(`${bodies} bodies of ${megabytes} MB`, others);
  });
});
