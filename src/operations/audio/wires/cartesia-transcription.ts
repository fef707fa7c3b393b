/** Cartesia batch speech to text: a form like the chat family's, one form of reply, times for words alone. https://docs.cartesia.ai/api-reference/stt/transcribe (read 2026-11-16). */

import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { TranscribeRequest, Transcript } from '../../transcribe.ts';
import type { FormField, ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { segmentsFromWords } from '../segments-from-words.ts';
import { readTranscriptReply, usedBy } from './openai-transcript-reply.ts';
import { refuseOtherTask } from './openai-transcriptions-provider.ts';

const name = 'cartesia-transcription';

export const cartesiaTranscriptionProvider: ProviderWire<TranscribeRequest, Transcript> = {
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
  if (request.temperature !== undefined) losses.add('temperature', 'is not known to this provider');
  if (request.speakers === true) {
    losses.add('response_format', 'asks for speakers, which this provider does not distinguish');
  }
  const texts: (readonly [string, string | undefined])[] = [
    ['model', model],
    // Without a language the provider assumes English.
    ['language', request.language],
    ['timestamp_granularities[]', 'word'],
  ];
  const fields: FormField[] = [
    ...texts.flatMap(([field, value]) => (value === undefined ? [] : [{ name: field, value }])),
    { name: 'file', value: request.file },
  ];
  return { value: { body: { kind: 'form', fields } }, losses: losses.all };
}

/** Words have no space behind them, where their script has one. */
function readReply(reply: WireReply): Converted<Transcript> {
  const { value, losses } = readTranscriptReply(reply);
  if (value.words === undefined || value.words.length === 0) return { value, losses };
  const isSpaced = /\s/.test(value.text);
  const pieces = value.words.map(({ word, startSeconds, endSeconds }) => ({
    text: isSpaced ? `${word.trim()} ` : word,
    startSeconds,
    endSeconds,
  }));
  return { value: { ...value, segments: segmentsFromWords(pieces) }, losses };
}
