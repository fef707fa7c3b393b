/**
 * OpenAI speech API (`/v1/audio/speech`): a JSON request, and audio, or events that carry it, in reply.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { countOf, defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Consumption, MostUse } from '../../consumption.ts';
import { checkedModel, checkedTree, invalid, missing, otherFields } from '../../field-checks.ts';
import { type SpeakReply, type SpeakRequest, speechFormats, speechMediaTypes } from '../../speak.ts';
import type {
  ClientWire,
  OperationFacts,
  ProviderWire,
  WireBody,
  WireReply,
  WrittenReply,
  WrittenRequest,
} from '../../wire.ts';
import { eventStream, isEventStream } from '../event-data.ts';
import { oneOf } from '../named-words.ts';
import { charactersOf, isAudio, readAudio, spoken } from '../raw-audio.ts';
import { readSpeechEvents, speechDelta, speechDone, speechRewriting } from './openai-speech-events.ts';

const name = 'openai-speech';
const charactersMax = 4_096;
const speedLeast = 0.25;
const speedMost = 4;
/** A client reads an event whole, so a long audio comes in pieces of this size. */
const pieceBytes = 24_576;
const framings = ['audio', 'sse'] as const;
const known = new Set(['model', 'input', 'voice', 'instructions', 'response_format', 'speed', 'stream_format']);

export const openaiSpeechClient: ClientWire<SpeakRequest, SpeakReply> = {
  operation: 'speak',
  name,
  check,
  readRequest(body) {
    const { facts: _, ...request } = read(body);
    return { value: request, losses: [] };
  },
  writeReply,
  // Audio and events pass while they come. What came whole is neither, or not the one that was asked for.
  suits: () => false,
  rewriting: ({ framing }) => (framing === 'sse' ? speechRewriting : undefined),
};

export const openaiSpeechProvider: ProviderWire<SpeakRequest, SpeakReply> = {
  operation: 'speak',
  name,
  writeRequest,
  readReply,
  measure: (reply) => (isObject(reply) ? usageOf(reply['usage']) : {}),
  passesBytes: (contentType, request) =>
    request.framing === 'sse' ? isEventStream(contentType) : isAudio(contentType),
};

function check(body: WireBody): OperationFacts {
  return read(body).facts;
}

/** Of audio for each byte of text, slowly spoken: the most that any provider counts that bills speech by tokens. */
const audioTokensPerByte = 3.5;

/** Instructions may ask for long pauses. No known model speaks for more than ten minutes at once. */
const audioTokensInstructed = 15_000;
const bytesPerToken = 4;

function tokensAtMost(
  input: string,
  instructions: string | undefined,
  speed = 1,
): Pick<MostUse, 'tokens' | 'tokensLikely'> {
  const bytes = Buffer.byteLength(input);
  const read = bytes + Buffer.byteLength(instructions ?? '');
  const spoken = Math.ceil((bytes * audioTokensPerByte) / Math.min(1, speed));
  const most = instructions === undefined ? spoken : Math.max(spoken, audioTokensInstructed);
  const likely = Math.ceil(spoken / 2);
  return {
    tokens: { input: { total: read }, output: { total: most, audio: most } },
    tokensLikely: { input: { total: Math.ceil(read / bytesPerToken) }, output: { total: likely, audio: likely } },
  };
}

function read(body: WireBody): SpeakRequest & { readonly facts: OperationFacts } {
  const tree = checkedTree(body);
  const model = checkedModel(tree);
  const input = tree['input'];
  if (input === undefined || input === null) throw missing('input', 'Send the text to speak.');
  if (typeof input !== 'string' || input === '') throw invalid('input', 'must be a non-empty string');
  const characters = limited('input', input);
  const instructions = tree['instructions'] ?? undefined;
  if (instructions !== undefined && typeof instructions !== 'string') throw invalid('instructions', 'must be a string');
  if (instructions !== undefined) limited('instructions', instructions);
  const framing = oneOf('stream_format', tree['stream_format'], framings) ?? 'audio';
  const others = otherFields(tree, known);
  const speed = readSpeed(tree['speed']);
  return {
    model,
    input,
    ...readVoice(tree['voice']),
    ...defined('instructions', instructions),
    format: oneOf('response_format', tree['response_format'], speechFormats) ?? 'mp3',
    ...defined('speed', speed),
    framing,
    ...(others === undefined ? {} : { extras: { format: name, fields: others } }),
    facts: { model, stream: framing === 'sse', most: { characters, ...tokensAtMost(input, instructions, speed) } },
  };
}

/** A text of many more units than characters allowed is not counted to its end. */
function limited(param: string, text: string): number {
  const characters = text.length > 2 * charactersMax ? text.length : charactersOf(text);
  if (characters > charactersMax) throw invalid(param, `must be at most ${charactersMax} characters long`);
  return characters;
}

function readVoice(value: unknown): Pick<SpeakRequest, 'voice' | 'customVoice'> {
  if (value === undefined || value === null) throw missing('voice', 'Name the voice to speak with.');
  if (typeof value === 'string' && value !== '') return { voice: value };
  if (!isObject(value)) throw invalid('voice', 'must be a non-empty string, or an object with the `id` of a voice');
  const id = value['id'];
  if (id === undefined || id === null) throw missing('voice.id', 'A voice of your own is named by its id.');
  if (typeof id !== 'string' || id === '') throw invalid('voice.id', 'must be a non-empty string');
  return { voice: id, customVoice: true };
}

function readSpeed(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !(value >= speedLeast && value <= speedMost)) {
    throw invalid('speed', `must be a number from ${speedLeast} to ${speedMost}`);
  }
  return value;
}

function writeReply(
  { mediaType, bytes = new Uint8Array(), consumption }: SpeakReply,
  request: SpeakRequest,
): WrittenReply {
  if (request.framing === 'audio') return { contentType: mediaType, body: bytes };
  const events: string[] = [];
  for (let start = 0; start < bytes.byteLength; start += pieceBytes) {
    events.push(speechDelta(bytes.subarray(start, start + pieceBytes)));
  }
  return { contentType: eventStream, body: events.join('') + speechDone(consumption) };
}

function writeRequest(request: SpeakRequest, model: string): Converted<WrittenRequest> {
  const losses = new LossList();
  losses.addForeign(request.extras, name);
  const extra = request.extras?.format === name ? request.extras.fields : {};
  const tree: Tree = {
    ...extra,
    model,
    input: request.input,
    voice: request.customVoice === true ? { id: request.voice } : request.voice,
    ...defined('instructions', request.instructions),
    response_format: request.format,
    ...defined('speed', request.speed),
    ...(request.framing === 'sse' ? { stream_format: 'sse' } : {}),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function readReply(reply: WireReply, request: SpeakRequest): Converted<SpeakReply> {
  if (!isEventStream(reply.contentType)) return { value: readAudio(reply, request), losses: [] };
  const { bytes, done } = readSpeechEvents(new TextDecoder().decode(reply.bytes));
  const consumption = { ...spoken(request), ...usageOf(done['usage']) };
  return { value: { mediaType: speechMediaTypes[request.format], bytes, consumption }, losses: [] };
}

function usageOf(usage: unknown): Consumption {
  if (!isObject(usage)) return {};
  const input = countOf(usage['input_tokens']);
  const output = countOf(usage['output_tokens']);
  if (input === undefined && output === undefined) return {};
  // What is written is audio, which has a price of its own.
  return { tokens: { input: { total: input }, output: { total: output, audio: output } } };
}
