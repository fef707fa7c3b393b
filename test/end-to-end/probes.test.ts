/** A target whose circuit is probed by one request: which request that may be, and what happens if it is not sent. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { post } from '../harness/chat.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let weir: RunningWeir;
let upstream: Bun.Server<undefined>;
let isWell = false;
const held: (() => void)[] = [];

const reply = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Good day', refusal: null }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
};

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const isSlow = (await request.text()).includes('slowly');
      if (isSlow) await new Promise<void>((resolve) => held.push(resolve));
      if (!isSlow && !isWell) return Response.json({ error: { message: 'broken' } }, { status: 500 });
      return Response.json(reply);
    },
  });
  const up = { kind: 'openai-chat', base_url: `http://127.0.0.1:${upstream.port}/v1`, key: 'sk-up', models: ['m'] };
  weir = await startWeir({ yaml: { providers: { up }, clocks: { patience_ms: 0 } } });
});
afterAll(async () => {
  for (const release of held.splice(0)) release();
  await weir.remove();
  await upstream.stop(true);
});

const say = (content = 'Good day', token = weir.token): Promise<Response> =>
  post({ base: weir.base, token }, { model: 'm', messages: [{ role: 'user', content }] });

const state = async (): Promise<string | undefined> =>
  /^weir_target_state\{provider="up",model="m"\} (\d)$/m.exec(await (await fetch(`${weir.url}/metrics`)).text())?.[1];

test('requests in flight when the circuit opened do not close it, and an unsent probe is free again', async () => {
  const slow = say('slowly');
  await until(() => held.length === 1);
  for (let failures = 0; failures < 5; failures++) expect((await say()).status).toBe(502);
  expect(await state()).toBe('4');
  for (const release of held.splice(0)) release();
  expect((await slow).status).toBe(200);
  expect(['3', '4']).toContain((await state()) ?? '');
  await until(async () => (await state()) === '3');
  isWell = true;
  // A token with a budget, a model without a price: refused after routing, before anything is sent.
  const { token } = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
  expect((await say('Good day', token)).status).toBe(402);
  expect(await state()).toBe('3');
  expect((await say()).status).toBe(200);
  // The circuit is closed; of its attempts most have failed.
  expect(await state()).toBe('1');
});
