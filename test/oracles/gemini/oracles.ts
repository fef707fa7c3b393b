/** Google Gemini API: which replies are validated against it. https://ai.google.dev/api (read 2026-11-16) */

import { z } from 'zod';
import { weirError } from '../openai-errors.ts';
import type { Oracle, OracleRequest } from '../oracle.ts';
import { errorReply, generatedReply, orderFault, streamChunk, tokenCount } from './generate.ts';
import { batchEmbedContents, embedContent, model, modelPage } from './models.ts';

/** Google's libraries send one of these headers and read errors in Google's shape; others get the error of the chat format (docs/errors.md). */
const showsLibrary = ({ headers }: OracleRequest): boolean =>
  headers.has('x-goog-api-client') || headers.has('x-goog-api-key');

const asksForModels = (request: OracleRequest): boolean =>
  request.method === 'GET' &&
  !request.headers.has('anthropic-version') &&
  (/\/(v1beta|v1alpha)\/models/.test(request.path) || showsLibrary(request) || request.query.has('key'));

type Shapes = Pick<Oracle, 'reply' | 'event' | 'orderFault'>;

const actions: Readonly<Record<string, Shapes>> = {
  generateContent: { reply: generatedReply },
  // Without `alt=sse` the chunks come as one array.
  streamGenerateContent: { reply: z.array(streamChunk), event: streamChunk, orderFault },
  countTokens: { reply: tokenCount },
  embedContent: { reply: embedContent },
  batchEmbedContents: { reply: batchEmbedContents },
};

const paths: readonly (readonly [name: string, matches: Oracle['matches'], shapes: Shapes])[] = [
  ...Object.entries(actions).map(
    ([action, shapes]) =>
      [
        `gemini ${action}`,
        ({ method, path }: OracleRequest) => method === 'POST' && path.endsWith(`:${action}`),
        shapes,
      ] as const,
  ),
  [
    'gemini model list',
    (request) => asksForModels(request) && /(^|\/)models$/.test(request.path),
    { reply: modelPage },
  ],
  ['gemini model', (request) => asksForModels(request) && /(^|\/)models\/[^:]+$/.test(request.path), { reply: model }],
];

export const geminiOracles: readonly Oracle[] = paths.flatMap(([name, matches, shapes]) => [
  {
    name,
    matches: (request) => matches(request) && showsLibrary(request),
    ...shapes,
    error: errorReply,
  },
  {
    name: `${name} without its library`,
    matches: (request) => matches(request) && !showsLibrary(request),
    ...shapes,
    error: weirError,
  },
]);
