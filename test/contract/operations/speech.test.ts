/**
 * Speech over every wire that providers have: bytes as they come, events around them, and options that a
 * wire does not support.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFlac } from '../../../src/sandbox/speech/containers/read-flac.ts';
import { readMp3 } from '../../../src/sandbox/speech/containers/read-mp3.ts';
import { bringsSamples, encodedFor, speechNano, speechPrices, speechRows, speechWires as wires } from './audio-rows.ts';
import { audioBytes, gate, pieces, spokenText } from './audio-wires.ts';
import { type Bench, errorOf, lossesOf, startBench } from './bench.ts';

setDefaultTimeout(300_000);

const streaming = wires.filter(([name]) => !bringsSamples(name));

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(speechRows, { prices: speechPrices });
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const [name] of wires) bench.up(name).forget();
});

function speak(model: string, voice: string, more: object = {}): Promise<Response> {
  return bench.post('/v1/audio/speech', { model, voice, input: spokenText, ...more });
}

async function bytesOf(reply: Response): Promise<Buffer> {
  const bytes = Buffer.from(await reply.arrayBuffer());
  if (reply.status !== 200) throw new Error(`${reply.status}: ${bytes}`);
  return bytes;
}

/** Half a sample is none. */
const spokenSeconds = Math.floor(audioBytes.length / 2) / 24_000;

describe.each(wires)('%s', (name, model, voice, formats) => {
  test.each([...formats])('speaks in %s', async (format) => {
    const reply = await speak(model, voice, { response_format: format });
    const bytes = await bytesOf(reply);
    // Some wires bring samples, which as a file have a head of their own.
    expect(bytes.subarray(-audioBytes.length).equals(audioBytes)).toBe(true);
    expect(bytes.length).toBe(bringsSamples(name) && format === 'wav' ? audioBytes.length + 44 : audioBytes.length);
    expect(reply.headers.get('content-type')).toMatch(/^audio\//);
    bench.expectRow(reply, { costNano: speechNano(name) });
  });

  test.if(encodedFor(name).length > 0).each([...encodedFor(name)])('is written as %s by Weir', async (format) => {
    const reply = await speak(model, voice, { response_format: format });
    expect(reply.headers.get('content-type')).toBe(format === 'mp3' ? 'audio/mpeg' : 'audio/flac');
    const bytes = await bytesOf(reply);
    const { durationSeconds } = format === 'mp3' ? readMp3(bytes) : readFlac(bytes);
    // An encoder of frames fills its last one, and begins with a quiet one.
    expect(durationSeconds).toBeGreaterThanOrEqual(spokenSeconds);
    expect(durationSeconds).toBeLessThan(spokenSeconds + 0.15);
    bench.expectRow(reply, { costNano: speechNano(name) });
  });

  const others = ['mp3', 'opus', 'aac', 'flac'].filter(
    (format) => !formats.some((made) => made === format) && !encodedFor(name).some((made) => made === format),
  );
  test.if(others.length > 0).each(others)('says that it does not speak in %s', async (format) => {
    const error = await errorOf(await speak(model, voice, { response_format: format }), 400);
    expect(error).toMatchObject({ code: 'operation_unsupported', param: 'response_format' });
    expect(bench.up(name).seen.length).toBe(0);
  });

  test('speaks as events', async () => {
    const reply = await speak(model, voice, { response_format: 'pcm', stream_format: 'sse' });
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream');
    const events = (await bytesOf(reply))
      .toString()
      .split('\n\n')
      .flatMap((block) => (block.startsWith('data: ') ? [JSON.parse(block.slice(6))] : []));
    const deltas = events.slice(0, -1);
    expect(deltas.every(({ type }) => type === 'speech.audio.delta')).toBe(true);
    expect(Buffer.concat(deltas.map(({ audio }) => Buffer.from(audio, 'base64'))).equals(audioBytes)).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { input_tokens: expect.any(Number) } });
  });
});

describe.each(streaming)('%s', (_, model, voice) => {
  test.each(['audio', 'sse'])('sends what it has before the rest is there (%s)', async (framing) => {
    if (model === 'kokoro' && framing === 'sse') return;
    gate.close();
    try {
      const reply = await speak(model, voice, { response_format: 'pcm', stream_format: framing });
      const reader = reply.body?.getReader();
      const first = Buffer.from((await reader?.read())?.value ?? []).toString();
      const [sent = '', held = ''] = pieces.map((piece) => piece.toString(framing === 'sse' ? 'base64' : 'utf8'));
      expect(first).toContain(sent);
      expect(first).not.toContain(held);
      gate.open();
      let rest = '';
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
        rest += Buffer.from(part.value).toString();
      }
      expect(rest.length).toBeGreaterThan(0);
    } finally {
      gate.open();
    }
  });
});

describe('what a wire has no word for', () => {
  test('is a loss that the reply names', async () => {
    const more = { instructions: 'softly', speed: 3 };
    const reply = await speak('eleven_multilingual_v2', 'JBFqnCBsd6RMkjVDRZzb', more);
    await bytesOf(reply);
    expect(lossesOf(reply)).toEqual(['instructions', 'speed']);
    expect(JSON.parse(`${bench.up('elevenlabs').seen[0]?.bytes}`)['voice_settings']).toEqual({ speed: 1.2 });
    const family = await speak('gpt-4o-mini-tts', 'alloy', more);
    await bytesOf(family);
    expect(lossesOf(family)).toEqual([]);
    expect(JSON.parse(`${bench.up('family').seen[0]?.bytes}`)).toMatchObject(more);
  });

  test('a voice cannot leave its place in the path', async () => {
    const reply = await speak('eleven_multilingual_v2', '../../v1/user');
    expect(reply.status).toBe(422);
    await reply.text();
    expect(bench.up('elevenlabs').seen[0]?.path).toBe('/v1/text-to-speech/..%2F..%2Fv1%2Fuser/stream');
    expect((await errorOf(await speak('eleven_multilingual_v2', '..'), 400)).param).toBe('voice');
  });
});

test('each call has its row of usage, with its cost', () => bench.expectRows());
