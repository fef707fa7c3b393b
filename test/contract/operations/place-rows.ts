/**
 * Providers of the family with their own path or key: the suites over plain HTTP and over the libraries
 * call the same ones.
 */

import { waveFile } from '../../../src/operations/audio/wave-file.ts';
import { providerKey, type Row } from './bench.ts';
import { png } from './image-wires.ts';
import { type Answer, demand, headerIs } from './scripted.ts';

/** Any operation of the family, by the end of its path. */
export const anything: Answer = ({ path }) => {
  const usage = { prompt_tokens: 4, total_tokens: 4 };
  if (path.endsWith('/embeddings')) {
    const data = [{ object: 'embedding', index: 0, embedding: [1] }];
    return Response.json({ object: 'list', data, model: 'x', usage });
  }
  if (path.endsWith('/rerank')) return Response.json({ results: [{ index: 0, relevance_score: 0.5 }], usage });
  if (path.includes('/images/')) return Response.json({ created: 1, data: [{ b64_json: png }] });
  if (path.endsWith('/speech')) return new Response('sound', { headers: { 'content-type': 'audio/mpeg' } });
  demand(path.endsWith('/transcriptions') || path.endsWith('/translations'), 'a path that it knows');
  return Response.json({ text: 'Hello', language: 'en', duration: 2, segments: [] });
};

/** Its voices write waves alone. */
const waves: Answer = (seen) => {
  if (!seen.path.endsWith('/speech')) return anything(seen);
  const bytes = waveFile({ bytes: new Uint8Array(4_800), samplesPerSecond: 24_000 });
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': 'audio/wav' } });
};

const withKey: Answer = (seen) => {
  headerIs(seen, 'api-key', providerKey);
  return anything(seen);
};

export const placeRows: Readonly<Record<string, Row>> = {
  azure: { kind: 'azure', base: '/openai/v1', models: ['my-deployment'], answer: withKey },
  older: {
    kind: 'azure-deployments',
    base: '/openai',
    models: ['old-deployment'],
    answer: withKey,
    settings: { api_version: '2025-04-01-preview', resource: 'any' },
  },
  groq: { kind: 'groq', base: '/openai/v1', models: ['playai-tts'], answer: waves },
  together: { kind: 'together', base: '/v1', models: ['together-any'], answer: anything },
  deepseek: { kind: 'deepseek', base: '/v1', models: ['deepseek-chat'], answer: anything },
};

/** What the first two and the fourth sell. */
export const soldPaths = [
  '/embeddings',
  '/images/generations',
  '/audio/speech',
  '/audio/transcriptions',
  '/audio/translations',
] as const;
