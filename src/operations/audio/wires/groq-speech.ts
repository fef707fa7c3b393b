/**
 * Groq speech API: OpenAI's wire, but for wav alone ("response_format must be one of [wav]",
 * https://github.com/openclaw/openclaw/issues/62215). https://console.groq.com/docs/text-to-speech (read 2026-11-15).
 */

import type { Converted } from '../../../conversation/parts.ts';
import { unsupported } from '../../field-checks.ts';
import { encodedFormats, isEncoded, type SpeakReply, type SpeakRequest } from '../../speak.ts';
import type { ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { audioOf, isAudio, readAudio } from '../raw-audio.ts';
import { samplesIn } from '../wave-file.ts';
import { openaiSpeechProvider } from './openai-speech.ts';

export const groqSpeechProvider: ProviderWire<SpeakRequest, SpeakReply> = {
  operation: 'speak',
  name: 'groq-speech',
  writeRequest,
  readReply,
  measure: () => ({}),
  passesBytes: (contentType, { format }) => format === 'wav' && isAudio(contentType),
};

function writeRequest(request: SpeakRequest, model: string): Converted<WrittenRequest> {
  const { format } = request;
  if (format !== 'pcm' && format !== 'wav' && !isEncoded(format)) {
    throw unsupported(
      'response_format',
      `This model speaks in wav, pcm, ${encodedFormats.join(' and ')}, not in ${format}.`,
    );
  }
  return openaiSpeechProvider.writeRequest({ ...request, format: 'wav', framing: 'audio' }, model);
}

function readReply(reply: WireReply, request: SpeakRequest): Converted<SpeakReply> {
  const audio = readAudio(reply, request);
  if (request.format === 'wav') return { value: audio, losses: [] };
  const samples = samplesIn(audio.bytes ?? new Uint8Array());
  if (samples === undefined) throw new SyntaxError('the audio file in the reply is of another kind');
  return { value: { ...audioOf(samples, request), consumption: audio.consumption }, losses: [] };
}
