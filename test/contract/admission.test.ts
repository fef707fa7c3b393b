/** One admission for every kind of work: the same refusals in the same cases, and afterwards no slot and no reservation is left. */

import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { buildGateway } from '../../src/gateway/gateway.ts';
import type { Gateway } from '../../src/gateway/running-gateway.ts';
import { storeOptions } from '../../src/gateway/store-options.ts';
import { KeptBytes } from '../../src/http/multipart/kept-bytes.ts';
import type { Explanation } from '../../src/relay/explain/explanation.ts';
import { openDriver } from '../../src/store/open-driver.ts';
import { type RealtimeProvider, startRealtimeProvider } from '../fake-upstream/realtime/provider.ts';
import { errorOf } from '../harness/chat.ts';
import { readLedger } from '../harness/ledger-rows.ts';
import { audioBlob, formOf, png, postTo } from '../harness/operation-calls.ts';
import { type OperationsUpstream, startOperationsUpstream } from '../harness/operations-upstream.ts';
import { freePort } from '../harness/ports.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import type { RunningWeir } from '../harness/weir.ts';

/** One kind of operation: its request, with a text that moderation reads. */
interface Kind {
  readonly name: string;
  readonly path: string;
  readonly model: string;
  body(model: string, text: string, more?: Readonly<Record<string, string | object>>): object;
  /** A model and fields that its provider's wire cannot express. */
  readonly lossy: readonly [model: string, fields: Readonly<Record<string, string | object>>];
  /** It counts against the token's tokens per minute. */
  readonly counted?: boolean;
  /** Its request is a form with a file. */
  readonly uploads?: boolean;
  /** It is the moderation itself. */
  readonly unmoderated?: boolean;
}

const chat = (model: string, text: string, more?: object) => ({
  model,
  max_tokens: 20,
  messages: [{ role: 'user', content: text }],
  ...more,
});
const form = (model: string, fields: Readonly<Record<string, string | Blob>>, more?: object): FormData =>
  formOf({ model, ...fields, ...(more as Record<string, string> | undefined) });

const kinds: readonly Kind[] = [
  {
    name: 'a conversation',
    path: '/chat/completions',
    model: 'talk',
    body: chat,
    lossy: ['other-talk', { logit_bias: { '1': 5 } }],
    counted: true,
  },
  {
    name: 'a streamed conversation',
    path: '/chat/completions',
    model: 'talk',
    body: (model, text, more) => chat(model, text, { stream: true, ...more }),
    lossy: ['other-talk', { logit_bias: { '1': 5 } }],
    counted: true,
  },
  {
    name: 'a conversation of another format',
    path: '/messages',
    model: 'talk',
    body: chat,
    lossy: ['talk', { top_k: 5 as unknown as string }],
    counted: true,
  },
  {
    name: 'an embedding',
    path: '/embeddings',
    model: 'work',
    body: (model, text, more) => ({ model, input: text, ...more }),
    lossy: ['other-embed', { user: 'u' }],
    counted: true,
  },
  {
    name: 'embeddings in batches',
    path: '/embeddings',
    model: 'few',
    body: (model, text, more) => ({ model, input: Array.from({ length: 40 }, () => text), ...more }),
    lossy: ['other-embed', { user: 'u' }],
    counted: true,
  },
  {
    name: 'a moderation',
    path: '/moderations',
    model: 'work',
    body: (model, text, more) => ({ model, input: text, ...more }),
    lossy: ['other-moderation', { odd: 'x' }],
    counted: true,
    unmoderated: true,
  },
  {
    name: 'a ranking',
    path: '/rerank',
    model: 'work',
    body: (model, text, more) => ({ model, query: text, documents: [text], ...more }),
    lossy: ['other-rank', { max_tokens_per_doc: 9 as unknown as string }],
    counted: true,
  },
  {
    name: 'an image',
    path: '/images/generations',
    model: 'work',
    body: (model, prompt, more) => ({ model, prompt, ...more }),
    lossy: ['other-image', { quality: 'hd' }],
  },
  {
    name: 'a changed image',
    path: '/images/edits',
    model: 'work',
    body: (model, prompt, more) => form(model, { prompt, image: png() }, more),
    lossy: ['other-image', { quality: 'high' }],
    uploads: true,
  },
  {
    name: 'speech',
    path: '/audio/speech',
    model: 'work',
    body: (model, input, more) => ({ model, input, voice: 'alloy', ...more }),
    lossy: ['other-speech', { instructions: 'softly' }],
  },
  {
    name: 'a transcript',
    path: '/audio/transcriptions',
    model: 'work',
    body: (model, prompt, more) => form(model, { prompt, file: audioBlob() }, more),
    lossy: ['other-transcript', {}],
    uploads: true,
  },
  {
    name: 'a video',
    path: '/video/generations',
    model: 'film',
    body: (model, prompt, more) => ({ model, prompt, ...more }),
    lossy: ['film', { kling: { mode: 'pro' } }],
    counted: true,
  },
  {
    name: 'a video of an upload',
    path: '/videos',
    model: 'film',
    body: (model, prompt, more) => form(model, { prompt, input_reference: png() }, more),
    lossy: ['film', { fps: '24' }],
    counted: true,
    uploads: true,
  },
];

