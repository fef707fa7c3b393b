import { expect, test } from 'bun:test';
import type { Transcript } from '../transcribe.ts';
import { writeTranscript } from '../transcript-formats.ts';
import { readTranscriptText } from './transcript-cues.ts';

const segments = [
  { startSeconds: 0.5, endSeconds: 2.25, text: 'One & <two>.' },
  { startSeconds: 3_723, endSeconds: 3_724.001, text: 'Three.' },
];
const transcript: Transcript = { text: 'One & <two>. Three.', segments, consumption: {} };

test('subtitles that were written are read back the same', () => {
  for (const format of ['srt', 'vtt'] as const) {
    const { body } = writeTranscript(transcript, format);
    expect(readTranscriptText(body)).toEqual({ text: transcript.text, segments });
    expect(readTranscriptText(`\uFEFF${body.replaceAll('\n', '\r\n')}`)).toEqual({ text: transcript.text, segments });
  }
});

test('who speaks is read, what is for the screen is not', () => {
  const written =
    'WEBVTT - made\n\nNOTE nothing\n\nfirst\n00:01.000 --> 00:02.000 align:start\n<v Ada Lovelace><i>Hello</i>\nyou\n';
  expect(readTranscriptText(written).segments).toEqual([
    { startSeconds: 1, endSeconds: 2, text: 'Hello you', speaker: 'Ada Lovelace' },
  ]);
});

test('a text is a text, even one that speaks of times', () => {
  for (const text of [' Hello.\n', 'It is\n1\n00:00:01,000 --> 00:00:02,000\nlate', '1', '']) {
    expect(readTranscriptText(text)).toEqual({ text: text.trim() });
  }
  expect(readTranscriptText('WEBVTT\n\n')).toEqual({ text: '', segments: [] });
});

test('long lines without times are read to their end', () => {
  const tags = readTranscriptText(`WEBVTT\n\n00:00.000 --> 00:01.000\n${'<v '.repeat(100_000)}`);
  expect(tags.segments).toHaveLength(1);
  expect(readTranscriptText('0'.repeat(1_000_000)).text).toHaveLength(1_000_000);
  const spaces = readTranscriptText(`${' '.repeat(1_000_000)}x\n00:00.000 --> 00:01.000`);
  expect(spaces.text).toStartWith('x');
});
