/**
 * Mistral audio transcriptions: one reply format, lists without brackets, and timestamps or a language, never both.
 * https://docs.mistral.ai/api (read 2026-11-16).
 */

import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { TranscribeRequest, Transcript } from '../../transcribe.ts';
import type { FormField, ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { segmentsFromWords } from '../segments-from-words.ts';
import { readTranscriptReply, usedBy } from './openai-transcript-reply.ts';
import { refuseOtherTask } from './openai-transcriptions-provider.ts';

const name = 'mistral-transcriptions';

export const mistralTranscriptionsProvider: ProviderWire<TranscribeRequest, Transcript> = {
  operation: 'transcribe',
  name,
  writeRequest,
  readReply,
  measure: usedBy,
};

function writeRequest(request: TranscribeRequest, model: string): Converted<WrittenRequest> {
  refuseOtherTask(request, false);
  const losses = new LossList();
  losses.addForeign(request.extras, name);
  if (request.prompt !== undefined) losses.add('prompt', 'is not known to this provider');
  const times = timesFor(request);
  if (times !== undefined && request.language !== undefined) {
    losses.add('language', 'cannot be named to this provider where times are wanted');
  }
  const texts: (readonly [string, string | undefined])[] = [
    ['model', model],
    ['language', times === undefined ? request.language : undefined],
    ['temperature', request.temperature === undefined ? undefined : String(request.temperature)],
    ['timestamp_granularities', times],
    ['diarize', request.speakers === true ? 'true' : undefined],
  ];
  const fields: FormField[] = [
    ...texts.flatMap(([field, value]) => (value === undefined ? [] : [{ name: field, value }])),
    { name: 'file', value: request.file },
  ];
  return { value: { body: { kind: 'form', fields } }, losses: losses.all };
}

/** Words are asked for alone, since segments can be made of them. */
function timesFor({ format, granularities, speakers }: TranscribeRequest): 'word' | 'segment' | undefined {
  if (granularities.includes('word') && format === 'verbose_json') return 'word';
  if (speakers === true) return 'segment';
  return format === 'verbose_json' || format === 'srt' || format === 'vtt' ? 'segment' : undefined;
}

/** Words come in the place of segments. */
function readReply(reply: WireReply, request: TranscribeRequest): Converted<Transcript> {
  const { value, losses } = readTranscriptReply(reply);
  if (timesFor(request) !== 'word' || value.segments === undefined) return { value, losses };
  const words = value.segments.map(({ text, startSeconds, endSeconds }) => ({
    word: text.trim(),
    startSeconds,
    endSeconds,
  }));
  const spaced = value.segments.some(({ text }) => /\s/.test(text));
  const pieces = value.segments.map((segment) => ({ ...segment, text: spaced ? segment.text : `${segment.text} ` }));
  return { value: { ...value, words, segments: segmentsFromWords(pieces) }, losses };
}
