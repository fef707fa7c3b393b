/** A provider's 401 and 403: a caller who provokes them affects no other, and a refused key is closed and recovers. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { errorOf, post } from '../harness/chat.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** Replies of providers to a request for something that their account may not use, whatever its key. */
const provoked: readonly (readonly [status: number, body: string])[] = [
  [
    403,
    '{"error":{"code":403,"message":"You do not have permission to access the File x or it may not exist.","status":"PERMISSION_DENIED"}}',
  ],
  [
    403,
    '{"error":{"code":403,"message":"CachedContent not found (or permission denied)","status":"PERMISSION_DENIED"}}',
  ],
  [
    403,
    '{"error":{"message":"Your organization must be verified to use the model `o3`.","type":"invalid_request_error"}}',
  ],
  [
    403,
    '{"type":"error","error":{"type":"permission_error","message":"Your account does not have access to this file."}}',
  ],
  [403, '{"error":"Access to model llama is restricted and you are not in the authorized list."}'],
  [403, '<html><title>403 Forbidden</title></html>'],
  [401, '{"error":{"message":"You have insufficient permissions for this operation.","type":"invalid_request_error"}}'],
  [401, 'Unauthorized'],
  [401, '{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}'],
  [402, '{"error":{"message":"This request requires more credits, or fewer max_tokens.","code":402}}'],
];

interface Provider {
  readonly base: string;
  /** Keys that it refuses for any request. */
  readonly dead: Set<string>;
  /** Requests for a model, by key. */
  readonly asked: string[];
  /** Requests for its list of models since the last reset. */
  listed: number;
  listIsPublic: boolean;
  hasList: boolean;
}

const invalid = () =>
  Response.json({ error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }, { status: 401 });

function startProvider(): Provider & { stop(): void } {
  const provider = {
    base: '',
    dead: new Set<string>(),
    asked: [] as string[],
    listed: 0,
    listIsPublic: false,
    hasList: true,
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const key = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
      if (request.method === 'GET') {
        provider.listed += 1;
        if (!provider.hasList) return new Response('not here', { status: 404 });
        if (!provider.listIsPublic && (key === '' || provider.dead.has(key))) return invalid();
        return Response.json({ data: [{ id: 'm-one' }, { id: 'm-two' }] });
      }
      const { messages } = (await request.json()) as { messages: [{ content: string }] };
      provider.asked.push(key);
      if (provider.dead.has(key)) return invalid();
      const [status, body] = provoked[Number(/^provoke (\d+)$/.exec(messages[0].content)?.[1])] ?? [200, ''];
      if (status !== 200) return new Response(body, { status, headers: { 'content-type': 'application/json' } });
      const message = { role: 'assistant', content: 'fine', refusal: null };
      return Response.json({
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      });
    },
  });
  provider.base = `http://127.0.0.1:${server.port}/v1`;
  return Object.assign(provider, { stop: () => void server.stop(true) });
}

let provider: ReturnType<typeof startProvider>;
let spare: ReturnType<typeof startProvider>;
let listless: ReturnType<typeof startProvider>;
let weir: RunningWeir;
let attacker: string;
beforeAll(async () => {
  provider = startProvider();
  spare = startProvider();
  listless = startProvider();
  listless.hasList = false;
  const row = (base: string, keys: readonly string[]) => ({
    kind: 'openai-chat',
    base_url: base,
    keys,
    models: ['m-one', 'm-two'],
  });
  weir = await startWeir({
    yaml: {
      providers: {
        'with-three': row(provider.base, ['sk-a', 'sk-b', 'sk-c']),
        alone: row(provider.base, ['sk-alone']),
        lone: row(provider.base, ['sk-lone']),
        listless: row(listless.base, ['sk-listless']),
        spare: row(spare.base, ['sk-spare']),
      },
      models: {
        three: { targets: [{ provider: 'with-three', model: 'm-one' }] },
        one: { targets: [{ provider: 'alone', model: 'm-one' }] },
        backed: {
          targets: [
            { provider: 'lone', model: 'm-one' },
            { provider: 'spare', model: 'm-one', tier: 1 },
          ],
        },
        unlisted: {
          targets: [
            { provider: 'listless', model: 'm-one' },
            { provider: 'spare', model: 'm-one', tier: 1 },
          ],
        },
      },
    },
  });
  attacker = (await weir.command('token', 'create', '--name', 'attacker')).stdout.match(/weir_\w+/)?.[0] ?? '';
}, 300_000);
afterEach(() => {
  provider.dead.clear();
  provider.asked.length = 0;
});
afterAll(async () => {
  await weir?.remove();
  provider?.stop();
  spare?.stop();
  listless?.stop();
});

const say = (token: string, model: string, content: string) =>
  post({ base: weir.base, token }, { model, messages: [{ role: 'user', content }] });

async function statusOf(asking: Promise<Response>): Promise<number> {
  const reply = await asking;
  await reply.text();
  return reply.status;
}

describe('a caller who provokes refusals', () => {
  test('60 of every kind: no other caller is refused, and few probes are sent', async () => {
    provider.listed = 0;
    const victims: number[] = [];
    for (let round = 0; round < 60; round++) {
      await statusOf(say(attacker, 'one', `provoke ${round % provoked.length}`));
      victims.push(await statusOf(say(weir.token, 'one', 'hello')));
    }
    expect(victims.filter((status) => status !== 200)).toEqual([]);
    // One probe at once and one check whether the list needs a key; not one for every refusal.
    expect(provider.listed).toBeLessThan(10);
  });

  test('gets the provider’s message if it was not the key', async () => {
    const reply = await say(attacker, 'one', 'provoke 0');
    expect(reply.status).toBe(403);
    const { message } = await errorOf(reply);
    expect(message).toBe('You do not have permission to access the File x or it may not exist.');
  });

  test('tries two keys of three at most', async () => {
    await statusOf(say(attacker, 'three', 'provoke 0'));
    expect(provider.asked.length).toBe(2);
    expect(new Set(provider.asked).size).toBe(2);
  });
});

describe('a key that is really refused', () => {
  test('is closed after the probe, other keys are used', async () => {
    provider.dead.add('sk-b');
    await until(async () => {
      provider.asked.length = 0;
      for (let round = 0; round < 3; round++) expect(await statusOf(say(weir.token, 'three', 'hello'))).toBe(200);
      return !provider.asked.includes('sk-b');
    });
    expect(new Set(provider.asked)).toEqual(new Set(['sk-a', 'sk-c']));
  });

  test('is closed if it is the only one, and the next target serves', async () => {
    provider.dead.add('sk-lone');
    await until(async () => {
      provider.asked.length = 0;
      expect(await statusOf(say(weir.token, 'backed', 'hello'))).toBe(200);
      return provider.asked.length === 0;
    });
  });

  test('is closed without a list of models once two callers were refused, not before', async () => {
    listless.dead.add('sk-listless');
    for (let round = 0; round < 5; round++) expect(await statusOf(say(attacker, 'unlisted', 'hello'))).toBe(200);
    expect(listless.asked.length).toBe(5);
    await until(async () => {
      const before = listless.asked.length;
      expect(await statusOf(say(weir.token, 'unlisted', 'hello'))).toBe(200);
      return listless.asked.length === before;
    });
  });
});
