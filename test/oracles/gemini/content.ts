/** Google Gemini API: the content of a reply, its parts and its safety ratings. https://ai.google.dev/api/caching#Content (read 2026-11-16) */

import { z } from 'zod';

const text = z.string();
const anyObject = z.record(text, z.unknown());
/** A count of zero is left out by the wire. */
const count = z.int().nonnegative();
/** A duration as the wire writes it. */
const duration = text.regex(/^\d+(\.\d{1,9})?s$/);

const modality = z.enum(['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT']);
export const modalityCounts = z.array(z.strictObject({ modality: modality.optional(), tokenCount: count.optional() }));

const blob = z.strictObject({
  data: z.base64().or(text.regex(/^[\w-]*={0,2}$/)),
  displayName: text.optional(),
  mimeType: text.optional(),
});
const fileData = z.strictObject({ displayName: text.optional(), fileUri: text, mimeType: text.optional() });

const partialArg = z.strictObject({
  jsonPath: text,
  boolValue: z.boolean().optional(),
  nullValue: z.literal('NULL_VALUE').optional(),
  numberValue: z.number().optional(),
  stringValue: text.optional(),
  willContinue: z.boolean().optional(),
});

const functionCall = z.strictObject({
  id: text.optional(),
  /** The pieces of a call that is streamed name it in the first one only. */
  name: text.optional(),
  args: anyObject.optional(),
  partialArgs: z.array(partialArg).optional(),
  willContinue: z.boolean().optional(),
});

const functionResponse = z.strictObject({
  id: text.optional(),
  name: text,
  response: anyObject,
  parts: z.array(z.strictObject({ inlineData: blob.optional(), fileData: fileData.optional() })).optional(),
  scheduling: z.enum(['SCHEDULING_UNSPECIFIED', 'SILENT', 'WHEN_IDLE', 'INTERRUPT']).optional(),
  willContinue: z.boolean().optional(),
});

const toolType = z.enum([
  'TOOL_TYPE_UNSPECIFIED',
  'GOOGLE_SEARCH_WEB',
  'GOOGLE_SEARCH_IMAGE',
  'URL_CONTEXT',
  'GOOGLE_MAPS',
  'FILE_SEARCH',
  'MEDIA_PROCESSING',
]);

const data = {
  text: text.optional(),
  inlineData: blob.optional(),
  fileData: fileData.optional(),
  functionCall: functionCall.optional(),
  functionResponse: functionResponse.optional(),
  executableCode: z
    .strictObject({
      code: text,
      language: z.enum(['LANGUAGE_UNSPECIFIED', 'PYTHON']),
      id: text.optional(),
    })
    .optional(),
  codeExecutionResult: z
    .strictObject({
      outcome: z.enum(['OUTCOME_UNSPECIFIED', 'OUTCOME_OK', 'OUTCOME_FAILED', 'OUTCOME_DEADLINE_EXCEEDED']),
      output: text.optional(),
      id: text.optional(),
    })
    .optional(),
  toolCall: z
    .strictObject({ id: text.optional(), toolType: toolType.optional(), args: anyObject.optional() })
    .optional(),
  toolResponse: z
    .strictObject({ id: text.optional(), toolType: toolType.optional(), response: anyObject.optional() })
    .optional(),
};

const part = z
  .strictObject({
    ...data,
    thought: z.boolean().optional(),
    thoughtSignature: text.optional(),
    partMetadata: anyObject.optional(),
    mediaResolution: z
      .strictObject({
        level: z
          .enum([
            'MEDIA_RESOLUTION_UNSPECIFIED',
            'MEDIA_RESOLUTION_LOW',
            'MEDIA_RESOLUTION_MEDIUM',
            'MEDIA_RESOLUTION_HIGH',
            'MEDIA_RESOLUTION_ULTRA_HIGH',
          ])
          .optional(),
        numTokens: count.optional(),
      })
      .optional(),
    videoMetadata: z
      .strictObject({ startOffset: duration.optional(), endOffset: duration.optional(), fps: z.number().optional() })
      .optional(),
    mediaProcessing: z.enum(['MEDIA_PROCESSING_UNSPECIFIED', 'STATIC', 'AGENTIC']).optional(),
    speechMetadata: z.strictObject({ speaker: text.optional(), style: text.optional() }).optional(),
  })
  .refine((one) => Object.keys(data).filter((name) => name in one).length <= 1, 'a part holds one kind of data');

/** `parts` is omitted where a candidate is empty. */
export const content = z.strictObject({ parts: z.array(part).optional(), role: z.literal('model').optional() });

export const safetyRatings = z.array(
  z.strictObject({
    category: z.enum([
      'HARM_CATEGORY_UNSPECIFIED',
      'HARM_CATEGORY_HARASSMENT',
      'HARM_CATEGORY_HATE_SPEECH',
      'HARM_CATEGORY_SEXUALLY_EXPLICIT',
      'HARM_CATEGORY_DANGEROUS_CONTENT',
      'HARM_CATEGORY_CIVIC_INTEGRITY',
      'HARM_CATEGORY_JAILBREAK',
      'HARM_CATEGORY_IMAGE_HATE',
      'HARM_CATEGORY_IMAGE_DANGEROUS_CONTENT',
      'HARM_CATEGORY_IMAGE_HARASSMENT',
      'HARM_CATEGORY_IMAGE_SEXUALLY_EXPLICIT',
    ]),
    probability: z.enum(['HARM_PROBABILITY_UNSPECIFIED', 'NEGLIGIBLE', 'LOW', 'MEDIUM', 'HIGH']),
    blocked: z.boolean().optional(),
    probabilityScore: z.number().optional(),
    severity: z
      .enum([
        'HARM_SEVERITY_UNSPECIFIED',
        'HARM_SEVERITY_NEGLIGIBLE',
        'HARM_SEVERITY_LOW',
        'HARM_SEVERITY_MEDIUM',
        'HARM_SEVERITY_HIGH',
      ])
      .optional(),
    severityScore: z.number().optional(),
    overwrittenThreshold: z
      .enum([
        'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
        'BLOCK_LOW_AND_ABOVE',
        'BLOCK_MEDIUM_AND_ABOVE',
        'BLOCK_ONLY_HIGH',
        'BLOCK_NONE',
        'OFF',
      ])
      .optional(),
  }),
);
