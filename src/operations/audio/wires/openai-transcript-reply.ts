/**
 * OpenAI transcripts: reads every reply format of its providers, and the usage they report.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { countOf, defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Consumption } from '../../consumption.ts';
import type { Transcript, TranscriptSegment, TranscriptWord } from '../../transcribe.ts';
import type { WireReply } from '../../wire.ts';
import { isEventStream } from '../event-data.ts';
import { readTranscriptText } from '../transcript-cues.ts';
import { readTranscriptEvents } from './openai-transcript-events.ts';

export function readTranscriptReply(reply: WireReply): Converted<Transcript> {
  if (isObject(reply.tree)) return readTree(reply.tree);
  if (/json|html/i.test(reply.contentType)) throw new SyntaxError('the reply is no transcript');
  const text = new TextDecoder().decode(reply.bytes);
  if (isEventStream(reply.contentType)) return readTree(readTranscriptEvents(text));
  const read = readTranscriptText(text);
  const durationSeconds = read.segments?.at(-1)?.endSeconds;
  return {
    value: {
      ...read,
      ...defined('durationSeconds', durationSeconds),
      consumption: durationSeconds === undefined ? {} : { seconds: durationSeconds },
    },
    losses: [],
  };
}

function readTree(tree: Tree): Converted<Transcript> {
  const text = tree['text'];
  if (typeof text !== 'string') throw new SyntaxError('the reply has no `text`');
  const losses = new LossList();
  if (Array.isArray(tree['logprobs'])) losses.add('logprobs', 'is known to its own wire only');
  const value: Transcript = {
    text,
    ...defined('language', languageOf(tree)),
    ...defined('durationSeconds', secondsOf(tree['duration']) ?? usedSeconds(tree['usage'])),
    ...defined('segments', listOf(tree['segments'], readSegment)),
    ...defined('words', listOf(tree['words'], readWord)),
    consumption: usedBy(tree),
  };
  return { value, losses: losses.all };
}

/** Tokens where they are counted, and seconds where they are reported: in the usage, or as the length of the audio. */
export function usedBy(reply: unknown): Consumption {
  if (!isObject(reply)) return {};
  const seconds = usedSeconds(reply['usage']) ?? secondsOf(reply['duration']);
  const usage = isObject(reply['usage']) ? reply['usage'] : {};
  const said = usage['input_token_details'] ?? usage['input_tokens_details'];
  const details = isObject(said) ? said : {};
  const input = countOf(usage['input_tokens']) ?? countOf(usage['prompt_tokens']);
  const output = countOf(usage['output_tokens']) ?? countOf(usage['completion_tokens']);
  const counted = input !== undefined || output !== undefined;
  return {
    ...(counted
      ? { tokens: { input: { total: input, audio: audioTokensIn(usage, details, input) }, output: { total: output } } }
      : {}),
    ...defined('seconds', seconds),
  };
}

/** Audio has a price of its own; where its tokens are not listed separately, all that is not text is audio. */
function audioTokensIn(usage: Tree, details: Tree, input: number | undefined): number | undefined {
  const counted = countOf(details['audio_tokens']);
  if (counted !== undefined || input === undefined || usage['type'] !== 'tokens') return counted;
  return Math.max(0, input - (countOf(details['text_tokens']) ?? 0));
}

function usedSeconds(usage: unknown): number | undefined {
  return isObject(usage) ? (secondsOf(usage['seconds']) ?? secondsOf(usage['prompt_audio_seconds'])) : undefined;
}

/** Newer models list every language that they detected. A name is in lower case on this wire, though not all its servers write it so. */
function languageOf(tree: Tree): string | undefined {
  const named = tree['language'];
  if (typeof named === 'string' && named !== '') return /^[A-Z][a-z]{3,}$/.test(named) ? named.toLowerCase() : named;
  const [first] = Array.isArray(tree['languages']) ? tree['languages'] : [];
  return isObject(first) && typeof first['code'] === 'string' ? first['code'] : undefined;
}

/** A time or a length as a provider writes it; anything implausible is treated as absent. */
export function secondsOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Undefined where there is no list; what cannot be read of one is left out. */
export function listOf<Entry>(value: unknown, read: (entry: Tree) => Entry | undefined): Entry[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((entry) => (isObject(entry) ? (read(entry) ?? []) : []));
}

function readSegment(entry: Tree): TranscriptSegment | undefined {
  const startSeconds = secondsOf(entry['start']);
  const endSeconds = secondsOf(entry['end']);
  const text = entry['text'];
  if (startSeconds === undefined || endSeconds === undefined || typeof text !== 'string') return undefined;
  const speaker = entry['speaker'] ?? entry['speaker_id'];
  return { startSeconds, endSeconds, text, ...(typeof speaker === 'string' ? { speaker } : {}) };
}

function readWord(entry: Tree): TranscriptWord | undefined {
  const startSeconds = secondsOf(entry['start']);
  const endSeconds = secondsOf(entry['end']);
  const word = entry['word'];
  if (startSeconds === undefined || endSeconds === undefined || typeof word !== 'string') return undefined;
  return { word, startSeconds, endSeconds };
}
