/** The request detail shows lane and formats, also of a refused request, a video, and a live conversation. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { RequestDetailView, RequestsView } from '../../src/admin/contracts/contract.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a long password';
let weir: RunningWeir;
let owner: ConsoleClient;
let upstream: Bun.Server<undefined>;

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ error: { message: 'no', type: 'invalid_request_error' } }, { status: 422 }),
  });
  const base = { base_url: `http://127.0.0.1:${upstream.port}/v1`, key: 'sk-up' };
  const up = { kind: 'openai-chat', ...base, models: ['m', 'vectors'] };
  weir = await startWeir({
    yaml: { providers: { up }, clocks: { patience_ms: 0 } },
    env: { WEIR_ADMIN_PASSWORD: password, WEIR_TASKS_ASK_EVERY_MS: '50' },
  });
  owner = new ConsoleClient(weir);
  await owner.signIn('admin', password);
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop(true);
});

const send = (path: string, body: object): Promise<Response> =>
  fetch(`${weir.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The detail of the newest request of this endpoint, once it has its row. */
async function detailOf(endpoint: string): Promise<RequestDetailView> {
  let requestId: string | undefined;
  await until(async () => {
    const { items } = (await owner.get('/usage/requests')).body as RequestsView;
    requestId = items.find((row) => row.endpoint === endpoint)?.requestId;
    return requestId !== undefined;
  }, 300_000);
  return (await owner.get(`/usage/requests/${requestId}`)).body as RequestDetailView;
}

const messages = [{ role: 'user', content: 'Good day' }];

test('a request that its provider refused, forwarded or translated', async () => {
  expect((await send('/chat/completions', { model: 'm', messages })).status).toBe(422);
  const forwarded = await detailOf('chat');
  expect(forwarded.row?.status).toBe(422);
  expect(forwarded.way).toEqual({
    lane: 'forward',
    from: 'openai-chat',
    to: 'openai-chat',
    losses: [],
    replyLosses: [],
  });
  expect((await send('/messages', { model: 'm', max_tokens: 9, top_k: 3, messages })).status).toBe(422);
  const translated = (await detailOf('messages')).way;
  expect(translated).toMatchObject({ lane: 'translate', from: 'anthropic-messages', to: 'openai-chat' });
  expect(translated?.losses).toContain('top_k');
  expect((await send('/embeddings', { model: 'vectors', input: 'a' })).status).toBe(422);
  expect((await detailOf('embeddings')).way).toMatchObject({ lane: 'forward', from: 'openai-embeddings' });
});

test('a request that was sent to no provider has none', async () => {
  // Its model has no price, so that a token with a budget cannot use it.
  const { token } = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
  const reply = await fetch(`${weir.base}/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', prompt: 'a' }),
  });
  expect(reply.status).toBe(402);
  expect((await detailOf('completions')).way).toBeUndefined();
});

test('a video', async () => {
  const order = { model: 'sandbox-video', prompt: 'a lake', duration: 1, size: '128x128' };
  expect((await send('/video/generations', order)).status).toBe(200);
  const { way, row } = await detailOf('videos');
  expect(row?.status).toBe(200);
  expect(way).toMatchObject({ lane: 'translate', from: 'video-generations' });
  expect(way?.to).not.toBe('');
});

test('a response in a live conversation', async () => {
  const address = `${weir.base.replace(/^http/, 'ws')}/realtime?model=sandbox-realtime`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${weir.token}` } } as unknown as string[]);
  const eventTypes: string[] = [];
  socket.onmessage = ({ data }) => eventTypes.push((JSON.parse(String(data)) as { type: string }).type);
  socket.onopen = () => {
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Good day' }] };
    socket.send(JSON.stringify({ type: 'conversation.item.create', item }));
    socket.send(JSON.stringify({ type: 'response.create', response: { output_modalities: ['text'] } }));
  };
  await until(() => eventTypes.includes('response.done'), 60_000);
  socket.close();
  const { way } = await detailOf('realtime');
  expect(way).toEqual({ lane: 'forward', from: 'openai-realtime', to: 'openai-realtime', losses: [], replyLosses: [] });
});