/**
 * Serves conversations, videos that fail at once, and moderation: a text with "forbidden" is refused, one with "wait"
 * is answered when released.
 */
function startProvider() {
  let hold = Promise.withResolvers<void>();
  let waiting = 0;
  let posts = 0;
  const replies: Readonly<Record<string, (text: string) => Response | Promise<Response>>> = {
    '/v1/chat/completions': (text) => talk(text),
    '/v1/videos': () => Response.json({ id: `v${posts}`, object: 'video', status: 'queued', model: 'film' }),
    async '/v1/moderations'(text) {
      if (text.includes('wait')) {
        waiting++;
        await hold.promise;
      }
      const flagged = text.includes('forbidden');
      const result = { flagged, categories: { violence: flagged }, category_scores: { violence: flagged ? 1 : 0 } };
      const { input } = JSON.parse(text) as { input: unknown };
      const results = [input].flat().map(() => result);
      return Response.json({ id: 'modr-1', model: 'judge', results });
    },
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const text = await request.text();
      if (request.method === 'GET') return Response.json({ id: 'v', status: 'failed', error: { message: 'scripted' } });
      if (pathname !== '/v1/moderations') posts++;
      return replies[pathname]?.(text) ?? new Response('', { status: 404 });
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}/v1`,
    posts: () => posts,
    waiting: () => waiting,
    letGo() {
      hold.resolve();
      hold = Promise.withResolvers<void>();
      waiting = 0;
    },
    stop: () => server.stop(true),
  };
}

function talk(text: string): Response {
  const { stream } = JSON.parse(text) as { stream?: boolean };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const head = { id: 'c', created: 1, model: 'talk' };
  if (stream !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Gladly.' }, finish_reason: 'stop' }];
    return Response.json({ ...head, object: 'chat.completion', choices, usage });
  }
  const choices = [{ index: 0, delta: { role: 'assistant', content: 'Gladly.' }, finish_reason: 'stop' }];
  const events = [
    { ...head, object: 'chat.completion.chunk', choices },
    { ...head, object: 'chat.completion.chunk', choices: [], usage },
  ];
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`);
  return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

let folder: string;
const endings: (() => Promise<void>)[] = [];
let gateway: Gateway;
let provider: ReturnType<typeof startProvider>;
let operations: OperationsUpstream;
let live: RealtimeProvider;
let weir: RunningWeir;
let plain: MadeToken;
let barred: MadeToken;
let tiny: MadeToken;
let gated: MadeToken;

function yaml(): object {
  const at = (kind: string, base: string, ...models: string[]) => ({ kind, base_url: base, key: 'sk-up', models });
  // Nothing is ever sent there.
  const nowhere = 'http://127.0.0.1:1/v1';
  const price = { input: 1, output: 1, image: 0.01, minute: 0.01, characters: 1, searches: 1, video_second: 0.1 };
  return {
    providers: {
      talks: at('openai-chat', provider.base, 'talk'),
      works: at('openai-chat', operations.base, 'work'),
      few: at('siliconflow', operations.base, 'few'),
      films: at('litellm', provider.base, 'film'),
      judges: at('openai', provider.base, 'judge'),
      lives: at('openai', live.base, 'a-realtime'),
      messages: at('anthropic-messages', nowhere, 'other-talk'),
      cohere: at('cohere', nowhere, 'other-embed'),
      mistral: at('mistral', nowhere, 'other-moderation'),
      voyage: at('voyage', nowhere, 'other-rank'),
      bfl: at('bfl', nowhere, 'other-image'),
      elevenlabs: at('elevenlabs', nowhere, 'other-speech'),
      deepgram: at('deepgram', nowhere, 'other-transcript'),
    },
    prices: { '*': price },
  };
}

