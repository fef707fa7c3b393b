/** Google Gemini API: generateContent, streamGenerateContent, countTokens and errors. https://ai.google.dev/api/generate-content (read 2026-11-16) */

import { z } from 'zod';
import type { StreamedEvent } from '../oracle.ts';
import { content, modalityCounts, safetyRatings } from './content.ts';
import { citationMetadata, groundingMetadata, urlContextMetadata } from './grounding.ts';

const text = z.string();
const count = z.int().nonnegative();

const finishReason = z.enum([
  'FINISH_REASON_UNSPECIFIED',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MODEL_ARMOR',
  'MALFORMED_FUNCTION_CALL',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_OTHER',
  'NO_IMAGE',
  'IMAGE_RECITATION',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'CONTINUATION',
]);

const logprob = z.strictObject({
  token: text.optional(),
  tokenId: z.int().optional(),
  logProbability: z.number().optional(),
});

const candidate = z.strictObject({
  content: content.optional(),
  finishReason: finishReason.optional(),
  finishMessage: text.optional(),
  /** Left out where it is zero. */
  index: count.optional(),
  safetyRatings: safetyRatings.optional(),
  citationMetadata: citationMetadata.optional(),
  groundingMetadata: groundingMetadata.optional(),
  urlContextMetadata: urlContextMetadata.optional(),
  tokenCount: count.optional(),
  avgLogprobs: z.number().optional(),
  logprobsResult: z
    .strictObject({
      chosenCandidates: z.array(logprob).optional(),
      topCandidates: z.array(z.strictObject({ candidates: z.array(logprob).optional() })).optional(),
      logProbabilitySum: z.number().optional(),
    })
    .optional(),
  continuationToken: text.optional(),
});

const usageMetadata = z.strictObject({
  promptTokenCount: count.optional(),
  cachedContentTokenCount: count.optional(),
  candidatesTokenCount: count.optional(),
  toolUsePromptTokenCount: count.optional(),
  thoughtsTokenCount: count.optional(),
  totalTokenCount: count.optional(),
  initialPromptTokenCount: count.optional(),
  promptTokensDetails: modalityCounts.optional(),
  cacheTokensDetails: modalityCounts.optional(),
  candidatesTokensDetails: modalityCounts.optional(),
  toolUsePromptTokensDetails: modalityCounts.optional(),
  serviceTier: z.enum(['unspecified', 'standard', 'flex', 'priority']).optional(),
  trafficType: z
    .enum([
      'TRAFFIC_TYPE_UNSPECIFIED',
      'ON_DEMAND',
      'ON_DEMAND_PRIORITY',
      'ON_DEMAND_FLEX',
      'ON_DEMAND_OFFPEAK',
      'PROVISIONED_THROUGHPUT',
    ])
    .optional(),
});

const promptFeedback = z.strictObject({
  blockReason: z
    .enum([
      'BLOCK_REASON_UNSPECIFIED',
      'BLOCKED_REASON_UNSPECIFIED',
      'SAFETY',
      'OTHER',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'IMAGE_SAFETY',
      'MODEL_ARMOR',
      'JAILBREAK',
    ])
    .optional(),
  blockReasonMessage: text.optional(),
  safetyRatings: safetyRatings.optional(),
});

const replyFields = {
  candidates: z.array(candidate).optional(),
  promptFeedback: promptFeedback.optional(),
  usageMetadata: usageMetadata.optional(),
  modelVersion: text.optional(),
  responseId: text.optional(),
  createTime: z.iso.datetime({ offset: true }).optional(),
  modelStatus: z
    .strictObject({
      message: text.optional(),
      modelStage: z
        .enum([
          'MODEL_STAGE_UNSPECIFIED',
          'UNSTABLE_EXPERIMENTAL',
          'EXPERIMENTAL',
          'PREVIEW',
          'STABLE',
          'LEGACY',
          'DEPRECATED',
          'RETIRED',
        ])
        .optional(),
      retirementTime: z.iso.datetime({ offset: true }).optional(),
    })
    .optional(),
};

export const generatedChunk = z.strictObject(replyFields);

/** A whole reply has candidates, or the reason why the prompt was blocked. */
export const generatedReply = z
  .strictObject(replyFields)
  .refine(
    ({ candidates = [], promptFeedback: feedback }) => candidates.length > 0 || feedback !== undefined,
    'neither candidates nor feedback on the prompt',
  )
  .refine(
    ({ candidates = [] }) => candidates.every(({ finishReason: reason }) => reason !== undefined),
    'a whole candidate says why it ended',
  );

/** https://ai.google.dev/api/tokens#method:-models.counttokens */
export const tokenCount = z.strictObject({
  totalTokens: count.optional(),
  cachedContentTokenCount: count.optional(),
  promptTokensDetails: modalityCounts.optional(),
  cacheTokensDetails: modalityCounts.optional(),
});

/** https://cloud.google.com/apis/design/errors; `type`, `param` and `reason` are Weir's (docs/errors.md). */
export const errorReply = z.strictObject({
  error: z.strictObject({
    code: z.int().min(400).max(599),
    message: text.min(1),
    status: z.enum([
      'CANCELLED',
      'UNKNOWN',
      'INVALID_ARGUMENT',
      'DEADLINE_EXCEEDED',
      'NOT_FOUND',
      'ALREADY_EXISTS',
      'PERMISSION_DENIED',
      'UNAUTHENTICATED',
      'RESOURCE_EXHAUSTED',
      'FAILED_PRECONDITION',
      'ABORTED',
      'OUT_OF_RANGE',
      'UNIMPLEMENTED',
      'INTERNAL',
      'UNAVAILABLE',
      'DATA_LOSS',
    ]),
    details: z.array(z.looseObject({ '@type': text })).optional(),
    type: text.optional(),
    param: text.optional(),
    reason: text.optional(),
  }),
});

export const streamChunk = z.union([generatedChunk, errorReply]);

/**
 * The first rule that a stream breaks: all chunks are of one reply, no candidate has content after its `finishReason`, each candidate ends,
 * and an error is the last chunk.
 */
export function orderFault(events: readonly StreamedEvent[], complete: boolean): string | undefined {
  const open = new Map<number, boolean>();
  let id: string | undefined;
  let failed = false;
  let blocked = false;
  for (const { name, data } of events) {
    const chunk = data as z.infer<typeof streamChunk>;
    if (name !== undefined) return `a chunk has the name ${name}`;
    if (failed) return 'a chunk after the error';
    if ('error' in chunk) {
      failed = true;
      continue;
    }
    id ??= chunk.responseId;
    blocked ||= chunk.promptFeedback?.blockReason !== undefined;
    if (chunk.responseId !== undefined && chunk.responseId !== id) return 'two replies in one stream';
    for (const { index = 0, content: said, finishReason: reason } of chunk.candidates ?? []) {
      const isFilled = said?.parts?.some((part) => Object.values(part).some((value) => value !== ''));
      if (open.get(index) === false && isFilled === true) return `candidate ${index} has content after its end`;
      if (open.get(index) === false && reason !== undefined) return `candidate ${index} ends twice`;
      if (open.get(index) !== false) open.set(index, reason === undefined);
    }
  }
  if (!complete || failed) return undefined;
  for (const [index, isOpen] of open) if (isOpen) return `candidate ${index} does not end`;
  return open.size === 0 && !blocked ? 'ends without a candidate' : undefined;
}
