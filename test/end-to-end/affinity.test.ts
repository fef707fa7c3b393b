/** A thousand conversations over three targets: each stays on its target, evenly spread, until that target is gone. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sized } from '../harness/size.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const conversations = 1_000;
/** How many of them have more than one turn; all of them tell whether the load is even. */
const continued = sized(200, conversations);
const turns = 3;
const atOnce = 24;

interface Home {
  readonly url: string;
  /** Which conversations sent requests here, and how many. */
  readonly asked: Map<number, number>;
  stop(): void;
}

/** Answers any chat request and records which conversation it belongs to. */
function startHome(): Home {
  const asked = new Map<number, number>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
      const { messages } = (await request.json()) as { messages: { content: string }[] };
      const number = Number(/conversation (\d+)/.exec(messages[1]?.content ?? '')?.[1]);
      asked.set(number, (asked.get(number) ?? 0) + 1);
      return Response.json({
        id: 'r',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'ok', refusal: null }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, asked, stop: () => void server.stop(true) };
}

let homes: readonly Home[];
let weir: RunningWeir;

beforeAll(async () => {
  homes = [startHome(), startHome(), startHome()];
  const providers = homes.map(({ url }, index) => [
    `home${index}`,
    { kind: 'openai-chat', base_url: url, key: 'provider-key-0123456789', models: ['m'] },
  ]);
  const targets = homes.map((_, index) => ({ provider: `home${index}`, model: 'm' }));
  weir = await startWeir({ yaml: { providers: Object.fromEntries(providers), models: { shared: { targets } } } });
}, 300_000);
afterAll(async () => {
  await weir?.remove();
  for (const home of homes ?? []) home.stop();
});

/** Long enough to be worth caching; the same instructions for all, as an application sends them. */
const instructions = 'You measure the flow of rivers. '.repeat(200);

async function ask(conversation: number, turn: number): Promise<void> {
  const said = Array.from({ length: turn }, (_, index) => [
    { role: 'assistant', content: 'ok' },
    { role: 'user', content: `turn ${index + 1}` },
  ]).flat();
  const messages = [
    { role: 'system', content: instructions },
    { role: 'user', content: `conversation ${conversation}` },
    ...said,
  ];
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'shared', messages }),
  });
  if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
  await reply.text();
}

async function askAll(turn: number): Promise<void> {
  const waiting = Array.from({ length: turn === 0 ? conversations : continued }, (_, index) => index);
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await ask(next, turn);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

test('conversations stay on one target, and the load is within 20 % of even', async () => {
  for (let turn = 0; turn < turns; turn++) await askAll(turn);
  const counts = homes.map(({ asked }) => asked.size);
  console.log(`${conversations} conversations of ${turns} turns: ${counts.join(', ')}`);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(conversations);
  for (const { asked } of homes) {
    for (const [number, times] of asked) expect([number, times]).toEqual([number, number < continued ? turns : 1]);
  }
  for (const count of counts) expect(Math.abs(count - conversations / 3)).toBeLessThan(0.2 * (conversations / 3));
}, 300_000);

test('when a target is gone only its conversations move, and no request fails', async () => {
  const [gone, ...others] = homes;
  const before = others.map(({ asked }) => new Set(asked.keys()));
  const left = [...(gone?.asked.keys() ?? [])].filter((number) => number < continued).length;
  expect(left).toBeGreaterThan(0);
  gone?.stop();
  await askAll(turns);
  for (const [index, { asked }] of others.entries()) {
    for (const own of before[index] ?? []) expect(asked.get(own)).toBe(own < continued ? turns + 1 : 1);
  }
  const moved = others.reduce((sum, { asked }, index) => sum + asked.size - (before[index]?.size ?? 0), 0);
  expect(moved).toBe(left);
}, 300_000);