beforeAll(async () => {
  provider = startProvider();
  operations = startOperationsUpstream();
  live = startRealtimeProvider();
  folder = await mkdtemp(join(tmpdir(), 'weir-admission-'));
  const port = await freePort();
  const path = join(folder, 'weir.yaml');
  await Bun.write(path, JSON.stringify(yaml()));
  const env = {
    WEIR_PORT: `${port}`,
    WEIR_DATA: folder,
    WEIR_CONFIG: path,
    WEIR_DISCOVERY_LOCAL: 'false',
    WEIR_LOG_LEVEL: 'error',
    WEIR_CLOCKS_READ_ON_MS: '0',
    WEIR_TASKS_ASK_EVERY_MS: '50',
    WEIR_EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const readFile = (name: string) => (name === path ? readFileSync(name, 'utf8') : undefined);
  const config = loadConfig({ environment: env, readFile, workingFolder: folder, isTerminal: false });
  gateway = await buildGateway(config, await openDriver(storeOptions(config)));
  const base = `http://127.0.0.1:${port}/v1`;
  const beforeEnd = (work: () => Promise<void>) => void endings.push(work);
  weir = { base, environment: env, dataFolder: folder, databaseUrl: undefined, beforeEnd } as unknown as RunningWeir;
  const made = (...flags: string[]) =>
    createToken(weir, '--may-explain', '--budget-usd', '1000', '--concurrency', '1', ...flags);
  const moderated = ['--moderate', 'before', '--moderation-model', 'judge'];
  [plain, barred, tiny, gated] = await Promise.all([
    made(),
    made('--models', 'work-nothing'),
    made('--tpm', '1'),
    made(...moderated),
  ]);
}, 300_000);
afterAll(async () => {
  for (const work of endings) await work();
  await gateway.stop();
  await Promise.all([provider.stop(), operations.stop()]);
  live.stop();
  await rm(folder, { recursive: true, force: true });
});

const explaining = { 'x-weir-explain': '1' };

async function limitsOf(token: MadeToken): Promise<Explanation['limits']> {
  const headers = explaining;
  // The barred token may use this name, which leads nowhere.
  const model = token === barred ? 'work-nothing' : 'talk';
  const reply = await postTo(token, '/chat/completions', chat(model, 'hi'), { headers });
  if (token === barred) return {};
  return ((await reply.json()) as Explanation).limits;
}

/** Every slot is free and no attempt is open. */
async function expectAtRest(token: MadeToken): Promise<void> {
  const isAtRest = async () => {
    const { concurrency } = await limitsOf(token);
    const { attempts } = await readLedger(weir);
    const open = attempts.filter(({ tokenId, costNano }) => tokenId === token.id && costNano === undefined);
    return concurrency?.left === concurrency?.limit && open.length === 0;
  };
  await until(isAtRest, 60_000, 'no slot and no reservation left');
}

/** A case that a kind of work does not have is left out, not skipped. */
const onlyIf = (has: boolean) => (has ? test : () => undefined);

const send = (kind: Kind, token: MadeToken, text: string, init: RequestInit = {}, more: object = {}) =>
  postTo(token, kind.path, kind.body(kind.model, text, more as Record<string, string>), init);

/** A repeated request for a video shows the same task in its state by then; any other reply is the same text. */
const shownOf = ({ model }: Kind, text: string): unknown =>
  model === 'film' ? (JSON.parse(text) as { id: string }).id : text;

describe.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (_, kind) => {
  test('is answered, and again under the same idempotency key without being done twice', async () => {
    const init = { headers: { 'idempotency-key': crypto.randomUUID() } };
    const calls = () => provider.posts() + operations.entries.length;
    const first = await send(kind, plain, 'hi', init);
    const answer = await first.text();
    expect([first.status, answer]).toEqual([200, expect.any(String)]);
    const done = calls();
    const second = await send(kind, plain, 'hi', init);
    expect([second.status, shownOf(kind, await second.text()), calls()]).toEqual([200, shownOf(kind, answer), done]);
    expect(second.headers.get('x-weir-replayed')).toBe(first.headers.get('x-request-id'));
    await expectAtRest(plain);
  });

  test('is refused to a token that may not use the model', async () => {
    const reply = await send(kind, barred, 'hi');
    expect([reply.status, (await errorOf(reply)).code]).toEqual([403, 'model_not_allowed']);
    // A second one finds the only slot free.
    expect((await errorOf(await send(kind, barred, 'hi'))).code).toBe('model_not_allowed');
    await expectAtRest(barred);
  });

  test('is explained instead of answered', async () => {
    const before = provider.posts() + operations.entries.length;
    const reply = await send(kind, plain, 'hi', { headers: explaining });
    const explanation = (await reply.json()) as Explanation;
    expect([reply.status, explanation.object]).toEqual([200, 'weir.explanation']);
    expect(explanation.candidates.map(({ model }) => model)).toEqual([kind.model]);
    expect(provider.posts() + operations.entries.length).toBe(before);
    await expectAtRest(plain);
  });

  test('is refused in strict mode where something of it would be lost', async () => {
    const [model, fields] = kind.lossy;
    const body = kind.body(model, 'hi', fields);
    const reply = await postTo(plain, kind.path, body, { headers: { 'x-weir-strict': 'true' } });
    const { code, message } = await errorOf(reply);
    expect([reply.status, code, message]).toEqual([400, 'loss_refused', expect.stringContaining('Strict mode')]);
    await expectAtRest(plain);
  });

  onlyIf(kind.counted === true)('is refused where the tokens per minute do not suffice', async () => {
    for (let times = 0; times < 2; times++) {
      const reply = await send(kind, tiny, 'more words than one token allows'.repeat(9));
      expect([reply.status, (await errorOf(reply)).code]).toEqual([429, 'rate_limited']);
    }
    await expectAtRest(tiny);
  });

  onlyIf(kind.unmoderated !== true)('is refused where moderation refuses it, and its key is free again', async () => {
    const init = { headers: { 'idempotency-key': crypto.randomUUID() } };
    for (let times = 0; times < 2; times++) {
      const reply = await send(kind, gated, 'forbidden', init);
      expect([reply.status, (await errorOf(reply)).code]).toEqual([400, 'content_refused']);
    }
    await expectAtRest(gated);
  });

  onlyIf(kind.unmoderated !== true)('leaves nothing where the client is gone before the call', async () => {
    const leaving = new AbortController();
    const first = send(kind, gated, `wait ${crypto.randomUUID()}`, { signal: leaving.signal }).catch(() => undefined);
    await until(() => provider.waiting() > 0, 60_000, 'the question to the moderation model');
    // Meanwhile the only slot is taken.
    const second = await send(kind, gated, 'hi');
    expect([second.status, (await errorOf(second)).code]).toEqual([429, 'concurrency_limited']);
    leaving.abort();
    await first;
    provider.letGo();
    await expectAtRest(gated);
  });

  onlyIf(kind.uploads === true)('leaves nothing where its upload cannot be read', async () => {
    const init = { headers: { 'idempotency-key': crypto.randomUUID() } };
    const broken = spyOn(KeptBytes.prototype, 'range').mockImplementation(() => {
      throw new Error('the spool cannot be read');
    });
    const reply = await send(kind, plain, 'hi', init).finally(() => broken.mockRestore());
    expect([reply.status, (await errorOf(reply)).code]).toEqual([500, 'internal_error']);
    await expectAtRest(plain);
    // Neither the slot nor the key is lost.
    const again = await send(kind, plain, 'hi', init);
    await again.text();
    expect(again.status).toBe(200);
    await expectAtRest(plain);
  });
});

