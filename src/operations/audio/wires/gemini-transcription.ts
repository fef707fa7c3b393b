/**
 * Google Gemini as a writer of transcripts: generateContent with the audio and what is to be done with it as one turn.
 * https://ai.google.dev/gemini-api/docs/audio (read 2026-11-20).
 */

import { GatewayError } from '../../../conversation/gateway-error.ts';
import { countOf, defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Consumption, MostUse } from '../../consumption.ts';
import type { TranscribeRequest, Transcript, TranscriptSegment } from '../../transcribe.ts';
import type { FormFile, ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { replyTree } from '../../wire-replies.ts';
import { fileInJson } from '../file-in-json.ts';
import { listOf, secondsOf } from './openai-transcript-reply.ts';
import { refuseOtherTask } from './openai-transcriptions-provider.ts';

export const geminiTranscriptionProvider = providerWire('gemini-transcription', false);
export const geminiTranslationProvider = providerWire('gemini-translation', true);

function providerWire(name: string, translate: boolean): ProviderWire<TranscribeRequest, Transcript> {
  return {
    operation: translate ? 'translate' : 'transcribe',
    name,
    writeRequest: (request) => writeRequest(name, translate, request),
    readReply,
    measure: usedBy,
    most,
  };
}

/** The instruction with its schema, and what a model thinks and how it frames the segments, beside the words themselves. */
const inputTokensMore = 1_024;
const outputTokensMore = 4_096;
const framingTimes = 3;

function most(given: MostUse): MostUse {
  const { input = {}, output = {} } = given.tokens ?? {};
  const tokens = {
    input: { ...input, total: (input.total ?? 0) + inputTokensMore },
    output: { ...output, total: (output.total ?? 0) * framingTimes + outputTokensMore },
  };
  return { ...given, tokens };
}

const mark = '<audio>';

function writeRequest(name: string, translate: boolean, request: TranscribeRequest): Converted<WrittenRequest> {
  refuseOtherTask(request, translate);
  const losses = new LossList();
  losses.addForeign(request.extras, name);
  if (request.granularities.includes('word')) {
    losses.add('timestamp_granularities[] word', 'the model knows the times of segments only');
  }
  const isTimed = needsTimes(request);
  const tree: Tree = {
    contents: [
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: mediaTypeOf(request.file), data: mark } },
          { text: instruction(request, translate, isTimed) },
        ],
      },
    ],
    generationConfig: {
      ...defined('temperature', request.temperature),
      ...defined('maxOutputTokens', request.outputTokensMax),
      ...(isTimed && { responseMimeType: 'application/json', responseJsonSchema: timedSchema(request) }),
    },
  };
  const file = fileInJson(JSON.stringify(tree), mark, request.file);
  return { value: { body: { kind: 'file', file } }, losses: losses.all };
}

function needsTimes({ format, speakers }: TranscribeRequest): boolean {
  return speakers === true || format === 'verbose_json' || format === 'srt' || format === 'vtt';
}

function instruction({ language, prompt }: TranscribeRequest, translate: boolean, isTimed: boolean): string {
  const task = translate
    ? 'Translate the speech in this audio into English.'
    : 'Write down the speech in this audio word for word, in the language that is spoken.';
  const form = isTimed
    ? 'Give each sentence as a segment, with its beginning and its end in seconds from the start of the audio.'
    : 'Reply with the text alone, without times, names of speakers, noises or remarks.';
  const spoken = language === undefined ? '' : ` The language that is spoken is ${JSON.stringify(language)}.`;
  // What holds the place of the audio must be once in the body.
  const hint = prompt === undefined ? '' : ` Words and style to expect: ${JSON.stringify(prompt.replaceAll(mark, ''))}`;
  return `${task} ${form}${spoken.replaceAll(mark, '')}${hint}`;
}

function timedSchema({ speakers }: TranscribeRequest): Tree {
  const segment = {
    start: { type: 'number' },
    end: { type: 'number' },
    text: { type: 'string' },
    ...(speakers === true && { speaker: { type: 'string' } }),
  };
  const segments = { type: 'array', items: { type: 'object', properties: segment, required: Object.keys(segment) } };
  const properties = { language: { type: 'string' }, segments };
  return { type: 'object', properties, required: Object.keys(properties) };
}

