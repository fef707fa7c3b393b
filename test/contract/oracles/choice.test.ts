/** Which oracle judges a reply: by method, path, and the headers and parameters that choose a vendor's shape (docs/addresses.md). */

import { expect, test } from 'bun:test';
import { oracleFor } from '../../oracles/index.ts';

const google = { 'x-goog-api-key': 'k' };
const claude = { 'anthropic-version': '2023-06-01' };

test.each([
  ['GET /v1/models', {}, 'openai model list'],
  ['GET /v1/models/gpt-4.1', {}, 'openai model'],
  ['GET /v1beta/openai/models', {}, 'openai model list'],
  ['GET /v1/models', claude, 'anthropic model list'],
  ['GET /v1/models/claude', claude, 'anthropic model'],
  ['GET /v1/models', google, 'gemini model list'],
  ['GET /v1/models?key=k', {}, 'gemini model list without its library'],
  ['GET /v1beta/models', {}, 'gemini model list without its library'],
  ['GET /v1/v1beta/models', {}, 'gemini model list without its library'],
  ['GET /v1beta/models/gemini', google, 'gemini model'],
  ['POST /v1/messages', {}, 'anthropic messages'],
  ['POST /v1/messages/count_tokens', {}, 'anthropic count_tokens'],
  ['POST /v1beta/models/gemini:generateContent', google, 'gemini generateContent'],
  ['POST /v1beta/models/gemini:streamGenerateContent', {}, 'gemini streamGenerateContent without its library'],
  ['POST /v1/v2/chat', {}, 'cohere chat'],
  ['POST /v1/embeddings', {}, 'openai embeddings'],
  ['POST /openai/deployments/d/audio/transcriptions', {}, 'openai transcriptions'],
  ['GET /v1/videos/video_1', {}, 'openai video'],
  ['GET /v1/video/generations/video_1', {}, 'one video task'],
  ['DELETE /v1/video/generations/video_1', {}, 'deleted task'],
  ['POST /v1/realtime/client_secrets', {}, 'openai client secret'],
  ['GET /console/api/tokens', {}, 'admin error'],
  ['GET /healthz', {}, undefined],
] as const)('%s %p', (line, headers, name) => {
  const [method, address = ''] = line.split(' ');
  const { pathname, searchParams } = new URL(address, 'http://weir.example');
  const request = { method: method ?? '', path: pathname, query: searchParams, headers: new Headers(headers) };
  expect(oracleFor(request)?.name).toBe(name);
});
