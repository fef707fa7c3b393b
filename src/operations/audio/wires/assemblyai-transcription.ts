/**
 * AssemblyAI pre-recorded transcription: upload the file, submit its URL, then poll.
 * https://www.assemblyai.com/docs/api-reference/transcripts/submit (read 2026-11-16).
 */

import { GatewayError } from '../../../conversation/gateway-error.ts';
import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Consumption } from '../../consumption.ts';
import type { TranscribeRequest, Transcript, TranscriptSegment } from '../../transcribe.ts';
import type { LaterReply, ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import { pathSegment } from '../address-parts.ts';
import { segmentsFromWords, type TimedPiece } from '../segments-from-words.ts';
import { listOf, secondsOf } from './openai-transcript-reply.ts';
import { refuseOtherTask } from './openai-transcriptions-provider.ts';

const name = 'assemblyai-transcription';
const pollEveryMs = 1_000;
const messageCharactersMax = 500;

/** Models of before the field that takes a list. */
const namedAlone = /^(best|nano|slam-1|universal)$/;
/** Only these take a prompt and a temperature. */
const takesPrompt = /^universal-3/;

/** What it says of a file that it cannot use; anything else is its own failure. */
const aboutTheFile = /audio|file|transcod|duration|language|upload|spoken/i;

/** Its declared path is that of the upload. */
export const assemblyaiTranscriptionProvider: ProviderWire<TranscribeRequest, Transcript> = {
  operation: 'transcribe',
  name,
  writeRequest,
  later,
  readReply,
  measure: usedBy,
};

/** The file is uploaded first; the options follow with the URL that comes back. */
function writeRequest(request: TranscribeRequest, model: string): Converted<WrittenRequest> {
  refuseOtherTask(request, false);
  const losses = new LossList();
  losses.addForeign(request.extras, name);
  if (!takesPrompt.test(model)) {
    if (request.prompt !== undefined) losses.add('prompt', 'is not known to this model');
    if (request.temperature !== undefined) losses.add('temperature', 'is not known to this model');
  }
  const { field, filename, bytes } = request.file;
  const file = { field, filename, mediaType: 'application/octet-stream', bytes, open: () => request.file.open() };
  return { value: { body: { kind: 'file', file } }, losses: losses.all };
}

function orderOf(audioUrl: string, request: TranscribeRequest, model: string): Tree {
  const { language, prompt, temperature } = request;
  return {
    audio_url: audioUrl,
    ...(namedAlone.test(model) ? { speech_model: model } : { speech_models: [model] }),
    // Without a language the provider assumes English.
    ...(language === undefined
      ? { language_detection: true }
      : { language_code: language.toLowerCase().replace('-', '_') }),
    ...(takesPrompt.test(model) && { ...defined('prompt', prompt), ...defined('temperature', temperature) }),
    ...(request.speakers === true && { speaker_labels: true }),
  };
}

function later({ tree, address }: WireReply, request: TranscribeRequest, model: string): LaterReply | undefined {
  if (!isObject(tree) || address === undefined) return undefined;
  const { upload_url: audioUrl, id, status, error } = tree;
  if (typeof audioUrl === 'string') {
    const url = address.replace(/\/upload$/, '/transcript');
    return { url, afterMs: 0, body: orderOf(audioUrl, request, model) };
  }
  if (status === 'error') throw notTranscribed(textOr(error, 'it gave no reason'));
  if ((status !== 'queued' && status !== 'processing') || typeof id !== 'string') return undefined;
  const place = `/${pathSegment('id', id)}`;
  return { url: address.endsWith(place) ? address : `${address}${place}`, afterMs: pollEveryMs };
}

function notTranscribed(reason: string): GatewayError {
  const message = `The provider could not transcribe the file: ${reason}`.slice(0, messageCharactersMax);
  return new GatewayError(aboutTheFile.test(reason) ? 'upstream_refused' : 'upstream_failed', message);
}

function readReply(reply: WireReply): Converted<Transcript> {
  const tree = replyTree(reply);
  const { status, language_code: language } = tree;
  if (status !== 'completed') throw new SyntaxError('the reply is no finished transcript');
  const named = defined('language', typeof language === 'string' ? language : undefined);
  return { value: { ...readTimed(tree, usedBy(tree)), ...named }, losses: [] };
}

/** What both of the vendor's APIs answer with: words in milliseconds, and turns where speakers were asked for. */
export function readTimed(tree: Tree, consumption: Consumption): Transcript {
  // A recording without speech has a null in the place of its text.
  const text = textOr(tree['text'], '');
  const pieces = listOf(tree['words'], readPiece) ?? [];
  const spaced = pieces.map((piece) => ({ ...piece, text: /\s/.test(text) ? `${piece.text} ` : piece.text }));
  const turns = listOf(tree['utterances'], readPiece) ?? [];
  const words = pieces.map(({ text: word, startSeconds, endSeconds }) => ({ word, startSeconds, endSeconds }));
  const segments: readonly TranscriptSegment[] = turns.length > 0 ? turns : segmentsFromWords(spaced);
  return {
    text,
    ...defined('durationSeconds', consumption.seconds),
    ...(pieces.length > 0 && { segments, words }),
    consumption,
  };
}

/** Billed by the length of the file. */
function usedBy(reply: unknown): Consumption {
  return defined('seconds', isObject(reply) ? secondsOf(reply['audio_duration']) : undefined);
}

/** A word or a whole turn, in milliseconds. */
function readPiece(entry: Tree): TimedPiece | undefined {
  const { text, speaker } = entry;
  const start = secondsOf(entry['start']);
  const end = secondsOf(entry['end']);
  if (start === undefined || end === undefined || typeof text !== 'string') return undefined;
  const times = { text, startSeconds: start / 1_000, endSeconds: end / 1_000 };
  return typeof speaker === 'string' ? { ...times, speaker } : times;
}
