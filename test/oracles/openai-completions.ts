/** OpenAI legacy completions. https://platform.openai.com/docs/api-reference/completions (read 2026-11-16). */

import { z } from 'zod';
import { chatOrderFault, streamError } from './openai-chat.ts';
import { weirError } from './openai-errors.ts';
import { chatUsage } from './openai-usage.ts';
import { endsWithPath, type Oracle } from './oracle.ts';

const count = z.int().nonnegative();
const logprobs = z.strictObject({
  text_offset: z.array(count).optional(),
  token_logprobs: z.array(z.number()).optional(),
  tokens: z.array(z.string()).optional(),
  top_logprobs: z.array(z.record(z.string(), z.number())).optional(),
});
const finishWord = z.enum(['stop', 'length', 'content_filter']);

/** The same object is a whole reply and a chunk; a chunk before the last one has no reason to finish. */
const completionOf = (finish: z.ZodType) =>
  z.strictObject({
    id: z.string().min(1),
    object: z.literal('text_completion'),
    created: count,
    model: z.string(),
    system_fingerprint: z.string().optional(),
    choices: z.array(
      z.strictObject({ text: z.string(), index: count, logprobs: logprobs.nullable(), finish_reason: finish }),
    ),
    usage: chatUsage.nullable().optional(),
  });

export const completion = completionOf(finishWord);
export const completionChunk = completionOf(finishWord.nullable());

export const completionsOracle: Oracle = {
  name: 'openai completions',
  matches: endsWithPath('POST', 'completions'),
  reply: completion,
  event: z.union([completionChunk, streamError]),
  error: weirError,
  orderFault: chatOrderFault,
};
