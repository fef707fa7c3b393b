/** OpenAI models. https://platform.openai.com/docs/api-reference/models (read 2026-11-16). */

import { z } from 'zod';
import { weirError } from './openai-errors.ts';
import type { Oracle, OracleRequest } from './oracle.ts';

const tokens = z.int().positive();
const words = z.array(z.string());
const date = z.iso.date();

/** OpenAI's four fields and its date of shutdown. */
const published = {
  id: z.string().min(1),
  object: z.literal('model'),
  created: z.int().nonnegative(),
  owned_by: z.string(),
  shutdown_date: date.nullable().optional(),
};

/** Weir: what a model can do, in the names of https://openrouter.ai/docs/api-reference/list-available-models (docs/models.md). */
const weirFields = {
  providers: words.optional(),
  description: z.string().optional(),
  deprecation_date: date.optional(),
  context_length: tokens.optional(),
  top_provider: z
    .strictObject({ context_length: tokens.optional(), max_completion_tokens: tokens.optional() })
    .optional(),
  architecture: z.strictObject({ input_modalities: words, output_modalities: words }).optional(),
  operations: words.optional(),
  supported_parameters: words.optional(),
  pricing: z
    .strictObject({
      prompt: z.string().optional(),
      completion: z.string().optional(),
      source: z.enum(['operator', 'provider', 'table', 'guess', 'unknown', 'free']),
      version: z.string().optional(),
    })
    .optional(),
};

export const model = z.strictObject({ ...published, ...weirFields });
export const modelList = z.strictObject({ object: z.literal('list'), data: z.array(model) });

/**
 * Google's versions of the path, and the headers by which a caller selects another vendor's shape (docs/addresses.md).
 */
const asksOtherwise = ({ path, headers, query }: OracleRequest): boolean =>
  /\/v1(beta|alpha)\d*\/(?!openai\/)/.test(path) ||
  query.has('key') ||
  ['anthropic-version', 'x-goog-api-key', 'x-goog-api-client'].some((name) => headers.has(name));

/** The console's own lists of models end alike. */
const listPath = /^(?!\/console\/).*\/models$/;
const entryPath = /^(?!\/console\/).*\/models\/[^:]+$/;

export const openaiModelOracles: readonly Oracle[] = [
  {
    name: 'openai model list',
    matches: (request) => request.method === 'GET' && listPath.test(request.path) && !asksOtherwise(request),
    reply: modelList,
    error: weirError,
  },
  {
    name: 'openai model',
    matches: (request) => request.method === 'GET' && entryPath.test(request.path) && !asksOtherwise(request),
    reply: model,
    error: weirError,
  },
];
