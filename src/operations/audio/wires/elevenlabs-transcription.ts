/**
 * ElevenLabs speech to text: the reply lists words, the spaces between them and audio events.
 * https://elevenlabs.io/docs/api-reference/introduction (read 2026-11-16).
 */

import { defined, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Consumption } from '../../consumption.ts';
import type { TranscribeRequest, Transcript } from '../../transcribe.ts';
import type { FormField, ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { replyTree } from '../../wire-replies.ts';
import { segmentsFromWords, type TimedPiece } from '../segments-from-words.ts';
import { listOf, secondsOf } from './openai-transcript-reply.ts';
import { refuseOtherTask } from './openai-transcriptions-provider.ts';

const name = 'elevenlabs-transcription';

export const elevenlabsTranscriptionProvider: ProviderWire<TranscribeRequest, Transcript> = {
  operation: 'transcribe',
  name,
  writeRequest,
  readReply,
  measure: (reply) => usedBy(piecesOf(reply), reply),
};

function writeRequest(request: TranscribeRequest, model: string): Converted<WrittenRequest> {
  refuseOtherTask(request, false);
  const losses = new LossList();
  losses.addForeign(request.extras, name);
  if (request.prompt !== undefined) losses.add('prompt', 'is not known to this provider');
  const texts: (readonly [string, string | undefined])[] = [
    ['model_id', model],
    ['language_code', request.language],
    ['temperature', request.temperature === undefined ? undefined : String(request.temperature)],
    ['timestamps_granularity', 'word'],
    // A caller of another wire does not expect laughter in the text.
    ['tag_audio_events', 'false'],
    ['diarize', request.speakers === true ? 'true' : undefined],
  ];
  const fields: FormField[] = [
    ...texts.flatMap(([field, value]) => (value === undefined ? [] : [{ name: field, value }])),
    { name: 'file', value: request.file },
  ];
  return { value: { body: { kind: 'form', fields } }, losses: losses.all };
}

function readReply(reply: WireReply): Converted<Transcript> {
  const tree = replyTree(reply);
  const text = tree['text'];
  if (typeof text !== 'string') throw new SyntaxError('the reply has no `text`');
  const pieces = piecesOf(tree);
  const consumption = usedBy(pieces, tree);
  const language = tree['language_code'];
  const words = pieces.map(({ text: word, startSeconds, endSeconds }) => ({
    word: word.trim(),
    startSeconds,
    endSeconds,
  }));
  const value: Transcript = {
    text,
    ...defined('language', typeof language === 'string' ? language : undefined),
    ...defined('durationSeconds', consumption.seconds),
    ...(pieces.length === 0 ? {} : { segments: segmentsFromWords(pieces), words }),
    consumption,
  };
  return { value, losses: [] };
}

/** Its length where the reply says it, else the end of the last word. */
function usedBy(pieces: readonly TimedPiece[], reply: unknown): Consumption {
  const said = secondsOf((reply as Tree | undefined)?.['audio_duration_secs']);
  return { ...defined('seconds', said ?? pieces.at(-1)?.endSeconds) };
}

/** A space belongs to the word before it. */
function piecesOf(reply: unknown): TimedPiece[] {
  const entries = listOf((reply as Tree | undefined)?.['words'], readEntry) ?? [];
  const pieces: TimedPiece[] = [];
  for (const { type, piece } of entries) {
    const last = pieces.at(-1);
    if (type === 'word') pieces.push(piece);
    else if (type === 'spacing' && last !== undefined)
      pieces[pieces.length - 1] = { ...last, text: last.text + piece.text };
  }
  return pieces;
}

function readEntry(entry: Tree): { readonly type: string; readonly piece: TimedPiece } | undefined {
  const { type, text, speaker_id: speaker } = entry;
  const startSeconds = secondsOf(entry['start']);
  const endSeconds = secondsOf(entry['end']);
  if (typeof text !== 'string') return undefined;
  if (type !== 'spacing' && (startSeconds === undefined || endSeconds === undefined)) return undefined;
  return {
    type: typeof type === 'string' ? type : 'word',
    piece: {
      text,
      startSeconds: startSeconds ?? 0,
      endSeconds: endSeconds ?? 0,
      ...(typeof speaker === 'string' ? { speaker } : {}),
    },
  };
}
