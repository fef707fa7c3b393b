/**
 * What Weir reads of the events that a provider sends in a realtime session, under their current names and the beta's.
 */

import { countOf, defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Usage } from '../../conversation/usage.ts';
import { base64Bytes, textField, typeAtHead } from './frame-scan.ts';
import { metadataText, type OutputLimit, outputLimitOf, turnDetectionOf } from './settings.ts';

/** The settings that a session reports; absent where it reports none. */
export interface SessionFacts {
  readonly outputLimit?: OutputLimit;
  /** Does the provider start responses by itself: after speech, or also after silence? */
  readonly detectsTurns?: boolean;
  readonly startsWhenIdle?: boolean;
  readonly inputBytesPerSecond?: number;
  readonly outputBytesPerSecond?: number;
  /** Empty where the provider transcribes and does not say with what. */
  readonly transcriptionModel?: string;
}

type ServerEvent =
  | { readonly kind: 'session'; readonly facts: SessionFacts }
  | {
      readonly kind: 'response-created';
      readonly id: string;
      readonly metadata: string | undefined;
      readonly outputLimit: OutputLimit | undefined;
    }
  | {
      readonly kind: 'response-done';
      readonly id: string;
      readonly failed: boolean;
      /** Absent where the provider did not say. */
      readonly usage: Usage | undefined;
    }
  | { readonly kind: 'audio'; readonly responseId: string; readonly bytes: number }
  | { readonly kind: 'text'; readonly responseId: string; readonly characters: number }
  /** A turn of speech ended: its audio is transcribed now, if the session wants that. */
  | { readonly kind: 'committed' }
  /** What was not committed is gone; a turn gets no transcript. */
  | { readonly kind: 'cleared' }
  | { readonly kind: 'untranscribed' }
  | { readonly kind: 'transcribed'; readonly usage: Usage | undefined; readonly seconds: number | undefined }
  | {
      readonly kind: 'error';
      /** The client's own name of the frame that was refused. */
      readonly eventId: string | undefined;
      /** It was a request for a response that was refused. */
      readonly ofResponse: boolean;
    }
  | { readonly kind: 'other' };

const other: ServerEvent = { kind: 'other' };

const audioDeltas: ReadonlySet<string> = new Set(['response.output_audio.delta', 'response.audio.delta']);
const textDeltas: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.text.delta',
  'response.output_audio_transcript.delta',
  'response.audio_transcript.delta',
  'response.function_call_arguments.delta',
]);
const parsed: ReadonlySet<string> = new Set([
  'session.created',
  'session.updated',
  'transcription_session.created',
  'transcription_session.updated',
  'response.created',
  'response.done',
  'conversation.item.input_audio_transcription.completed',
  'conversation.item.input_audio_transcription.failed',
  'input_audio_buffer.committed',
  'input_audio_buffer.cleared',
  'error',
]);

export function readServerEvent(text: string): ServerEvent {
  const type = typeAtHead(text);
  if (type !== undefined) {
    if (audioDeltas.has(type)) {
      return { kind: 'audio', responseId: responseIdIn(text), bytes: base64Bytes(text, 'delta') };
    }
    if (textDeltas.has(type)) {
      const delta = textField(text, 'delta');
      return {
        kind: 'text',
        responseId: responseIdIn(text),
        characters: delta === undefined ? 0 : delta.end - delta.start,
      };
    }
    if (!parsed.has(type)) return other;
  }
  const tree = treeOf(text);
  return tree === undefined ? other : readTree(tree);
}

function responseIdIn(text: string): string {
  const field = textField(text, 'response_id');
  return field === undefined ? '' : text.slice(field.start, field.end);
}

