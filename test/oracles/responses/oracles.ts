/** OpenAI responses: which reply and event belongs to which path. https://platform.openai.com/docs/api-reference/responses (read 2026-11-16). */

import { z } from 'zod';
import { weirError } from '../openai-errors.ts';
import { endsWithPath, type Oracle } from '../oracle.ts';
import { responseEvent } from './events.ts';
import { inputItemList } from './input-items.ts';
import { responseOrderFault } from './order.ts';
import { outputItem } from './output-items.ts';
import { response, responseUsage } from './response.ts';

const deleted = z.strictObject({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) });
const counted = z.strictObject({ object: z.literal('response.input_tokens'), input_tokens: z.int().nonnegative() });

/** https://platform.openai.com/docs/api-reference/responses/compact. */
const compacted = z.strictObject({
  id: z.string(),
  object: z.literal('response.compaction'),
  created_at: z.number(),
  output: z.array(z.union([outputItem, inputItemList.shape.data.element])),
  usage: responseUsage,
});

const oneResponse = /(^|\/)responses\/[^/]+$/;

export const responsesOracles: readonly Oracle[] = [
  {
    name: 'openai responses',
    matches: endsWithPath('POST', 'responses'),
    reply: response,
    event: responseEvent,
    error: weirError,
    orderFault: responseOrderFault,
  },
  {
    name: 'openai responses compact',
    matches: endsWithPath('POST', 'responses/compact'),
    reply: compacted,
    error: weirError,
  },
  {
    name: 'openai responses input tokens',
    matches: endsWithPath('POST', 'responses/input_tokens'),
    reply: counted,
    error: weirError,
  },
  {
    name: 'openai responses input items',
    matches: ({ method, path }) => method === 'GET' && /(^|\/)responses\/[^/]+\/input_items$/.test(path),
    reply: inputItemList,
    error: weirError,
  },
  {
    name: 'openai response, kept',
    matches: ({ method, path }) => method === 'GET' && oneResponse.test(path),
    reply: response,
    error: weirError,
  },
  {
    name: 'openai response, deleted',
    matches: ({ method, path }) => method === 'DELETE' && oneResponse.test(path),
    reply: deleted,
    error: weirError,
  },
];
