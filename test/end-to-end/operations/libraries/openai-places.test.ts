/** The official library in front of those of the family whose place or key is their own: it notices nothing of either. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type OpenAI from 'openai';
import { BadRequestError } from 'openai';
import { recording } from '../../../contract/operations/audio-wires.ts';
import { type Bench, startBench } from '../../../contract/operations/bench.ts';
import { png, pngBytes } from '../../../contract/operations/image-wires.ts';
import { placeRows, soldPaths } from '../../../contract/operations/place-rows.ts';
import { failureOf, openaiOf } from '../../../harness/operation-clients.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(placeRows, {
    prices: { '*': { input: 1, output: 1, image: 1, minute: 1, characters: 1 } },
  });
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const name of Object.keys(placeRows)) bench.up(name).forget();
});

const talk = () => new File([recording], 'talk.wav', { type: 'audio/wav' });
const imageFile = () => new File([pngBytes], 'a.png', { type: 'image/png' });

/** The call of each endpoint, and what the library returns. */
const calls: Readonly<Record<string, (client: OpenAI, model: string) => Promise<unknown>>> = {
  '/embeddings': async (client, model) =>
    (await client.embeddings.create({ model, input: 'text' })).data.map(({ embedding }) => embedding),
  '/images/generations': async (client, model) =>
    (await client.images.generate({ model, prompt: 'a weir' })).data?.map(({ b64_json }) => b64_json),
  '/images/edits': async (client, model) =>
    (await client.images.edit({ model, prompt: 'a weir', image: imageFile() })).data?.map(({ b64_json }) => b64_json),
  '/audio/speech': async (client, model) =>
    (await client.audio.speech.create({ model, input: 'Hello', voice: 'alloy' })).text(),
  '/audio/transcriptions': async (client, model) =>
    (await client.audio.transcriptions.create({ model, file: talk() })).text,
  '/audio/translations': async (client, model) =>
    (await client.audio.translations.create({ model, file: talk() })).text,
};
const held: Readonly<Record<string, unknown>> = {
  '/embeddings': [[1]],
  '/images/generations': [png],
  '/images/edits': [png],
  '/audio/speech': 'sound',
  '/audio/transcriptions': 'Hello',
  '/audio/translations': 'Hello',
};
const paths = [...soldPaths, '/images/edits'] as const;
const audioPaths = paths.filter((path) => path.startsWith('/audio/'));

async function ask(path: string, model: string): Promise<void> {
  const got = await calls[path]?.(openaiOf(bench.weir), model);
  // Waves are made into the MP3 that the library asks for, so it is not what the provider sent.
  if (model === 'playai-tts' && path === '/audio/speech') expect(String(got).length).toBeGreaterThan(200);
  else expect(got).toEqual(held[path]);
}

function askedAt(name: string): string {
  const [seen] = bench.up(name).seen;
  return seen === undefined ? 'nowhere' : `${seen.path}${seen.query.size > 0 ? `?${seen.query}` : ''}`;
}

describe.each([
  ['azure', 'my-deployment', '/openai/v1', '', paths],
  ['older', 'old-deployment', '/openai/deployments/old-deployment', '?api-version=2025-04-01-preview', paths],
  ['together', 'together-any', '/v1', '', soldPaths],
  ['groq', 'playai-tts', '/openai/v1', '', audioPaths],
] as const)('%s', (name, model, before, after, sold) => {
  test.each([...sold])('%s', async (path) => {
    await ask(path, model);
    expect(askedAt(name)).toBe(before + path + after);
  });
});

test.each([
  ['deepseek', 'deepseek-chat', '/embeddings'],
  ['deepseek', 'deepseek-chat', '/audio/speech'],
  ['groq', 'playai-tts', '/embeddings'],
  ['groq', 'playai-tts', '/images/generations'],
  ['together', 'together-any', '/images/edits'],
])('%s (%s) does not sell %s, and is not asked', async (name, model, path) => {
  const error = await failureOf(calls[path]?.(openaiOf(bench.weir), model) ?? Promise.resolve());
  expect(error).toBeInstanceOf(BadRequestError);
  expect([error.code, error.param]).toEqual(['operation_unsupported', 'model']);
  expect(bench.up(name).seen.length).toBe(0);
});
