/**
 * OpenAI transcript events, written for clients that stream over providers that do not, and read for the reverse.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { Transcript } from '../../transcribe.ts';
import { eventData } from '../event-data.ts';

/** Segments say who spoke, where the caller asked for that. */
export function transcriptEvents(transcript: Transcript, withSegments = false): string {
  const { text, segments = [] } = transcript;
  const deltas = pieces(transcript).map((delta) => ({ type: 'transcript.text.delta', delta }));
  const segmentEvents = withSegments ? segments.map(writeSpokenSegment) : [];
  const done = { type: 'transcript.text.done', text, usage: tokensOf(transcript) };
  return [...deltas, ...segmentEvents, done].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

/** A segment with its speaker; speakers that were not distinguished are one. */
export function writeSpokenSegment(
  { startSeconds, endSeconds, text, speaker }: NonNullable<Transcript['segments']>[number],
  index: number,
): Tree {
  return {
    type: 'transcript.text.segment',
    id: `seg_${index}`,
    start: startSeconds,
    end: endSeconds,
    text,
    speaker: speaker ?? 'A',
  };
}

/** Undefined where the provider did not count tokens: the wire has no other unit here. */
export function tokensOf({ consumption }: Transcript): Tree | undefined {
  const input = consumption.tokens?.input.total;
  const output = consumption.tokens?.output.total;
  if (input === undefined || output === undefined) return undefined;
  return { type: 'tokens', input_tokens: input, output_tokens: output, total_tokens: input + output };
}

/** The event that ends a stream holds the whole text, in the shape of a reply. A stream without it is no reply. */
export function readTranscriptEvents(text: string): Tree {
  const done = eventData(text).find((data) => isObject(data) && data['type'] === 'transcript.text.done');
  if (!isObject(done)) throw new SyntaxError('the events of the transcript have no end');
  return done;
}

/** Deltas add up to the text: segment by segment where the segments do. */
function pieces({ text, segments = [] }: Transcript): string[] {
  const said = segments.map((segment) => segment.text).filter((piece) => piece !== '');
  if (said.join('') === text) return said;
  return text === '' ? [] : [text];
}
