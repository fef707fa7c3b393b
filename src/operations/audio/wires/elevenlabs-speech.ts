/**
 * ElevenLabs text to speech: the voice is a part of the path and the format of the query; the reply is the audio.
 * https://elevenlabs.io/docs/api-reference/introduction (read 2026-11-16).
 */

import { defined, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import { unsupported } from '../../field-checks.ts';
import type { SpeakReply, SpeakRequest, SpeechFormat } from '../../speak.ts';
import type { ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { pathSegment, query } from '../address-parts.ts';
import { audioOf, isAudio, readAudio, samplesPerSecondByDefault } from '../raw-audio.ts';
import { speedWithin } from '../spoken-speed.ts';

const name = 'elevenlabs-speech';
const speedLeast = 0.7;
const speedMost = 1.2;

/** A wave file's header holds its length, so it cannot be streamed while it is spoken. */
const outputs: Partial<Readonly<Record<SpeechFormat, { readonly format: string; readonly place: string }>>> = {
  mp3: { format: 'mp3_44100_128', place: '/stream' },
  opus: { format: 'opus_48000_128', place: '/stream' },
  pcm: { format: `pcm_${samplesPerSecondByDefault}`, place: '/stream' },
  wav: { format: 'wav_24000', place: '' },
  // Weir writes it from raw samples.
  flac: { format: `pcm_${samplesPerSecondByDefault}`, place: '/stream' },
};

/** Its declared address ends before the voice: `…/text-to-speech`. */
export const elevenlabsSpeechProvider: ProviderWire<SpeakRequest, SpeakReply> = {
  operation: 'speak',
  name,
  writeRequest,
  readReply,
  measure: () => ({}),
  passesBytes: (contentType, { format }) => format !== 'flac' && isAudio(contentType),
};

function readReply(reply: WireReply, request: SpeakRequest): Converted<SpeakReply> {
  const audio = readAudio(reply, request);
  if (request.format !== 'flac') return { value: audio, losses: [] };
  const samples = { bytes: audio.bytes ?? new Uint8Array(), samplesPerSecond: samplesPerSecondByDefault };
  return { value: { ...audioOf(samples, request), consumption: audio.consumption }, losses: [] };
}

function writeRequest(request: SpeakRequest, model: string): Converted<WrittenRequest> {
  const output = outputs[request.format];
  if (output === undefined) {
    const known = Object.keys(outputs).join(', ');
    throw unsupported('response_format', `This model speaks in ${known}, not in ${request.format}.`);
  }
  const losses = new LossList();
  losses.addForeign(request.extras, name);
  if (request.instructions !== undefined) losses.add('instructions', 'is not known to this provider');
  const speed = speedWithin(request.speed, speedLeast, speedMost, losses);
  const tree: Tree = {
    text: request.input,
    model_id: model,
    ...defined('voice_settings', speed === undefined ? undefined : { speed }),
  };
  const suffix = `/${pathSegment('voice', request.voice)}${output.place}${query({ output_format: output.format })}`;
  return { value: { body: { kind: 'json', tree }, suffix }, losses: losses.all };
}