function treeOf(text: string): Tree | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readTree(tree: Tree): ServerEvent {
  const type = wordOf(tree['type']);
  if (audioDeltas.has(type)) {
    const bytes = Math.floor((wordOf(tree['delta']).length * 3) / 4);
    return { kind: 'audio', responseId: wordOf(tree['response_id']), bytes };
  }
  if (textDeltas.has(type)) {
    return { kind: 'text', responseId: wordOf(tree['response_id']), characters: wordOf(tree['delta']).length };
  }
  const response = objectOf(tree['response']);
  switch (type) {
    case 'session.created':
    case 'session.updated':
    case 'transcription_session.created':
    case 'transcription_session.updated':
      return { kind: 'session', facts: readSession(objectOf(tree['session'])) };
    case 'response.created':
      return {
        kind: 'response-created',
        id: wordOf(response['id']),
        metadata: metadataText(response['metadata']),
        outputLimit: outputLimitOf(response),
      };
    case 'response.done':
      return {
        kind: 'response-done',
        id: wordOf(response['id']),
        failed: response['status'] === 'failed',
        usage: readUsage(response['usage']),
      };
    case 'conversation.item.input_audio_transcription.completed': {
      const { seconds } = objectOf(tree['usage']);
      const known = typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
      return { kind: 'transcribed', usage: readUsage(tree['usage']), seconds: known };
    }
    case 'input_audio_buffer.committed':
      return { kind: 'committed' };
    case 'input_audio_buffer.cleared':
      return { kind: 'cleared' };
    case 'conversation.item.input_audio_transcription.failed':
      return { kind: 'untranscribed' };
    case 'error':
      return readError(objectOf(tree['error']));
    default:
      return other;
  }
}

const activeCode = 'conversation_already_has_active_response';

function readError(error: Tree): ServerEvent {
  const eventId = wordOf(error['event_id']);
  const ofResponse = error['code'] === activeCode || /^response\b/.test(wordOf(error['param']));
  return { kind: 'error', eventId: eventId === '' ? undefined : eventId, ofResponse };
}

/** Undefined where no counts came at all. */
function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = objectOf(value['input_token_details']);
  const output = objectOf(value['output_token_details']);
  const inputTotal = countOf(value['input_tokens']);
  const outputTotal = countOf(value['output_tokens']);
  if (inputTotal === undefined && outputTotal === undefined) return undefined;
  const cached = objectOf(input['cached_tokens_details']);
  return {
    input: {
      ...defined('total', inputTotal),
      ...defined('cacheRead', countOf(input['cached_tokens'])),
      ...defined('audio', countOf(input['audio_tokens'])),
      ...defined('image', countOf(input['image_tokens'])),
      // Counted among the cached tokens too, with a price of their own.
      ...defined('cachedAudio', countOf(cached['audio_tokens'])),
      ...defined('cachedImage', countOf(cached['image_tokens'])),
    },
    output: {
      ...defined('total', outputTotal),
      ...defined('text', countOf(output['text_tokens'])),
      ...defined('audio', countOf(output['audio_tokens'])),
    },
  };
}

function readSession(session: Tree): SessionFacts {
  const audio = objectOf(session['audio']);
  const input = objectOf(audio['input']);
  const detection = turnDetectionOf(session);
  const transcription = input['transcription'] ?? session['input_audio_transcription'];
  return {
    ...defined('outputLimit', outputLimitOf(session)),
    ...defined('detectsTurns', detection.on),
    ...defined('startsWhenIdle', detection.idle),
    ...defined('inputBytesPerSecond', byteRate(input['format'] ?? session['input_audio_format'])),
    ...defined('outputBytesPerSecond', byteRate(objectOf(audio['output'])['format'] ?? session['output_audio_format'])),
    ...defined('transcriptionModel', isObject(transcription) ? wordOf(transcription['model']) : undefined),
  };
}

const samplesPerSecond = 24_000;
const telephoneBytesPerSecond = 8_000;

/** Two bytes a sample, or one at the telephone rate. */
function byteRate(format: unknown): number | undefined {
  const name = wordOf(isObject(format) ? format['type'] : format);
  if (name === '') return undefined;
  if (/g711|pcmu|pcma/.test(name)) return telephoneBytesPerSecond;
  const rate = isObject(format) ? countOf(format['rate']) : undefined;
  return 2 * (rate || samplesPerSecond);
}

function objectOf(value: unknown): Tree {
  return isObject(value) ? value : {};
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
