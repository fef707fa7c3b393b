/** Turns from the signal: where they begin and end does not depend on how the audio was cut. */

import { describe, expect, test } from 'bun:test';
import { hum, joined, silence } from '../../../test/harness/live-sandbox.ts';
import { createSpeaker } from '../speech/speak.ts';
import { InputAudio, type TurnChange, waitingBytesMax } from './input-audio.ts';
import { serverDetection } from './protocol/settings.ts';

function noise(seconds: number, level: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length: seconds * 24_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.round((state / 2 ** 31 - 1) * level * Math.sqrt(3) * 32_767);
  });
}

function changesOf(samples: Int16Array, cut = 480, input = new InputAudio('audio/pcm', serverDetection, 0)) {
  const changes: TurnChange[] = [];
  for (let from = 0; from < samples.length; from += cut)
    changes.push(...input.append(samples.subarray(from, from + cut)));
  return changes;
}

const spokenTwice = joined(silence(1), hum(1), silence(1), hum(0.5), silence(1));

describe('turns', () => {
  test('begin with their padding and end with their silence', () => {
    expect(changesOf(spokenTwice)).toEqual([
      { kind: 'started', atMs: 700 },
      { kind: 'stopped', atMs: 2_500, lengths: { seconds: 1.8, speechSeconds: 1 } },
      { kind: 'started', atMs: 2_700 },
      { kind: 'stopped', atMs: 4_000, lengths: { seconds: 1.3, speechSeconds: 0.5 } },
    ]);
  });

  test.each([1, 7, 240, 1_201, 24_000, 1_000_000])('the same in pieces of %p samples', (cut) => {
    expect(changesOf(spokenTwice, cut)).toEqual(changesOf(spokenTwice));
  });

  test('a pause within speech ends nothing, and the padding never reaches into the turn before', () => {
    const changes = changesOf(joined(hum(0.4), silence(0.4), hum(0.4), silence(0.6), hum(0.4), silence(1)));
    expect(changes.map(({ kind, atMs }) => [kind, atMs])).toEqual([
      ['started', 0],
      ['stopped', 1_700],
      ['started', 1_700],
      ['stopped', 2_700],
    ]);
  });

  test('clicks, silence, an offset and a steady background are no speech', () => {
    const click = joined(silence(0.5), hum(0.03), silence(1));
    expect(changesOf(click)).toEqual([]);
    expect(changesOf(new Int16Array(48_000).fill(9_000))).toEqual([]);
    expect(changesOf(noise(3, 0.004))).toEqual([]);
  });

  test('a louder background is taken for one after a while, and speech above it is found', () => {
    const changes = changesOf(joined(noise(8, 0.012), joined(hum(1, 0.2)), noise(3, 0.012)));
    const last = changes.slice(-2).map(({ kind, atMs }) => [kind, atMs]);
    expect(last).toEqual([
      ['started', 7_700],
      ['stopped', 9_500],
    ]);
  });

  test('the threshold decides what is loud enough', () => {
    const quiet = joined(silence(0.5), hum(0.5, 0.006), silence(1));
    const keen = new InputAudio('audio/pcm', { ...serverDetection, threshold: 0.1 }, 0);
    expect(changesOf(quiet)).toEqual([]);
    expect(changesOf(quiet, 480, keen)).toHaveLength(2);
  });

  test('speech in a telephone format is detected too', () => {
    const input = new InputAudio('audio/pcmu', serverDetection, 250);
    const changes = changesOf(joined(silence(1, 8_000), hum(1, 0.3, 8_000), silence(1, 8_000)), 160, input);
    expect(changes.map(({ kind, atMs }) => [kind, atMs])).toEqual([
      ['started', 950],
      ['stopped', 2_750],
    ]);
    expect(input.elapsedMs).toBe(3_250);
  });

  test('real speech is one turn with its words, not one for each', async () => {
    const speaker = createSpeaker();
    const { pieces } = await speaker.speak({
      text: 'Please tell me the weather in Paris.',
      voice: 'slt',
      format: 'pcm',
    });
    const chunks: Uint8Array[] = [];
    for await (const piece of pieces) chunks.push(piece);
    speaker.stop();
    const bytes = Buffer.concat(chunks);
    const speech = Int16Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(index * 2));
    const seconds = speech.length / 24_000;
    const changes = changesOf(joined(silence(1), speech, silence(1)));
    expect(changes.map(({ kind }) => kind)).toEqual(['started', 'stopped']);
    const [, stopped] = changes;
    const lengths = stopped?.kind === 'stopped' ? stopped.lengths : undefined;
    expect(lengths?.speechSeconds).toBeGreaterThan(seconds * 0.6);
    expect(lengths?.speechSeconds).toBeLessThanOrEqual(seconds);
  });
});

describe('turns of the client’s own', () => {
  test('are what lies between two commits, with all their speech', () => {
    const input = new InputAudio('audio/pcm', undefined, 0);
    expect(changesOf(spokenTwice, 480, input)).toEqual([]);
    expect(input.commit()).toEqual({ seconds: 4.5, speechSeconds: 1.5 });
    expect(() => input.commit()).toThrow('0 ms wait');
    input.append(hum(0.05));
    expect(() => input.commit()).toThrow('50 ms wait');
    input.clear();
    input.append(silence(0.2));
    expect(input.commit()).toEqual({ seconds: 0.2, speechSeconds: 0 });
  });

  test('wait up to a limit', () => {
    const input = new InputAudio('audio/pcm', undefined, 0);
    const samples = waitingBytesMax / 2;
    input.checkRoom(samples);
    expect(() => input.checkRoom(samples + 1)).toThrow(String(waitingBytesMax));
    input.append(silence(1));
    expect(() => input.checkRoom(samples)).toThrow(String(waitingBytesMax));
    input.clear();
    input.checkRoom(samples);
  });

  test('silence before speech does not count where turns are detected', () => {
    const input = new InputAudio('audio/pcm', serverDetection, 0);
    for (let second = 0; second < 400; second++) input.append(silence(1));
    input.checkRoom(24_000);
    input.append(hum(1));
    expect(input.commit().seconds).toBeCloseTo(1.3, 5);
  });
});
