/**
 * Transcripts over every wire that providers have: all five forms and streams, from providers that have one of them.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  transcriptNano as costNano,
  streamedTokensNano,
  subRip,
  transcriptPrices,
  transcriptRows,
  translationWires,
  webVtt,
  transcriptWires as wires,
} from './audio-rows.ts';
import { recording, spokenText } from './audio-wires.ts';
import { type Bench, errorOf, lossesOf, startBench, treeOf } from './bench.ts';
import { refusedLanguage } from './transcript-jobs.ts';

let bench: Bench;
beforeAll(async () => {
  const either = {
    targets: [
      { provider: 'assemblyai', model: 'universal-3-5-pro', tier: 0 },
      { provider: 'deepgram', model: 'nova-3', tier: 1 },
    ],
  };
  bench = await startBench(transcriptRows, { prices: transcriptPrices, models: { either } });
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const [name] of wires) bench.up(name).forget();
});

function hear(model: string, more: Readonly<Record<string, string>> = {}, path = 'transcriptions'): Promise<Response> {
  const form = new FormData();
  form.append('file', new File([recording], 'talk.wav', { type: 'audio/wav' }));
  for (const [name, value] of Object.entries(more)) form.append(name, value);
  form.append('model', model);
  return bench.form(`/v1/audio/${path}`, form);
}

async function textOf(reply: Response): Promise<string> {
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
  return text;
}

describe.each(wires)('%s', (name, model) => {
  test('json', async () => {
    const reply = await hear(model);
    expect(await treeOf(reply)).toMatchObject({ text: spokenText });
    expect(reply.headers.get('x-weir-provider')).toBe(name);
    bench.expectRow(reply, { costNano: costNano });
  });

  test('text', async () => {
    const reply = await hear(model, { response_format: 'text' });
    expect((await textOf(reply)).trim()).toBe(spokenText);
    expect(reply.headers.get('content-type')).toStartWith('text/plain');
    bench.expectRow(reply, { costNano: costNano });
  });

  test.each([
    ['srt', subRip],
    ['vtt', webVtt],
  ])('%s', async (format, written) => {
    const reply = await hear(model, { response_format: format });
    // One provider reports the speaker without being asked.
    expect((await textOf(reply)).replaceAll(/<v speaker_0>|speaker_0: /g, '')).toBe(written);
    bench.expectRow(reply, { costNano: costNano });
  });

  test('verbose_json', async () => {
    const reply = await hear(model, { response_format: 'verbose_json' });
    const tree = await treeOf<{ duration: number; language: string; segments: Record<string, unknown>[] }>(reply);
    expect(tree).toMatchObject({ task: 'transcribe', text: spokenText, duration: 3, language: expect.any(String) });
    expect(tree.segments.map(({ start, end, text }) => [start, end, `${text}`.trim()])).toEqual([
      [0, 1.5, 'Hello there.'],
      [1.5, 3, 'General weir.'],
    ]);
    bench.expectRow(reply, { costNano: costNano });
  });

  test('a stream', async () => {
    const reply = await hear(name === 'family' ? 'gpt-4o-transcribe' : model, { stream: 'true' });
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream');
    const events = (await textOf(reply))
      .split('\n\n')
      .flatMap((block) => (block.startsWith('data: ') ? [JSON.parse(block.slice(6))] : []));
    const deltas = events.filter(({ type }) => type === 'transcript.text.delta').map(({ delta }) => delta);
    expect(deltas.join('')).toBe(spokenText);
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: spokenText });
    const expected = name === 'family' ? streamedTokensNano : costNano;
    bench.expectRow(reply, { costNano: expected });
  });
});

describe('what a caller sends beside its audio', () => {
  test('a language reaches those who take one', async () => {
    await treeOf(await hear('nova-3', { language: 'de' }));
    expect(bench.up('deepgram').seen[0]?.query.get('language')).toBe('de');
    await treeOf(await hear('scribe_v1', { language: 'de' }));
    expect(`${bench.up('elevenlabs').seen[0]?.bytes}`).toContain('name="language_code"\r\n\r\nde\r\n');
  });

  test('a prompt is lost where there is no place for one', async () => {
    const lost = await hear('nova-3', { prompt: 'Weir' });
    await treeOf(lost);
    expect(lossesOf(lost)).toEqual(['prompt']);
    const reply = await hear('whisper-large-v3', { prompt: 'Weir' });
    await treeOf(reply);
    expect(lossesOf(reply)).toEqual([]);
  });

  test('words are timed where they are asked for', async () => {
    const more = { response_format: 'verbose_json', 'timestamp_granularities[]': 'word' };
    for (const model of ['scribe_v1', 'nova-3']) {
      const tree = await treeOf<{ words: { word: string; start: number }[] }>(await hear(model, more));
      expect(tree.words.map(({ word }) => word)).toEqual(['Hello', 'there.', 'General', 'weir.']);
    }
  });

  test('speakers are separated where the provider can', async () => {
    const reply = await hear('nova-3', { response_format: 'diarized_json' });
    const { segments } = await treeOf<{ segments: { speaker: string }[] }>(reply);
    expect(segments.map(({ speaker }) => speaker)).toEqual(['speaker_0', 'speaker_0']);
    expect(bench.up('deepgram').seen[0]?.query.get('diarize')).toBe('true');
  });
});

describe('an order that is refused after its upload was taken', () => {
  test('is reported in the words of the provider, and is free', async () => {
    const reply = await hear('universal-3-5-pro', { language: refusedLanguage });
    const { code, message } = await errorOf(reply, 400);
    expect([code, message]).toEqual(['upstream_refused', 'language_code: unsupported language']);
    expect(bench.up('assemblyai').seen.map(({ path }) => path)).toEqual(['/v2/upload', '/v2/transcript']);
    bench.expectRow(reply, { costNano: 0n });
  });

  test('goes elsewhere where only the key must wait', async () => {
    const tooMany = () =>
      Response.json({ error: 'Too many requests' }, { status: 429, headers: { 'retry-after': '1' } });
    bench.up('assemblyai').next(() => Response.json({ upload_url: 'https://cdn.assemblyai.com/upload/1' }), tooMany);
    const reply = await hear('either');
    expect(await treeOf(reply)).toMatchObject({ text: spokenText });
    expect(reply.headers.get('x-weir-provider')).toBe('deepgram');
  });
});

describe('into English', () => {
  test.each(translationWires)('%s', async (name, model) => {
    const reply = await hear(model, {}, 'translations');
    expect(await treeOf(reply)).toMatchObject({ text: 'Good day.' });
    expect(bench.up(name).seen[0]?.path).toBe('/v1/audio/translations');
    bench.expectRow(reply, { costNano: costNano });
  });

  test.each([
    'voxtral-mini-latest',
    'scribe_v1',
    'nova-3',
    'universal-3-5-pro',
    'ink-whisper',
  ])('%s does not', async (model) => {
    const error = await errorOf(await hear(model, {}, 'translations'), 400);
    expect(error).toMatchObject({ code: 'operation_unsupported', param: 'model' });
  });
});

test('each call has its row of usage, with its cost', () => bench.expectRows());
