/** OpenAI responses: input items and their list. https://platform.openai.com/docs/api-reference/responses/input-items (read 2026-11-16). */

import { z } from 'zod';
import { inputPart, messagePart } from './content.ts';
import { outputItem, outputMessage, phase } from './output-items.ts';

const text = z.string();
const status = z.enum(['in_progress', 'completed', 'incomplete']);

/** A message as the list of input items shows it: with an id. */
const inputMessage = z.strictObject({
  type: z.literal('message'),
  id: text.min(1),
  role: z.enum(['user', 'system', 'developer']),
  status: status.optional(),
  content: z.array(inputPart),
});

/** One entry of the list. */
const listedItem = z.union([inputMessage, outputMessage, outputItem]);

export const inputItemList = z.strictObject({
  object: z.literal('list'),
  data: z.array(listedItem),
  first_id: text,
  last_id: text,
  has_more: z.boolean(),
});

/** A message as a request may write it; `instructions` of a reply repeats it. */
const easyMessage = z.strictObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([text, z.array(z.union([inputPart, messagePart]))]),
  phase,
  status: status.optional(),
});

/** Any other item of a request has its type; its id may be absent. */
const requestItem = z.looseObject({
  type: text.refine((type) => type !== 'message', 'a message has the shape of a message'),
});

export const instructions = z.union([text, z.array(z.union([easyMessage, requestItem]))]).nullable();
