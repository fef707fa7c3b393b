/** Reads a transcript that came as subtitles, or as nothing but its text. */

import type { TranscriptSegment } from '../transcribe.ts';

interface ReadText {
  readonly text: string;
  readonly segments?: readonly TranscriptSegment[];
}

const clock = /^(?:(\d{1,4}):)?(\d{2}):(\d{2})[.,](\d{3})$/;

/** Subtitles are recognized by their first line, or by the times before the first words. */
export function readTranscriptText(written: string): ReadText {
  const lines = written.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const first = lines.findIndex((line) => timesIn(line) !== undefined);
  const headed = /^WEBVTT(\s|$)/.test(lines[0] ?? '');
  const numbered = first > 0 && lines.slice(0, first).every((line) => /^\d*$/.test(line.trim()));
  if (!headed && first !== 0 && !numbered) return { text: written.trim() };
  const segments = cuesIn(lines);
  return { text: segments.map(({ text }) => text).join(' '), segments };
}

function cuesIn(lines: readonly string[]): TranscriptSegment[] {
  const segments: TranscriptSegment[] = [];
  for (let index = 0; index < lines.length; index++) {
    const times = timesIn(lines[index] ?? '');
    if (times === undefined) continue;
    const said: string[] = [];
    while (index + 1 < lines.length && lines[index + 1]?.trim() !== '') said.push(lines[++index] ?? '');
    segments.push({ ...times, ...spokenBy(said.join(' ')) });
  }
  return segments;
}

/** Tags are for the screen; one of them says who speaks. */
function spokenBy(marked: string): Pick<TranscriptSegment, 'text' | 'speaker'> {
  const voice = /^<v(?:\.[^ >]*)? ([^>]*)>/.exec(marked)?.[1];
  const text = unescaped(marked.replace(/<\/?(?:[vcibu]|ruby|rt|lang)(?:[. ][^<>]*)?>/g, '')).trim();
  return voice === undefined ? { text } : { text, speaker: unescaped(voice).trim() };
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&nbsp;', ' ').replaceAll('&amp;', '&');
}

function timesIn(line: string): Pick<TranscriptSegment, 'startSeconds' | 'endSeconds'> | undefined {
  const [start = '', end = ''] = line.split('-->').map((side) => side.trim());
  const startSeconds = secondsOf(start);
  // The position of a cue may follow its end.
  const endSeconds = secondsOf(end.split(/\s/)[0] ?? '');
  return startSeconds === undefined || endSeconds === undefined ? undefined : { startSeconds, endSeconds };
}

function secondsOf(written: string): number | undefined {
  const match = clock.exec(written);
  if (match === null) return undefined;
  const [, hours = '0', minutes = '0', seconds = '0', thousandths = '0'] = match;
  return (Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000 + Number(thousandths)) / 1_000;
}
