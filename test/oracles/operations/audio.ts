/** OpenAI audio API: speech, transcriptions and translations. https://platform.openai.com/docs/api-reference/audio (read 2026-11-16) */

import { z } from 'zod';
import { weirError } from '../openai-errors.ts';
import type { StreamedEvent } from '../oracle.ts';

const count = z.int().nonnegative();
const text = z.string();
const seconds = z.number().nonnegative();

const tokens = z
  .strictObject({
    type: z.literal('tokens'),
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    input_token_details: z.strictObject({ audio_tokens: count.optional(), text_tokens: count.optional() }).optional(),
  })
  .refine((all) => all.total_tokens === all.input_tokens + all.output_tokens, 'the total is the sum');
const duration = z.strictObject({ type: z.literal('duration'), seconds });
const used = z.union([tokens, duration]);

const logprobs = z.array(
  z.strictObject({
    token: text.optional(),
    logprob: z.number().optional(),
    bytes: z.array(z.int().min(0).max(255)).optional(),
  }),
);
const languages = z.array(z.strictObject({ code: text }));

/** `response_format: json`. */
export const transcript = z.strictObject({
  text,
  languages: languages.optional(),
  logprobs: logprobs.optional(),
  usage: used.optional(),
});

const span = { start: seconds, end: seconds };
const inOrder = ({ start, end }: { readonly start: number; readonly end: number }): boolean => start <= end;

const segment = z
  .strictObject({
    id: count,
    seek: count,
    ...span,
    text,
    tokens: z.array(count),
    temperature: z.number(),
    avg_logprob: z.number(),
    compression_ratio: z.number(),
    no_speech_prob: z.number(),
  })
  .refine(inOrder, 'ends before it starts');
const word = z.strictObject({ word: text, ...span }).refine(inOrder, 'ends before it starts');

/** `response_format: verbose_json`; `task` is sent by the service and missing from its reference. */
export const verboseTranscript = z.strictObject({
  task: z.enum(['transcribe', 'translate']).optional(),
  language: text,
  duration: seconds,
  text,
  segments: z.array(segment).optional(),
  words: z.array(word).optional(),
  usage: duration.optional(),
});

const spoken = z
  .strictObject({ type: z.literal('transcript.text.segment'), id: text, ...span, speaker: text, text })
  .refine(inOrder, 'ends before it starts');

/** `response_format: diarized_json`. */
export const diarizedTranscript = z.strictObject({
  task: z.literal('transcribe'),
  duration: seconds,
  text,
  segments: z.array(spoken),
  usage: used.optional(),
});

/** Mistral's dialect. https://docs.mistral.ai/api/endpoint/audio/transcriptions */
export const mistralTranscript = z.strictObject({
  model: text,
  text,
  language: text.nullable(),
  segments: z
    .array(
      z.strictObject({
        type: z.literal('transcription_segment'),
        text,
        ...span,
        score: z.number().nullish(),
        speaker_id: text.nullish(),
      }),
    )
    .optional(),
  usage: z.strictObject({
    prompt_audio_seconds: count.nullish(),
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    request_count: count.optional(),
  }),
});

/** Which of the three it is shows in its fields. */
export const transcriptionReply = z.union([transcript, verboseTranscript, diarizedTranscript]);
/** Weir: a translation reports its usage as a transcription does. */
export const translationReply = z.union([z.strictObject({ text, usage: used.optional() }), verboseTranscript]);

export const transcriptEvent = z.union([
  spoken,
  z.strictObject({
    type: z.literal('transcript.text.delta'),
    delta: text,
    logprobs: logprobs.optional(),
    segment_id: text.optional(),
  }),
  z.strictObject({
    type: z.literal('transcript.text.done'),
    text,
    languages: languages.optional(),
    logprobs: logprobs.optional(),
    usage: tokens.optional(),
  }),
  weirError,
]);

export const speechEvent = z.union([
  z.strictObject({ type: z.literal('speech.audio.delta'), audio: text.regex(/^[A-Za-z0-9+/]*={0,2}$/) }),
  z.strictObject({
    type: z.literal('speech.audio.done'),
    usage: z.strictObject({ input_tokens: count, output_tokens: count, total_tokens: count }),
  }),
  weirError,
]);

interface AudioEvent {
  readonly type?: string;
  readonly delta?: string;
  readonly text?: string;
  readonly error?: unknown;
}

/** Deltas first; one `done` ends the stream and, of a transcript, repeats what the deltas add up to; an error ends it as well. */
export function orderFault(events: readonly StreamedEvent[], complete: boolean): string | undefined {
  let said = '';
  let last = '';
  for (const { data } of events) {
    if (data === '[DONE]') {
      if (!last.endsWith('.done')) return '[DONE] before the last event';
      continue;
    }
    if (last.endsWith('.done') || last === 'error') return `an event after ${last}`;
    const event = data as AudioEvent;
    last = event.error === undefined ? (event.type ?? '') : 'error';
    if (last === 'transcript.text.delta') said += event.delta ?? '';
    if (last === 'transcript.text.done' && said !== '' && said !== event.text) return 'the deltas are not the text';
  }
  return complete && !last.endsWith('.done') && last !== 'error' ? 'ends without `done`' : undefined;
}
