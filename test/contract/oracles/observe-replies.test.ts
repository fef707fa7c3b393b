/** Observed replies: judged however they are read, and the same bytes as without. */

import { afterAll, beforeEach, expect, test } from 'bun:test';
import { isObserved, observeReplies } from '../../harness/observe-replies.ts';
import { ownRecording } from '../../harness/recordings.ts';

const good = ownRecording('openai-chat/openai/text.json');
const bad = JSON.stringify({ ...(JSON.parse(good) as object), surprise: 'ä' });
const stream = ownRecording('openai-chat/openai/padded-text.chunks.txt')
  .trim()
  .split('\n')
  .map((line) => `data: ${line}\n\n`)
  .join('');

const bodies: Readonly<Record<string, readonly [type: string, body: string]>> = {
  good: ['application/json', good],
  bad: ['application/json', bad],
  cut: ['text/event-stream', stream],
  whole: ['text/event-stream', `${stream}data: [DONE]\n\n`],
};

let cancelled = 0;
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { model } = (await request.json()) as { model: string };
    if (model === 'endless') {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode(stream.slice(0, stream.indexOf('\n\n') + 2))),
        cancel: () => void cancelled++,
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    }
    const [type, body] = bodies[model] ?? ['text/plain', ''];
    return new Response(body, { headers: { 'content-type': type } });
  },
});
const origin = `http://127.0.0.1:${server.port}`;
const faults: string[] = [];
const stop = observeReplies(origin, (fault) => faults.push(fault));

beforeEach(() => {
  faults.length = 0;
});
afterAll(async () => {
  stop();
  await server.stop(true);
});

const ask = (model: string): Promise<Response> =>
  fetch(`${origin}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model }) });

test('a good reply passes, whole and streamed', async () => {
  expect(await (await ask('good')).text()).toBe(good);
  expect(await (await ask('whole')).text()).toBe(`${stream}data: [DONE]\n\n`);
  expect(faults).toEqual([]);
});

test.each([
  ['text', async (reply: Response) => await reply.text()],
  ['json', async (reply: Response) => JSON.stringify(await reply.json())],
  ['bytes', async (reply: Response) => new TextDecoder().decode(await reply.bytes())],
  ['arrayBuffer', async (reply: Response) => new TextDecoder().decode(await reply.arrayBuffer())],
  ['body', async (reply: Response) => await new Response(reply.body).text()],
])('a bad reply is reported, read as %s', async (_, read) => {
  expect(await read(await ask('bad'))).toBe(bad);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain('surprise');
});

test('a stream that ends too early is reported', async () => {
  let text = '';
  for await (const bytes of (await ask('cut')).body ?? []) text += new TextDecoder().decode(bytes);
  expect(text).toBe(stream);
  expect(faults[0]).toContain('without [DONE]');
});

test('a client that leaves takes the connection with it, and what it read is judged as a part', async () => {
  const reader = (await ask('endless')).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  while (cancelled === 0) await Bun.sleep(1);
  expect(faults).toEqual([]);
});

test('other origins are not observed', () => {
  expect([isObserved(`${origin}/v1`), isObserved(`ws://127.0.0.1:${server.port}/v1`)]).toEqual([true, true]);
  expect(isObserved('http://127.0.0.1:1/')).toBe(false);
});
