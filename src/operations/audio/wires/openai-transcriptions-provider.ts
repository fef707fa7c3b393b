/**
 * OpenAI transcriptions and translations towards providers, and those that support fewer reply formats.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import { unsupported } from '../../field-checks.ts';
import type { TranscribeRequest, Transcript } from '../../transcribe.ts';
import type { FormField, ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { isEventStream } from '../event-data.ts';
import { writtenBack } from '../form-fields.ts';
import { readTranscriptReply, usedBy } from './openai-transcript-reply.ts';
import { diarized } from './openai-transcriptions-form.ts';

interface Manner {
  readonly name: string;
  readonly translate: boolean;
  /** Its shortest reply does not report how long the audio was, so the long one is requested whatever the caller wants. */
  readonly alwaysVerbose?: boolean;
}

export const openaiTranscriptionsProvider = providerWire({ name: 'openai-transcriptions', translate: false });
export const openaiTranslationsProvider = providerWire({ name: 'openai-translations', translate: true });
export const groqTranscriptionsProvider = providerWire({
  name: 'groq-transcriptions',
  translate: false,
  alwaysVerbose: true,
});
export const groqTranslationsProvider = providerWire({
  name: 'groq-translations',
  translate: true,
  alwaysVerbose: true,
});

function providerWire(manner: Manner): ProviderWire<TranscribeRequest, Transcript> {
  return {
    operation: manner.translate ? 'translate' : 'transcribe',
    name: manner.name,
    writeRequest: (request, model) => writeRequest(manner, request, model),
    readReply,
    measure: usedBy,
    // Bare text reports no usage, so JSON is requested and turned into text here.
    passes: (request) => request.speakers === true || request.stream || replyForm(manner, request) === request.format,
    passesBytes: (contentType, request) => request.stream && isEventStream(contentType),
  };
}

function writeRequest(manner: Manner, request: TranscribeRequest, model: string): Converted<WrittenRequest> {
  refuseOtherTask(request, manner.translate);
  const losses = new LossList();
  const own = isFamily(request.extras?.format);
  if (!own) losses.addForeign(request.extras, manner.name);
  const texts: (readonly [string, string | undefined])[] = [
    ['model', model],
    ['language', manner.translate ? undefined : request.language],
    ['prompt', request.prompt],
    ['response_format', replyForm(manner, request)],
    ['temperature', request.temperature === undefined ? undefined : String(request.temperature)],
    ...granularitiesOf(manner, request).map((word) => ['timestamp_granularities[]', word] as const),
    ['stream', request.stream && manner.alwaysVerbose !== true ? 'true' : undefined],
  ];
  const fields: FormField[] = [
    ...texts.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
    ...writtenBack(own ? (request.extras?.fields ?? {}) : {}),
    { name: 'file', value: request.file },
  ];
  if (manner.alwaysVerbose === true && request.speakers === true) {
    losses.add('response_format', 'asks for speakers, which this provider does not distinguish');
  }
  return { value: { body: { kind: 'form', fields } }, losses: losses.all };
}

/** Everything can be written from JSON; subtitles need its long form, which is where the times are, and so is the length. */
function replyForm({ alwaysVerbose }: Manner, request: TranscribeRequest): string {
  if (alwaysVerbose === true) return 'verbose_json';
  if (request.speakers === true) return diarized;
  if (request.stream) return request.format;
  if (request.format === 'srt' || request.format === 'vtt') return 'verbose_json';
  if (request.wantsLength === true && !asksForMore(request)) return 'verbose_json';
  return request.format === 'text' ? 'json' : request.format;
}

/** What only the short form has room for. */
function asksForMore({ extras }: TranscribeRequest): boolean {
  return Object.keys(extras?.fields ?? {}).some((name) => name.startsWith('include'));
}

/** Without a name the long form has its segments, which everything is written from; words are for callers of that form. */
function granularitiesOf({ alwaysVerbose }: Manner, request: TranscribeRequest): TranscribeRequest['granularities'] {
  return request.wantsLength === true && alwaysVerbose !== true && request.format !== 'verbose_json'
    ? []
    : request.granularities;
}

/** Segments of the long form carry figures about the model's confidence, which only their own wire has a place for. */
function readReply(reply: WireReply, request: TranscribeRequest): Converted<Transcript> {
  const { value, losses } = readTranscriptReply(reply);
  if (request.format !== 'verbose_json' || value.segments === undefined) return { value, losses };
  const figures = {
    what: 'segments[].avg_logprob',
    why: 'and the other figures of a segment are known to their own wire only',
  };
  return { value, losses: [...losses, figures] };
}

function isFamily(format: string | undefined): boolean {
  return format === openaiTranscriptionsProvider.name || format === openaiTranslationsProvider.name;
}

/** Transcription and translation are two URLs: what was meant for one is never sent to the other. */
export function refuseOtherTask({ translate }: TranscribeRequest, translates: boolean): void {
  if (translate === translates) return;
  const can = translates ? 'translates into English' : 'writes down what was said';
  const cannot = translate ? 'it does not translate' : 'it cannot leave it in its language';
  throw unsupported('model', `This model ${can}; ${cannot}.`);
}