const typesByEnding: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['mpga', 'audio/mpeg'],
  ['mpeg', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['ogg', 'audio/ogg'],
  ['oga', 'audio/ogg'],
  ['m4a', 'audio/mp4'],
  ['mp4', 'video/mp4'],
  ['webm', 'audio/webm'],
  ['aac', 'audio/aac'],
]);

/** Programs that name no type leave it to the name of the file. */
function mediaTypeOf({ mediaType, filename = '' }: FormFile): string {
  if (/^(audio|video)\//.test(mediaType)) return mediaType;
  return typesByEnding.get(filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()) ?? 'audio/mpeg';
}

function readReply(reply: WireReply, request: TranscribeRequest): Converted<Transcript> {
  const tree = replyTree(reply);
  const said = textIn(tree);
  const consumption = usedBy(tree);
  const timed = timedIn(said);
  if (timed === undefined && !needsTimes(request)) return { value: { text: said.trim(), consumption }, losses: [] };
  if (timed === undefined) throw new SyntaxError('the reply is not the transcript that was asked for');
  const segments = listOf(timed['segments'], readSegment) ?? [];
  const language = timed['language'];
  const value: Transcript = {
    text: segments.map(({ text }) => text).join(' '),
    ...defined('language', typeof language === 'string' ? language : undefined),
    ...defined('durationSeconds', segments.at(-1)?.endSeconds),
    segments,
    consumption,
  };
  return { value, losses: [] };
}

/** Of the form that `timedSchema` describes. */
function timedIn(text: string): Tree | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Array.isArray(value['segments']) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readSegment(entry: Tree): TranscriptSegment | undefined {
  const startSeconds = secondsOf(entry['start']);
  const endSeconds = secondsOf(entry['end']);
  const { text, speaker } = entry;
  if (startSeconds === undefined || endSeconds === undefined || typeof text !== 'string') return undefined;
  return { startSeconds, endSeconds, text: text.trim(), ...(typeof speaker === 'string' && { speaker }) };
}

/** What the model wrote while it thought is none of it. Audio without speech has no text. */
function textIn(tree: Tree): string {
  const candidates: unknown[] = Array.isArray(tree['candidates']) ? tree['candidates'] : [];
  const [candidate] = candidates.filter(isObject);
  const feedback = isObject(tree['promptFeedback']) ? tree['promptFeedback']['blockReason'] : undefined;
  const reason = feedback ?? candidate?.['finishReason'];
  if (typeof reason === 'string' && reason !== 'STOP') {
    const message = `The provider did not write the whole transcript (${reason}).`;
    throw new GatewayError('upstream_refused', message, { param: 'file' });
  }
  if (candidate === undefined) throw new SyntaxError('the reply has no candidates');
  const content = isObject(candidate['content']) ? candidate['content'] : {};
  const parts: unknown[] = Array.isArray(content['parts']) ? content['parts'] : [];
  return parts
    .flatMap((part) =>
      isObject(part) && part['thought'] !== true && typeof part['text'] === 'string' ? part['text'] : [],
    )
    .join('');
}

function usedBy(reply: unknown): Consumption {
  const usage = isObject(reply) ? reply['usageMetadata'] : undefined;
  if (!isObject(usage)) return {};
  const input = countOf(usage['promptTokenCount']);
  const answer = countOf(usage['candidatesTokenCount']);
  const thinking = countOf(usage['thoughtsTokenCount']);
  if (input === undefined && answer === undefined) return {};
  const output = answer === undefined && thinking === undefined ? undefined : (answer ?? 0) + (thinking ?? 0);
  return { tokens: { input: { total: input, audio: audioIn(usage) }, output: { total: output, thinking } } };
}

function audioIn(usage: Tree): number | undefined {
  const details: unknown[] = Array.isArray(usage['promptTokensDetails']) ? usage['promptTokensDetails'] : [];
  const audio = details.find((detail) => isObject(detail) && detail['modality'] === 'AUDIO');
  return isObject(audio) ? countOf(audio['tokenCount']) : undefined;
}
