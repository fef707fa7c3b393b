/** Tokens per minute reserve the possible output in advance: many requests at once cannot pass together. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { errorOf, post } from '../harness/chat.ts';
import { startMeteredUpstream } from '../harness/metered-upstream.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const upstream = startMeteredUpstream();
const tokensPerMinute = 10_000;
let weir: RunningWeir;

beforeAll(async () => {
  const provider = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['m'] };
  weir = await startWeir({ yaml: { providers: { up: provider } } });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
beforeEach(() => upstream.reset());

const limited = () => createToken(weir, '--tpm', `${tokensPerMinute}`);
const body = (fields: object) => ({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields });

test('of 300 requests that may each fill the minute one is admitted', async () => {
  const token = await limited();
  upstream.play({ inputTokens: 5, words: 1, ending: 'hang' });
  const left = new AbortController();
  const statuses: number[] = [];
  const calls = Array.from({ length: 300 }, async () => {
    const reply = await post(token, body({ max_tokens: tokensPerMinute, stream: true }), { signal: left.signal });
    statuses.push(reply.status);
    if (reply.status !== 200) await reply.text();
    return reply;
  });
  await until(() => statuses.length === 300, 60_000, 'an answer to each');
  expect(statuses.filter((status) => status === 200).length).toBe(1);
  expect(statuses.filter((status) => status === 429).length).toBe(299);
  expect(upstream.requests.length).toBe(1);
  left.abort();
  await Promise.allSettled(calls);
});

test('actual usage replaces the reservation, and no minute holds more than the limit', async () => {
  const token = await limited();
  upstream.play({ inputTokens: 5, outputTokens: 2_000, words: 1, ending: 'whole' });
  const statuses: number[] = [];
  for (let request = 0; request < 8; request++) {
    const reply = await post(token, body({ max_tokens: 3_000 }));
    await reply.text();
    statuses.push(reply.status);
  }
  // 2,005 each: with four of them counted there is no room for another 3,000.
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
  expect(upstream.requests.length * 2_005).toBeLessThanOrEqual(tokensPerMinute);
});

test('a reply that could never fit is refused with the reason; one without a limit is not', async () => {
  const token = await limited();
  const refused = await post(token, body({ max_tokens: tokensPerMinute + 1 }));
  expect(refused.status).toBe(429);
  expect((await errorOf(refused)).message).toContain('Lower the output limit');
  const unlimited = await post(token, body({ n: 9 }));
  expect(unlimited.status).toBe(200);
});
