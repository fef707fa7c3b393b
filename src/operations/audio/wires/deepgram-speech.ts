/**
 * Deepgram text to speech: the model is the voice, everything but the text is in the query, and the reply is the
 * audio. https://developers.deepgram.com/reference/text-to-speech/speak-request (read 2026-11-16).
 */

import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { SpeakReply, SpeakRequest, SpeechFormat } from '../../speak.ts';
import type { ProviderWire, WrittenRequest } from '../../wire.ts';
import { query } from '../address-parts.ts';
import { isAudio, readAudio } from '../raw-audio.ts';
import { speedWithin } from '../spoken-speed.ts';

const name = 'deepgram-speech';
const speedLeast = 0.7;
const speedMost = 1.5;
const languageByDefault = 'en';

interface Output {
  readonly encoding: string;
  readonly container?: string;
  readonly sample_rate?: string;
}

/** A container may be named only with the encodings that have a choice of one. */
const outputs: Readonly<Record<SpeechFormat, Output>> = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { encoding: 'linear16', container: 'wav', sample_rate: '24000' },
  pcm: { encoding: 'linear16', container: 'none', sample_rate: '24000' },
};

export const deepgramSpeechProvider: ProviderWire<SpeakRequest, SpeakReply> = {
  operation: 'speak',
  name,
  writeRequest,
  readReply: (reply, request) => ({ value: readAudio(reply, request), losses: [] }),
  measure: () => ({}),
  passesBytes: isAudio,
};

function writeRequest(request: SpeakRequest, model: string): Converted<WrittenRequest> {
  const losses = new LossList();
  losses.addForeign(request.extras, name);
  if (request.instructions !== undefined) losses.add('instructions', 'is not known to this provider');
  const speed = speedWithin(request.speed, speedLeast, speedMost, losses);
  const suffix = query({
    model: voiceModel(model, request.voice, losses),
    ...outputs[request.format],
    speed: speed === undefined ? undefined : String(speed),
  });
  return { value: { body: { kind: 'json', tree: { text: request.input } }, suffix }, losses: losses.all };
}

/** `family-voice-language`: a model that names all three has its voice, a family takes the caller's. */
function voiceModel(model: string, voice: string, losses: LossList): string {
  if (/-[a-z]{2}$/.test(model)) {
    const named = model === voice || model.includes(`-${voice.toLowerCase()}-`) || model.endsWith(`-${voice}`);
    if (!named) losses.add('voice', 'is the one that the model is named after');
    return model;
  }
  if (voice.startsWith(`${model}-`)) return voice;
  const spelled = voice.toLowerCase();
  return `${model}-${/-[a-z]{2}$/.test(spelled) ? spelled : `${spelled}-${languageByDefault}`}`;
}
