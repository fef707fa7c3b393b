/**
 * Speech through the official library over every speech wire: each format, bytes and events, and options
 * that a wire does not support.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { BadRequestError } from 'openai';
import type { SpeechCreateParams } from 'openai/resources/audio/speech';
import {
  type AudioFormat,
  bringsSamples,
  encodedFor,
  speechNano,
  speechPrices,
  speechRows,
  speechWires,
} from '../../../contract/operations/audio-rows.ts';
import { audioBytes, gate, mediaTypes, pieces, spokenText } from '../../../contract/operations/audio-wires.ts';
import { type Bench, lossesOf, startBench } from '../../../contract/operations/bench.ts';
import { dataOf } from '../../../harness/chat.ts';
import { failureOf, openaiOf } from '../../../harness/operation-clients.ts';
import { Owed } from './owed.ts';

let bench: Bench;
const owed = new Owed();
beforeAll(async () => {
  bench = await startBench(speechRows, { prices: speechPrices });
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const [name] of speechWires) bench.up(name).forget();
});

const speak = (model: string, voice: string, fields: Partial<SpeechCreateParams> = {}) =>
  openaiOf(bench.weir).audio.speech.create({ model, voice, input: spokenText, ...fields });

describe.each(speechWires)('%s', (name, model, voice, formats) => {
  test.each([...formats])('speaks in %s', async (response_format) => {
    const reply = await speak(model, voice, { response_format });
    const bytes = Buffer.from(await reply.arrayBuffer());
    // Some wires bring samples, which as a file have a head of their own.
    const headBytes = bringsSamples(name) && response_format === 'wav' ? 44 : 0;
    expect(bytes.subarray(headBytes).equals(audioBytes)).toBe(true);
    expect(reply.headers.get('content-type')).toStartWith(mediaTypes[response_format] ?? 'audio/');
    expect(reply.headers.get('x-weir-provider')).toBe(name);
    expect(lossesOf(reply)).toEqual([]);
    owed.add(reply, speechNano(name));
  });

  const everyFormat: readonly AudioFormat[] = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'];
  test('a format that it does not have is refused, and no provider is called', async () => {
    const made = [...formats, ...encodedFor(name)];
    for (const response_format of everyFormat.filter((each) => !made.includes(each))) {
      const error = await failureOf(speak(model, voice, { response_format }));
      expect(error).toBeInstanceOf(BadRequestError);
      expect([error.code, error.param]).toEqual(['operation_unsupported', 'response_format']);
    }
    for (const [param, value] of [
      ['response_format', 'ogg'],
      ['input', ''],
      ['input', 'a'.repeat(4_097)],
      ['speed', 4.1],
      ['stream_format', 'xml'],
      ['voice', undefined],
    ] as const) {
      const error = await failureOf(speak(model, voice, { [param]: value } as never));
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error.param).toBe(param);
    }
    expect(bench.up(name).seen.length).toBe(0);
  });

  test.each([...formats])('as events: %s', async (response_format) => {
    const reply = await speak(model, voice, { response_format, stream_format: 'sse' });
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream');
    const events = dataOf(await reply.text()).map((data) => JSON.parse(data) as { type: string; audio?: string });
    const deltas = events.slice(0, -1);
    expect(deltas.length).toBeGreaterThan(0);
    expect(deltas.every(({ type }) => type === 'speech.audio.delta')).toBe(true);
    const bytes = Buffer.concat(deltas.map(({ audio = '' }) => Buffer.from(audio, 'base64')));
    expect(bytes.subarray(-audioBytes.length).equals(audioBytes)).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { total_tokens: expect.any(Number) } });
  });
});

describe('options', () => {
  const known = (name: string) => {
    const [seen] = bench.up(name).seen;
    return { query: seen?.query ?? new URLSearchParams(), text: `${seen?.bytes}` };
  };

  test.each([
    ['family', []],
    ['plain', []],
    ['elevenlabs', ['instructions']],
    ['deepgram', ['instructions']],
    ['cartesia', ['instructions']],
    // Its instructions are part of the prompt; it has no field for the speed.
    ['gemini', ['speed']],
  ])('%s: instructions and speed', async (name, losses) => {
    const [, model = '', voice = '', [response_format = 'mp3'] = []] =
      speechWires.find(([each]) => each === name) ?? [];
    const reply = await speak(model, voice, { response_format, instructions: 'softly', speed: 1.1 });
    await reply.bytes();
    expect(lossesOf(reply)).toEqual(losses);
    const { query, text } = known(name);
    expect(text.includes('softly')).toBe(!losses.includes('instructions'));
    expect(text.includes('1.1') || query.get('speed') === '1.1').toBe(!losses.includes('speed'));
  });

  test.each(
    speechWires.filter(([name]) => name !== 'plain'),
  )('%s: a voice by its id', async (_, model, id, formats) => {
    const reply = await speak(model, id, { voice: { id }, response_format: formats[0] ?? 'mp3' });
    expect(
      Buffer.from(await reply.bytes())
        .subarray(-audioBytes.length)
        .equals(audioBytes),
    ).toBe(true);
  });
});

/** The last one generates all of it before its first byte. */
const streaming = speechWires.filter(([name]) => !bringsSamples(name));

describe.each(streaming)('%s', (_, model, voice) => {
  test('the caller gets the first audio before the last is made', async () => {
    gate.close();
    try {
      // The other client reads everything first, to hold it against the schemas.
      const client = new OpenAI({ apiKey: bench.weir.token, baseURL: bench.weir.base, maxRetries: 0 });
      const reply = await client.audio.speech.create({ model, voice, input: spokenText, response_format: 'pcm' });
      const received: Buffer[] = [];
      for await (const piece of reply.body ?? []) {
        if (received.length === 0) gate.open();
        received.push(Buffer.from(piece));
      }
      expect(received[0]?.equals(pieces[0] ?? Buffer.of())).toBe(true);
      expect(Buffer.concat(received).equals(audioBytes)).toBe(true);
    } finally {
      gate.open();
    }
  });
});

test('everything is in the ledger at its price', () => owed.check(bench.weir));
