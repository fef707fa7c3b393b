/** Writes a transcript in each of the five forms that callers may ask for. */

import type { Transcript, TranscriptFormat, TranscriptSegment } from './transcribe.ts';

interface WrittenTranscript {
  readonly contentType: string;
  readonly body: string;
}

/** What the transcript itself does not say about the request that led to it. */
interface TranscriptTask {
  readonly translate?: boolean | undefined;
  readonly temperature?: number | undefined;
}

const json = 'application/json';
const plain = 'text/plain; charset=utf-8';

export function writeTranscript(
  transcript: Transcript,
  format: TranscriptFormat,
  task: TranscriptTask = {},
): WrittenTranscript {
  switch (format) {
    case 'json':
      return { contentType: json, body: JSON.stringify({ text: transcript.text, usage: usageOf(transcript) }) };
    case 'verbose_json':
      return { contentType: json, body: JSON.stringify(verbose(transcript, task)) };
    case 'text':
      return { contentType: plain, body: transcript.text };
    case 'srt':
      return { contentType: plain, body: cuesOf(transcript).map(subRipCue).join('') };
    case 'vtt':
      return { contentType: 'text/vtt; charset=utf-8', body: `WEBVTT\n\n${cuesOf(transcript).map(webCue).join('')}` };
  }
}

/** Tokens where the provider counted them, otherwise begun seconds. */
function usageOf({ consumption, durationSeconds }: Transcript): object | undefined {
  const input = consumption.tokens?.input.total;
  const output = consumption.tokens?.output.total;
  if (input !== undefined && output !== undefined) {
    return { type: 'tokens', input_tokens: input, output_tokens: output, total_tokens: input + output };
  }
  const seconds = consumption.seconds ?? durationSeconds;
  return seconds === undefined ? undefined : { type: 'duration', seconds: Math.ceil(seconds) };
}

function verbose(transcript: Transcript, task: TranscriptTask): object {
  const { text, segments, words } = transcript;
  return {
    task: task.translate === true ? 'translate' : 'transcribe',
    language: transcript.language ?? '',
    duration: transcript.durationSeconds ?? segments?.at(-1)?.endSeconds ?? 0,
    text,
    segments: segments?.map((segment, index) => verboseSegment(segment, index, task.temperature ?? 0)),
    words: words?.map(({ word, startSeconds, endSeconds }) => ({ word, start: startSeconds, end: endSeconds })),
    usage: usageOf(transcript),
  };
}

/** Clients expect every key; the figures that no neutral transcript has are zero. */
function verboseSegment(
  { startSeconds, endSeconds, text, speaker }: TranscriptSegment,
  id: number,
  temperature: number,
) {
  return {
    id,
    seek: 0,
    start: startSeconds,
    end: endSeconds,
    text,
    speaker,
    tokens: [],
    temperature,
    avg_logprob: 0,
    compression_ratio: 0,
    no_speech_prob: 0,
  };
}

/** A transcript without segments is one cue as long as the audio. */
function cuesOf({ text, segments, durationSeconds }: Transcript): readonly TranscriptSegment[] {
  if (segments !== undefined) return segments;
  return text === '' ? [] : [{ startSeconds: 0, endSeconds: durationSeconds ?? 0, text }];
}

/** A blank line or an arrow inside a cue would begin another. */
function cueText(text: string): string {
  return text
    .trim()
    .replace(/\s*[\r\n]\s*/g, ' ')
    .replaceAll('-->', '->');
}

function subRipCue({ startSeconds, endSeconds, text, speaker }: TranscriptSegment, index: number): string {
  const said = speaker === undefined ? cueText(text) : `${cueText(speaker)}: ${cueText(text)}`;
  return `${index + 1}\n${clock(startSeconds, ',')} --> ${clock(endSeconds, ',')}\n${said}\n\n`;
}

function webCue({ startSeconds, endSeconds, text, speaker }: TranscriptSegment): string {
  const escaped = (raw: string): string => cueText(raw).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const voice = speaker === undefined ? '' : `<v ${escaped(speaker).replaceAll('>', '&gt;')}>`;
  return `${clock(startSeconds, '.')} --> ${clock(endSeconds, '.')}\n${voice}${escaped(text)}\n\n`;
}

/** Hours, minutes, seconds and thousandths. */
function clock(seconds: number, point: ',' | '.'): string {
  const thousandths = Math.max(0, Math.round(seconds * 1_000));
  const digits = (value: number, width: number): string => String(Math.floor(value)).padStart(width, '0');
  const [hours, minutes] = [thousandths / 3_600_000, (thousandths / 60_000) % 60];
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${digits((thousandths / 1_000) % 60, 2)}${point}${digits(thousandths % 1_000, 3)}`;
}
