/**
 * Google Gemini speech generation: generateContent whose only part is audio, as raw samples or as a file.
 * https://ai.google.dev/api/generate-content (read 2026-11-16).
 */

import { GatewayError } from '../../../conversation/gateway-error.ts';
import { countOf, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Consumption } from '../../consumption.ts';
import { unsupported } from '../../field-checks.ts';
import { encodedFormats, isEncoded, type SpeakReply, type SpeakRequest } from '../../speak.ts';
import type { ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { replyTree } from '../../wire-replies.ts';
import { audioOf, samplesPerSecondByDefault, spoken } from '../raw-audio.ts';
import { isWaveFile, type Samples, samplesIn, secondsOf } from '../wave-file.ts';
import { joined } from './openai-speech-events.ts';

const name = 'gemini-speech';
/** These take the direction as the first words of the text; later ones would read it aloud and have a field for it. */
const directedByText = /-(1\.5|2\.0|2\.5|3\.0|3\.1)(-|$)/;

export const geminiSpeechProvider: ProviderWire<SpeakRequest, SpeakReply> = {
  operation: 'speak',
  name,
  writeRequest,
  readReply,
  measure: (reply) => (isObject(reply) ? usageOf(reply['usageMetadata']) : {}),
};

function writeRequest(request: SpeakRequest, model: string): Converted<WrittenRequest> {
  const { format, input, instructions, speed, voice } = request;
  if (format !== 'pcm' && format !== 'wav' && !isEncoded(format)) {
    throw unsupported(
      'response_format',
      `This model speaks in wav, pcm, ${encodedFormats.join(' and ')}, not in ${format}.`,
    );
  }
  const losses = new LossList();
  losses.addForeign(request.extras, name);
  if (speed !== undefined && speed !== 1) losses.add('speed', 'is not known to this provider');
  const inText = directedByText.test(model);
  const part =
    instructions === undefined || instructions === ''
      ? { text: input }
      : inText
        ? { text: `${instructions}: ${input}` }
        : { text: input, speechMetadata: { style: instructions } };
  const voiceConfig =
    request.customVoice === true && !inText ? { voice } : { prebuiltVoiceConfig: { voiceName: voice } };
  const tree: Tree = {
    contents: [{ role: 'user', parts: [part] }],
    generationConfig: { responseModalities: ['AUDIO'], speechConfig: { voiceConfig } },
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function readReply(reply: WireReply, request: SpeakRequest): Converted<SpeakReply> {
  const tree = replyTree(reply);
  const samples = samplesOf(tree);
  const consumption: Consumption = {
    ...spoken(request),
    seconds: secondsOf(samples),
    ...usageOf(tree['usageMetadata']),
  };
  return { value: { ...audioOf(samples, request), consumption }, losses: [] };
}

function samplesOf(tree: Tree): Samples {
  const candidates = Array.isArray(tree['candidates']) ? tree['candidates'].filter(isObject) : [];
  const [candidate = {}] = candidates;
  const content = isObject(candidate['content']) ? candidate['content'] : {};
  const parts: unknown[] = Array.isArray(content['parts']) ? content['parts'] : [];
  const audioParts = parts.flatMap((part) => {
    const inline = isObject(part) ? part['inlineData'] : undefined;
    return isObject(inline) && typeof inline['data'] === 'string' ? [inline] : [];
  });
  const [first] = audioParts;
  if (first === undefined) throw refusalOf(tree, candidate) ?? new SyntaxError('the reply holds no audio');
  const bytes = joined(audioParts.map((audio) => Buffer.from(String(audio['data']), 'base64')));
  if (bytes.byteLength === 0) throw new SyntaxError('the audio in the reply is empty');
  return readSamples(String(first['mimeType'] ?? ''), bytes);
}

function readSamples(mediaType: string, bytes: Uint8Array<ArrayBuffer>): Samples {
  if (isWaveFile(bytes)) {
    const samples = samplesIn(bytes);
    if (samples === undefined) throw new SyntaxError('the audio file in the reply is of another kind');
    return samples;
  }
  if (!/^audio\/(l16|pcm)\b/i.test(mediaType)) throw new SyntaxError(`the audio in the reply is ${mediaType}`);
  const rate = Number(/\brate=(\d{4,6})\b/.exec(mediaType)?.[1] ?? samplesPerSecondByDefault);
  return { bytes, samplesPerSecond: rate };
}

/** A text that the provider refuses to speak is an error of the request, not a fault of the wire. */
function refusalOf(tree: Tree, candidate: Tree): GatewayError | undefined {
  const feedback = isObject(tree['promptFeedback']) ? tree['promptFeedback']['blockReason'] : undefined;
  const reason = feedback ?? candidate['finishReason'];
  if (typeof reason !== 'string' || reason === 'STOP') return undefined;
  return new GatewayError('upstream_refused', `The provider did not speak this text (${reason}).`, { param: 'input' });
}

function usageOf(usage: unknown): Consumption {
  if (!isObject(usage)) return {};
  const input = countOf(usage['promptTokenCount']);
  const answer = countOf(usage['candidatesTokenCount']);
  const thinking = countOf(usage['thoughtsTokenCount']);
  if (input === undefined && answer === undefined) return {};
  const output = answer === undefined && thinking === undefined ? undefined : (answer ?? 0) + (thinking ?? 0);
  return { tokens: { input: { total: input }, output: { total: output, thinking, audio: audioIn(usage) ?? answer } } };
}

function audioIn(usage: Tree): number | undefined {
  const details: unknown[] = Array.isArray(usage['candidatesTokensDetails']) ? usage['candidatesTokensDetails'] : [];
  const audio = details.find((detail) => isObject(detail) && detail['modality'] === 'AUDIO');
  return isObject(audio) ? countOf(audio['tokenCount']) : undefined;
}
