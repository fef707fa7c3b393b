/** Proves that the wire panel's records say what happened and when, and that what it lets people copy is whole and holds no token. */

import { expect, test } from 'bun:test';
import { formats } from '../formats/all-formats.ts';
import { findModels, pricePerMillionNano, readModels } from '../models.ts';
import { keepToken, usableToken } from '../token/token-keep.ts';
import { gistOf } from './event-list.tsx';
import { shortenedData, shownBody, shownHeaders } from './shown-body.ts';
import { curlOf, snippetOf } from './snippets.ts';
import { createWireStore, recordsMax } from './wire-store.ts';

const request = { method: 'POST', path: '/v1/x', body: { kind: 'json', value: { a: 1 } } } as const;

function scriptedClock() {
  let nowMs = 0;
  let waiting: (() => void)[] = [];
  return {
    nowMs: () => nowMs,
    soon: (run: () => void) => {
      waiting.push(run);
    },
    pass(ms: number) {
      nowMs += ms;
      const runs = waiting;
      waiting = [];
      for (const run of runs) run();
      return runs.length;
    },
  };
}

test('a record has the times of everything since it was sent, and views are told once a frame', () => {
  const clock = scriptedClock();
  const store = createWireStore(clock);
  let told = 0;
  store.subscribe(() => told++);
  clock.pass(100);
  const exchange = store.begin(request, { model: 'm' });
  clock.pass(20);
  exchange.head(200, new Headers({ 'x-request-id': 'req_1' }));
  clock.pass(5);
  for (let count = 0; count < 1_000; count++) exchange.event(`event ${count}`);
  exchange.output();
  clock.pass(75);
  exchange.output();
  exchange.usage({ output: 50 });
  exchange.end();
  exchange.event('too late');
  clock.pass(1);
  expect(told).toBe(4);
  expect(store.records()[0]).toMatchObject({
    status: 200,
    headMs: 20,
    headers: [['x-request-id', 'req_1']],
    firstOutputMs: 25,
    lastOutputMs: 100,
    totalMs: 100,
    outputTokens: 50,
    failure: undefined,
  });
  expect(store.records()[0]?.events.length).toBe(1_000);
});

test('old records make room', () => {
  const clock = scriptedClock();
  const store = createWireStore(clock);
  for (let count = 0; count < recordsMax + 5; count++) store.begin(request);
  clock.pass(1);
  expect(store.records().length).toBe(recordsMax);
});

test('a shell reads the body as it is, whatever quotes stand in it', async () => {
  const value = { text: `it's "quoted" $HOME \`x\` \\ \n` };
  const curl = curlOf({ ...request, body: { kind: 'json', value } }, 'http://127.0.0.1:1');
  expect(curl).toContain('"Authorization: Bearer $WEIR_TOKEN"');
  const script = `curl() { for word in "$@"; do last=$word; done; printf %s "$last"; }; ${curl}`;
  const child = Bun.spawn(['sh', '-c', script], { env: { WEIR_TOKEN: 't', HOME: '/h' }, stdout: 'pipe' });
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual(value);
});

test('forms and files are told by name', () => {
  const file = new File(['abc'], 'a.png', { type: 'image/png' });
  const form = {
    method: 'POST',
    path: '/v1/images/edits',
    body: {
      kind: 'form',
      fields: [
        ['model', 'm'],
        ['image', file],
      ],
    },
  } as const;
  expect(curlOf(form, 'http://h')).toContain(`-F 'image=@a.png'`);
  expect(shownBody(form.body)).toBe('model: m\nimage: a.png (3 B, image/png)');
  expect(snippetOf(form, 'python', 'http://h')).toBeUndefined();
});

test('Python gets Python’s words, and one library its own places', () => {
  const ask = {
    model: 'acme/large',
    system: 'Brief.',
    messages: [{ role: 'user' as const, text: 'Hi', attachments: [] }],
    parameters: { temperature: 0 },
    tools: [],
  };
  const chat = snippetOf(formats.chat.request(ask), 'python', 'http://h') ?? '';
  expect(chat).toContain('    stream=True,');
  expect(chat).toContain('base_url="http://h/v1"');
  const generate = snippetOf(formats.generate.request(ask), 'node', 'http://h') ?? '';
  expect(generate).toContain('"model": "acme/large"');
  expect(generate).toMatch(/"config": \{\s+"temperature": 0,\s+"systemInstruction"/);
});

test('data inside a body is named by its size, and the token not at all', () => {
  expect(shortenedData({ a: ['x'.repeat(500), 'a sentence '.repeat(80)] })).toEqual({
    a: [`${'x'.repeat(48)}… (500)`, 'a sentence '.repeat(80)],
  });
  expect(shownHeaders(request, 'hidden')).toBe('authorization: Bearer (hidden)\ncontent-type: application/json');
});

test('a row of the event list shows what is new', () => {
  expect(gistOf('data: {"id":"x","choices":[{"index":0,"delta":{"content":"a"}}]}')).toStartWith(
    '…"delta":{"content":"a"}',
  );
  expect(gistOf('event: message_stop\ndata: {"type":"message_stop"}')).toBe('message_stop');
  expect(gistOf('data: [DONE]')).toBe('[DONE]');
});

test('the list of models is read as far as it goes', () => {
  const models = readModels({
    data: [{ id: 'a', providers: ['p'], operations: ['embed'], context_length: 5 }, { id: 'b', owned_by: 'q' }, {}, 3],
  });
  expect(models.map(({ id, providers, operations }) => [id, providers, operations])).toEqual([
    ['a', ['p'], ['embed']],
    ['b', ['q'], ['converse']],
  ]);
  expect(findModels(models, 'Q b').map(({ provider }) => provider)).toEqual(['q']);
  expect(pricePerMillionNano('0.000003')).toBe('3000000000');
  expect(readModels('nonsense')).toEqual([]);
});

test('a kept token is read back, and anything else is none', () => {
  const held = new Map<string, string>();
  const storage = {
    getItem: (name: string) => held.get(name) ?? null,
    setItem: (name: string, value: string) => held.set(name, value),
    removeItem: (name: string) => held.delete(name),
  } as unknown as Storage;
  keepToken(storage, { value: 't', kind: 'mine', expiresAtMs: 500_000 });
  expect(usableToken(storage, 100_000)).toEqual({ value: 't', kind: 'mine', expiresAtMs: 500_000 });
  // About to end, so another one is made instead.
  expect(usableToken(storage, 400_000)).toBeUndefined();
  for (const name of held.keys()) held.set(name, '{"value":5}');
  expect(usableToken(storage, 0)).toBeUndefined();
  keepToken(storage, undefined);
  expect(held.size).toBe(0);
});
