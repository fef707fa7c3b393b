/**
 * The official library for the endpoints of operations, with every incoming reply checked against the
 * published schemas.
 */

import { expect } from 'bun:test';
import OpenAI, { APIError } from 'openai';
import { dataOf } from './chat.ts';
import { expectValid, type SchemaName } from './schema.ts';
import type { RunningWeir } from './weir.ts';

const wholeReplies: Readonly<Record<string, SchemaName>> = {
  '/v1/embeddings': 'CreateEmbeddingResponse',
  '/v1/moderations': 'CreateModerationResponse',
  '/v1/images/generations': 'ImagesResponse',
  '/v1/images/edits': 'ImagesResponse',
  '/v1/models': 'ListModelsResponse',
};

const events: Readonly<Record<string, SchemaName>> = {
  '/v1/images/generations': 'ImageGenStreamEvent',
  '/v1/images/edits': 'ImageEditStreamEvent',
  '/v1/audio/speech': 'CreateSpeechResponseStreamEvent',
  '/v1/audio/transcriptions': 'CreateTranscriptionResponseStreamEvent',
};

/** A `fetch` for the libraries that checks each reply before they read it. */
export async function watchedFetch(address: string | URL | Request, init?: RequestInit): Promise<Response> {
  const reply = await fetch(address as string, init);
  expect(reply.headers.get('x-request-id')).toBeTruthy();
  const { pathname } = new URL(address instanceof Request ? address.url : String(address));
  await validate(pathname, reply.clone());
  return reply;
}

export function openaiOf(weir: RunningWeir, apiKey = weir.token): OpenAI {
  return new OpenAI({ apiKey, baseURL: weir.base, maxRetries: 0, fetch: watchedFetch as typeof fetch });
}

async function validate(path: string, reply: Response): Promise<void> {
  const contentType = reply.headers.get('content-type') ?? '';
  if (reply.status >= 400) {
    // Another family's envelope is not described by these schemas.
    return path.startsWith('/v1/') ? expectValid('ErrorResponse', await reply.json()) : undefined;
  }
  if (contentType.startsWith('text/event-stream')) {
    const name = events[path];
    for (const data of dataOf(await reply.text())) if (name !== undefined) expectValid(name, JSON.parse(data));
    return;
  }
  if (!contentType.startsWith('application/json')) return;
  const tree = (await reply.json()) as Record<string, unknown>;
  const name = path.startsWith('/v1/audio/') ? transcriptSchema(tree) : (wholeReplies[path] ?? entrySchema(path));
  if (name === 'CreateEmbeddingResponse') return expectValid(name, withNumbers(tree));
  if (name !== undefined) expectValid(name, tree);
}

function transcriptSchema(tree: Readonly<Record<string, unknown>>): SchemaName | undefined {
  if (tree['language'] !== undefined) return 'CreateTranscriptionResponseVerboseJson';
  return tree['segments'] === undefined ? 'CreateTranscriptionResponseJson' : undefined;
}

function entrySchema(path: string): SchemaName | undefined {
  return path.startsWith('/v1/models/') ? 'Model' : undefined;
}

/** The schema has lists of numbers only; the other encoding is the same list. */
function withNumbers(tree: Readonly<Record<string, unknown>>): object {
  const data = tree['data'] as { readonly embedding: string | readonly number[] }[];
  return {
    ...tree,
    data: data.map((entry) => ({
      ...entry,
      embedding: typeof entry.embedding === 'string' ? floatsOf(entry.embedding) : entry.embedding,
    })),
  };
}

export function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

/** The error a call ends with; a call that succeeds is the failure here. */
export async function failureOf(call: PromiseLike<unknown>): Promise<APIError> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof APIError)) throw new Error(`expected an APIError, got ${error}`);
  for (const field of [error.code, error.type, error.param]) expect(typeof field).toBe('string');
  return error;
}

export function cosine(left: readonly number[], right: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}
