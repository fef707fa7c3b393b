/**
 * OpenAI transcriptions and translations towards clients: the same form, in the spoken language and into English.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { defined, isObject } from '../../../conversation/json-tree.ts';
import type { TranscribeRequest, Transcript, TranscriptFormat } from '../../transcribe.ts';
import { writeTranscript } from '../../transcript-formats.ts';
import type { ClientWire, WrittenReply } from '../../wire.ts';
import { eventStream } from '../event-data.ts';
import { tokensOf, transcriptEvents, writeSpokenSegment } from './openai-transcript-events.ts';
import { audioIn, lasting, readForm } from './openai-transcriptions-form.ts';

const textFormats: readonly TranscriptFormat[] = ['text', 'srt', 'vtt'];

export const openaiTranscriptionsClient = clientWire('openai-transcriptions', false);
export const openaiTranslationsClient = clientWire('openai-translations', true);

function clientWire(name: string, translate: boolean): ClientWire<TranscribeRequest, Transcript> {
  return {
    operation: translate ? 'translate' : 'transcribe',
    name,
    check: (body) => readForm(body, name, translate).facts,
    audio: { in: audioIn, lasting, wantingLength: (request) => ({ ...request, wantsLength: true }) },
    readRequest: (body) => ({ value: readForm(body, name, translate).request, losses: [] }),
    writeReply,
    suits,
  };
}

function writeReply(reply: Transcript, request: TranscribeRequest): WrittenReply {
  if (request.stream) return { contentType: eventStream, body: transcriptEvents(reply, request.speakers) };
  if (request.speakers === true) return { contentType: 'application/json', body: JSON.stringify(spoken(reply)) };
  return writeTranscript(asAsked(reply, request), request.format, request);
}

/**
 * Speakers are named only on request. Times come for what the caller named: segments unless it named words alone, words
 * where it named them.
 */
function asAsked(reply: Transcript, { format, granularities }: TranscribeRequest): Transcript {
  const { segments: withSpeakers, words, consumption, ...rest } = reply;
  const segments = withSpeakers?.map(({ speaker: _, ...segment }) => segment);
  if (format !== 'verbose_json') return { ...rest, ...defined('segments', segments), consumption };
  const { tokens: _, ...units } = consumption;
  const wantsSegments = granularities.length === 0 || granularities.includes('segment');
  return {
    ...rest,
    ...defined('segments', wantsSegments ? segments : undefined),
    ...defined('words', granularities.includes('word') ? words : undefined),
    // This form reports a duration or nothing.
    consumption: units,
  };
}

function spoken(reply: Transcript): object {
  const { text, segments, durationSeconds, consumption } = reply;
  const duration = durationSeconds ?? segments?.at(-1)?.endSeconds ?? 0;
  const whole = text === '' ? [] : [{ startSeconds: 0, endSeconds: duration, text }];
  const seconds = consumption.seconds ?? durationSeconds;
  return {
    task: 'transcribe',
    duration,
    text,
    segments: (segments ?? whole).map(writeSpokenSegment),
    usage: tokensOf(reply) ?? (seconds === undefined ? undefined : { type: 'duration', seconds: Math.ceil(seconds) }),
  };
}

/** Some providers of the wire support fewer forms than it has, and answer in the one that they support. */
function suits(reply: unknown, request: TranscribeRequest): boolean {
  if (request.stream) return false;
  if (textFormats.includes(request.format)) return !isObject(reply);
  if (!isObject(reply) || typeof reply['text'] !== 'string') return false;
  if (request.format === 'verbose_json') {
    return typeof reply['language'] === 'string' && typeof reply['duration'] === 'number';
  }
  return request.speakers !== true || Array.isArray(reply['segments']);
}