describe('what takes no slot of its own', () => {
  const counting = (model: string) => postTo(barred, '/messages/count_tokens', { ...chat(model, 'hi'), model });

  test('a token count is refused to a token that may not use the model', async () => {
    const reply = await counting('talk');
    const { error } = (await reply.json()) as { error: { type: string; message: string } };
    expect([reply.status, error.message]).toEqual([403, 'This token may not use the model talk.']);
  });

  test('a live session is refused at its handshake, and its token holds no slot', async () => {
    const headers = { authorization: `Bearer ${barred.token}`, upgrade: 'websocket', connection: 'upgrade' };
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' };
    const reply = await fetch(`${weir.base}/realtime?model=a-realtime`, { headers: { ...headers, ...key } });
    expect([reply.status, (await errorOf(reply)).code]).toEqual([403, 'model_not_allowed']);
    await expectAtRest(barred);
  });

  test('a live session gives its slot back when it closes', async () => {
    const client = new SocketClient(`${weir.base}/realtime?model=a-realtime`, { token: plain.token });
    await client.opened;
    const reply = await postTo(plain, '/chat/completions', chat('talk', 'hi'));
    expect([reply.status, (await errorOf(reply)).code]).toEqual([429, 'concurrency_limited']);
    client.socket.close();
    await client.closed;
    await expectAtRest(plain);
  });
});
