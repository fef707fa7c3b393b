/** The scripted provider is the judge of the other suites, so it is judged first. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { bodyTextOf } from './invoice.ts';
import { type Script, scriptText } from './script.ts';

let upstream: RunningUpstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

function ask(script: Script, body: object = {}, init: RequestInit = {}): Promise<Response> {
  const messages = [{ role: 'user', content: scriptText(script) }];
  return fetch(`${upstream.base}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4.1', messages, ...body }),
    ...init,
  });
}

const streamed = { stream: true, stream_options: { include_usage: true } };

test('a plain reply states the usage that the invoice keeps', async () => {
  const reply = (await (await ask({ nonce: 'plain', deltas: 5 })).json()) as { usage: { completion_tokens: number } };
  expect(reply.usage.completion_tokens).toBe(5);
  const entry = await upstream.entry('plain');
  expect(entry).toMatchObject({ outcome: 'completed', tokensSent: 5, status: 200 });
  expect(entry.reported?.completionTokens).toBe(5);
  expect(JSON.parse(bodyTextOf(entry))).toHaveProperty('model', 'gpt-4.1');
});

test('a stream tells usage only when asked, twice when scripted so', async () => {
  const usages = async (script: Script, body: object) =>
    (await (await ask(script, body)).text()).split('"prompt_tokens"').length - 1;
  expect(await usages({}, { stream: true })).toBe(0);
  expect(await usages({}, streamed)).toBe(1);
  expect(await usages({ usage: 'doubled' }, streamed)).toBe(2);
  expect(await usages({ usage: 'always' }, { stream: true })).toBe(1);
  expect(await usages({ usage: 'absent' }, streamed)).toBe(0);
});

test('exact bytes, whole and in pieces, plain and gzip', async () => {
  const bytes = Buffer.from('{ "é":1e400 ,"b" :[ ]}');
  const piecesBase64 = [bytes.subarray(0, 4), bytes.subarray(4)].map((piece) => piece.toString('base64'));
  for (const variant of [{}, { whole: true }, { gzip: true }, { gzip: true, whole: true }])
    expect(Buffer.from(await (await ask({ piecesBase64, ...variant })).arrayBuffer())).toEqual(bytes);
});

test('a queued script answers the next request that carries none', async () => {
  await upstream.queue([{ status: 429, body: '{"error":{}}', headers: { 'retry-after': '7' } }]);
  const post = () => fetch(`${upstream.base}/chat/completions`, { method: 'POST', body: '{"messages":[]}' });
  const refused = await post();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
  expect((await post()).status).toBe(200);
});

test('it cuts before the head, in the middle, and notices a caller who leaves', async () => {
  for (const head of ['end', 'reset'] as const) await expect(ask({ head })).rejects.toThrow();
  for (const how of ['truncate', 'reset'] as const) {
    const reply = await ask({ nonce: `cut-${how}`, deltas: 9, cut: { after: 2, how } }, streamed);
    await expect(reply.text()).rejects.toThrow();
    await until(async () => (await upstream.entry(`cut-${how}`)).outcome === 'cut');
  }
  const ended = await (await ask({ deltas: 9, cut: { after: 2, how: 'end' } }, streamed)).text();
  expect(ended).not.toContain('[DONE]');
  const leaver = new AbortController();
  await ask({ nonce: 'left', deltas: 1000, paceMs: 5 }, streamed, { signal: leaver.signal });
  leaver.abort();
  await until(async () => (await upstream.entry('left')).outcome === 'left');
});

test('it waits for a reader that does not read', async () => {
  const body = JSON.stringify({
    stream: true,
    messages: [{ role: 'user', content: scriptText({ nonce: 'slow', deltas: 3000, deltaBytes: 20_000 }) }],
  });
  const socket = connect({ port: upstream.port, host: '127.0.0.1' });
  socket.pause();
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  let before = -1;
  await until(async () => {
    const now = (await upstream.invoice()).find((entry) => entry.nonce === 'slow')?.tokensSent ?? 0;
    const settled = now > 0 && now === before;
    before = now;
    return settled;
  });
  expect(before).toBeLessThan(1500);
  socket.destroy();
});
