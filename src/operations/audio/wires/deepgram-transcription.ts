/**
 * Deepgram pre-recorded speech to text: the file is the body, and its options are in the query.
 * https://developers.deepgram.com/reference/deepgram-api-overview (read 2026-11-16).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Consumption } from '../../consumption.ts';
import type { TranscribeRequest, Transcript, TranscriptSegment, TranscriptWord } from '../../transcribe.ts';
import type { ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { replyTree } from '../../wire-replies.ts';
import { query } from '../address-parts.ts';
import { listOf, secondsOf } from './openai-transcript-reply.ts';
import { refuseOtherTask } from './openai-transcriptions-provider.ts';

const name = 'deepgram-transcription';

export const deepgramTranscriptionProvider: ProviderWire<TranscribeRequest, Transcript> = {
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
  const suffix = query({
    model,
    smart_format: 'true',
    utterances: 'true',
    diarize: request.speakers === true ? 'true' : undefined,
    language: request.language,
    // Without a language the provider assumes English.
    detect_language: request.language === undefined ? 'true' : undefined,
  });
  return { value: { body: { kind: 'file', file: request.file }, suffix }, losses: losses.all };
}

function readReply(reply: WireReply): Converted<Transcript> {
  const tree = replyTree(reply);
  const results = isObject(tree['results']) ? tree['results'] : {};
  const channel = firstOf(results['channels']);
  const alternative = firstOf(channel?.['alternatives']);
  const text = alternative?.['transcript'];
  if (channel === undefined || typeof text !== 'string') throw new SyntaxError('the reply has no transcript');
  const language = channel['detected_language'];
  const consumption = usedBy(tree);
  const value: Transcript = {
    text,
    ...defined('language', typeof language === 'string' ? language : undefined),
    ...defined('durationSeconds', consumption.seconds),
    ...defined('segments', listOf(results['utterances'], readUtterance)),
    ...defined('words', listOf(alternative?.['words'], readWord)),
    consumption,
  };
  return { value, losses: [] };
}

function usedBy(reply: unknown): Consumption {
  const metadata = isObject(reply) ? reply['metadata'] : undefined;
  return { ...defined('seconds', isObject(metadata) ? secondsOf(metadata['duration']) : undefined) };
}

function firstOf(list: unknown): Tree | undefined {
  const [first] = Array.isArray(list) ? list : [];
  return isObject(first) ? first : undefined;
}

function readUtterance(entry: Tree): TranscriptSegment | undefined {
  const startSeconds = secondsOf(entry['start']);
  const endSeconds = secondsOf(entry['end']);
  const text = entry['transcript'];
  if (startSeconds === undefined || endSeconds === undefined || typeof text !== 'string') return undefined;
  const speaker = entry['speaker'];
  return { startSeconds, endSeconds, text, ...(typeof speaker === 'number' ? { speaker: `speaker_${speaker}` } : {}) };
}

/** The word as written in the text has its capital and its comma. */
function readWord(entry: Tree): TranscriptWord | undefined {
  const startSeconds = secondsOf(entry['start']);
  const endSeconds = secondsOf(entry['end']);
  const word = entry['punctuated_word'] ?? entry['word'];
  if (startSeconds === undefined || endSeconds === undefined || typeof word !== 'string') return undefined;
  return { word, startSeconds, endSeconds };
}
