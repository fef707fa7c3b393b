/** Cartesia text to speech, the Bytes endpoint: everything in one JSON object, the reply is the audio. https://docs.cartesia.ai/api-reference/tts/bytes (read 2026-11-16). */

import { defined, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import { unsupported } from '../../field-checks.ts';
import type { SpeakReply, SpeakRequest, SpeechFormat } from '../../speak.ts';
import type { ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { audioOf, isAudio, readAudio, samplesPerSecondByDefault } from '../raw-audio.ts';
import { speedWithin } from '../spoken-speed.ts';

const name = 'cartesia-speech';
const speedLeast = 0.6;
const speedMost = 1.5;

const samples = { encoding: 'pcm_s16le', sample_rate: samplesPerSecondByDefault };
const outputs: Partial<Readonly<Record<SpeechFormat, Tree>>> = {
  mp3: { container: 'mp3', bit_rate: 128_000, sample_rate: 44_100 },
  wav: { container: 'wav', ...samples },
  pcm: { container: 'raw', ...samples },
  // Weir writes it from raw samples.
  flac: { container: 'raw', ...samples },
};

export const cartesiaSpeechProvider: ProviderWire<SpeakRequest, SpeakReply> = {
  operation: 'speak',
  name,
  writeRequest,
  readReply,
  measure: () => ({}),
  passesBytes: (contentType, { format }) => format !== 'flac' && isAudio(contentType),
};

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
    model_id: model,
    transcript: request.input,
    voice: { mode: 'id', id: request.voice },
    output_format: output,
    ...defined('generation_config', speed === undefined ? undefined : { speed }),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function readReply(reply: WireReply, request: SpeakRequest): Converted<SpeakReply> {
  const audio = readAudio(reply, request);
  if (request.format !== 'flac') return { value: audio, losses: [] };
  const bare = { bytes: audio.bytes ?? new Uint8Array(), samplesPerSecond: samplesPerSecondByDefault };
  return { value: { ...audioOf(bare, request), consumption: audio.consumption }, losses: [] };
}
