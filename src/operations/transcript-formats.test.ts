/** The five forms of a transcript, byte by byte. */

import { describe, expect, test } from 'bun:test';
import type { Transcript } from './transcribe.ts';
import { writeTranscript } from './transcript-formats.ts';

const transcript: Transcript = {
  text: 'Fish & chips <now>. It took an hour --> and more.',
  language: 'english',
  durationSeconds: 3_725.25,
  segments: [
    { startSeconds: 0.2, endSeconds: 2.345, text: 'Fish & chips <now>.' },
    { startSeconds: 3_599.9996, endSeconds: 3_725.25, text: 'It took an hour\n\n--> and more.', speaker: 'Ann' },
  ],
  words: [{ word: 'Fish', startSeconds: 0.2, endSeconds: 0.5 }],
  consumption: { seconds: 3_725.25 },
};

describe('writeTranscript', () => {
  test('json holds the text and the begun seconds', () => {
    const { contentType, body } = writeTranscript(transcript, 'json');
    expect(contentType).toBe('application/json');
    expect(JSON.parse(body)).toEqual({ text: transcript.text, usage: { type: 'duration', seconds: 3_726 } });
  });

  test('json counts tokens where the provider did', () => {
    const tokens = { input: { total: 7 }, output: { total: 5 } };
    const { body } = writeTranscript({ text: 'a', consumption: { tokens } }, 'json');
    expect(JSON.parse(body).usage).toEqual({ type: 'tokens', input_tokens: 7, output_tokens: 5, total_tokens: 12 });
  });

  test('json without anything known has no usage', () => {
    expect(writeTranscript({ text: 'a', consumption: {} }, 'json').body).toBe('{"text":"a"}');
  });

  test('text is the text alone', () => {
    expect(writeTranscript(transcript, 'text')).toEqual({
      contentType: 'text/plain; charset=utf-8',
      body: transcript.text,
    });
  });

  test('srt numbers its cues and keeps each in one piece', () => {
    expect(writeTranscript(transcript, 'srt')).toEqual({
      contentType: 'text/plain; charset=utf-8',
      body: [
        '1',
        '00:00:00,200 --> 00:00:02,345',
        'Fish & chips <now>.',
        '',
        '2',
        '01:00:00,000 --> 01:02:05,250',
        'Ann: It took an hour -> and more.',
        '',
        '',
      ].join('\n'),
    });
  });

  test('vtt has its head and escapes what would be a tag', () => {
    expect(writeTranscript(transcript, 'vtt')).toEqual({
      contentType: 'text/vtt; charset=utf-8',
      body: [
        'WEBVTT',
        '',
        '00:00:00.200 --> 00:00:02.345',
        'Fish &amp; chips &lt;now>.',
        '',
        '01:00:00.000 --> 01:02:05.250',
        '<v Ann>It took an hour -> and more.',
        '',
        '',
      ].join('\n'),
    });
  });

  test('cues without segments span the audio, and silence has none', () => {
    const whole = { text: 'One.', durationSeconds: 1.5, consumption: {} };
    expect(writeTranscript(whole, 'srt').body).toBe('1\n00:00:00,000 --> 00:00:01,500\nOne.\n\n');
    expect(writeTranscript({ ...whole, text: '', segments: [] }, 'vtt').body).toBe('WEBVTT\n\n');
    expect(writeTranscript({ ...whole, text: '', segments: [] }, 'srt').body).toBe('');
  });

  test('verbose_json has every key that the official types require', () => {
    const written = JSON.parse(writeTranscript(transcript, 'verbose_json', { temperature: 0.4 }).body);
    expect(written).toMatchObject({
      task: 'transcribe',
      language: 'english',
      duration: 3_725.25,
      text: transcript.text,
      words: [{ word: 'Fish', start: 0.2, end: 0.5 }],
      usage: { type: 'duration', seconds: 3_726 },
    });
    expect(written.segments[0]).toEqual({
      id: 0,
      seek: 0,
      start: 0.2,
      end: 2.345,
      text: 'Fish & chips <now>.',
      tokens: [],
      temperature: 0.4,
      avg_logprob: 0,
      compression_ratio: 0,
      no_speech_prob: 0,
    });
    expect(written.segments[1].speaker).toBe('Ann');
    expect(JSON.parse(writeTranscript(transcript, 'verbose_json', { translate: true }).body).task).toBe('translate');
  });

  test('verbose_json leaves out what was not asked for', () => {
    const { segments: _segments, words: _words, ...bare } = transcript;
    expect(Object.keys(JSON.parse(writeTranscript(bare, 'verbose_json').body))).toEqual([
      'task',
      'language',
      'duration',
      'text',
      'usage',
    ]);
  });
});
