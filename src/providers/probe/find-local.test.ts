/** The search for local servers: what counts as one, that it never fails, and that silence is bounded. */

import { expect, test } from 'bun:test';
import { isLookedFor, presets } from '../presets.ts';
import { findLocalServers, type LocalSearch } from './find-local.ts';

const refused: LocalSearch['fetch'] = () => Promise.reject(new Error('connection refused'));
const silent: LocalSearch['fetch'] = () => new Promise(() => undefined);

function answering(answers: Record<string, () => Promise<Response>>): LocalSearch['fetch'] {
  return (url) => answers[url]?.() ?? Promise.reject(new Error('connection refused'));
}

const json = (body: unknown, status = 200) => Promise.resolve(Response.json(body, { status }));

test('asks each usual port once, all of them at the same time, and nothing else', async () => {
  const asked: string[] = [];
  const fetch: LocalSearch['fetch'] = (url) => {
    asked.push(url);
    return refused(url, { signal: AbortSignal.abort() });
  };
  expect(await findLocalServers({ presets, fetch })).toEqual([]);
  expect(asked).toEqual([
    'http://127.0.0.1:11434/v1/models',
    'http://127.0.0.1:1234/v1/models',
    'http://127.0.0.1:8000/v1/models',
    'http://127.0.0.1:8080/v1/models',
    'http://127.0.0.1:30000/v1/models',
    'http://127.0.0.1:12434/engines/v1/models',
    'http://127.0.0.1:9997/v1/models',
    'http://127.0.0.1:7997/models',
  ]);
});

test('takes a list of models in either shape', async () => {
  const fetch = answering({
    'http://127.0.0.1:11434/v1/models': () => json({ object: 'list', data: [{ id: 'llama3.2' }, { id: 7 }, null] }),
    'http://127.0.0.1:8080/v1/models': () => json({ models: [{ name: 'qwen' }] }),
  });
  const found = await findLocalServers({ presets, fetch });
  expect(found.map(({ preset, models }) => [preset.name, models])).toEqual([
    ['ollama', ['llama3.2']],
    ['llama.cpp', ['qwen']],
  ]);
});

test('takes nothing else that listens there', async () => {
  const fetch = answering({
    'http://127.0.0.1:11434/v1/models': () => Promise.resolve(new Response('<html>')),
    'http://127.0.0.1:1234/v1/models': () => json({ data: [] }, 401),
    'http://127.0.0.1:8000/v1/models': () => json({ data: 'no list' }),
    'http://127.0.0.1:8080/v1/models': () => json([]),
  });
  expect(await findLocalServers({ presets, fetch })).toEqual([]);
});

test('a port that accepts and stays silent ends the search after the timeout, even against a deaf fetch', async () => {
  const signals: AbortSignal[] = [];
  const fetch: LocalSearch['fetch'] = (url, options) => {
    signals.push(options.signal);
    return silent(url, options);
  };
  expect(await findLocalServers({ presets, fetch, timeoutMs: 5 })).toEqual([]);
  expect(signals.map((signal) => signal.aborted)).toEqual(presets.filter(isLookedFor).map(() => true));
});

test('a real server is found over a real socket, and a closed port costs nothing', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ data: [{ id: 'm' }] }) });
  const [ollama, other] = presets.filter((preset) => preset.local === true);
  if (ollama === undefined || other === undefined) throw new Error('presets are missing');
  const here = { ...ollama, baseUrl: `http://127.0.0.1:${server.port}/v1` };
  const closed = { ...other, baseUrl: 'http://127.0.0.1:9/v1' };
  try {
    const found = await findLocalServers({
      presets: [here, closed],
      fetch: (url, options) => fetch(url, options),
      timeoutMs: 5000,
    });
    expect(found).toEqual([{ preset: here, models: ['m'] }]);
  } finally {
    await server.stop(true);
  }
});
