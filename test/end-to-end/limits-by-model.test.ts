/** A provider's rate limit belongs to a model: a model that used it up must not delay the key's other models. */

import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { errorOf, post } from '../harness/chat.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const limited = {
  status: 429,
  headers: { 'retry-after': '600' },
  body: '{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}',
};
const spent = {
  status: 429,
  body: '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
};

/** A provider for each case: none is affected by the health of another's key. */
const cases = ['beside', 'below', 'several', 'spent'] as const;
let upstream: RunningUpstream;
let weir: RunningWeir;

beforeAll(async () => {
  upstream = await startUpstream();
  const provider = (name: string) => ({
    kind: 'openai',
    base_url: upstream.base,
    keys: (name === 'several' ? ['one', 'two'] : ['one']).map((id) => ({ id, key: `sk-${name}-${id}` })),
    models: ['large', 'small'],
  });
  weir = await startWeir({
    yaml: {
      providers: Object.fromEntries(cases.map((name) => [name, provider(name)])),
      models: {
        ladder: {
          targets: [
            { provider: 'below', model: 'large', tier: 0 },
            { provider: 'below', model: 'small', tier: 1 },
          ],
        },
      },
      clocks: { patience_ms: 0 },
    },
  });
});
afterAll(async () => {
  await weir?.remove();
  await upstream?.stop();
});
beforeEach(() => upstream.reset());

const ask = (model: string) => post(weir, { model, messages: [{ role: 'user', content: 'Good day' }] });

async function asked(): Promise<string[]> {
  return (await upstream.invoice()).map(({ model }) => model);
}

test('another model is served at once, and only the rate-limited one cools down', async () => {
  await upstream.queue([limited]);
  expect((await errorOf(await ask('beside/large'))).code).toBe('rate_limit_exceeded');
  expect((await ask('beside/small')).status).toBe(200);
  const again = await ask('beside/large');
  expect([again.status, (await errorOf(again)).code]).toEqual([503, 'provider_unavailable']);
  expect(await asked()).toEqual(['large', 'small']);
});

test('a smaller model of the same provider and key is the fallback', async () => {
  await upstream.queue([limited]);
  const reply = await ask('ladder');
  expect([reply.status, reply.headers.get('x-weir-attempts')]).toEqual([200, '2']);
  expect(await asked()).toEqual(['large', 'small']);
});

test('the provider’s next key is tried for the same model first', async () => {
  await upstream.queue([limited]);
  const reply = await ask('several/large');
  expect([reply.status, reply.headers.get('x-weir-attempts')]).toEqual([200, '2']);
  expect(await asked()).toEqual(['large', 'large']);
});

test('an account without credit is skipped for all its models', async () => {
  await upstream.queue([spent]);
  expect((await ask('spent/large')).status).toBeGreaterThanOrEqual(400);
  expect((await ask('spent/small')).status).toBe(503);
  expect(await asked()).toEqual(['large']);
});

test('the sandbox that refuses every request does not delay the one that answers', async () => {
  expect((await ask('sandbox-429')).status).toBe(429);
  expect((await ask('sandbox-chat')).status).toBe(200);
});
