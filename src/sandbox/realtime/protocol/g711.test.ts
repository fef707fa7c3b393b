/** The telephone's bytes: known values, and every byte survives the way to a sample and back. */

import { describe, expect, test } from 'bun:test';
import { hum, joined, silence } from '../../../../test/harness/live-sandbox.ts';
import { decodeAudio, encodeAudio, rateOf } from './audio-format.ts';
import { decodeG711, encodeG711 } from './g711.ts';

describe('one byte', () => {
  test.each([
    ['mu', 0xff, 0],
    ['mu', 0x80, 32_124],
    ['mu', 0x00, -32_124],
    ['mu', 0xfe, 8],
    ['a', 0xd5, 8],
    ['a', 0x55, -8],
    ['a', 0xaa, 32_256],
    ['a', 0x2a, -32_256],
  ] as const)('%s-law %p is %p', (law, byte, sample) => {
    expect(decodeG711(new Uint8Array([byte]), law)[0]).toBe(sample);
  });

  test.each(['mu', 'a'] as const)('%s-law: there and back', (law) => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const back = encodeG711(decodeG711(all, law), law);
    // The μ-law has two zeros; the positive one is written.
    const expected = law === 'mu' ? all.with(0x7f, 0xff) : all;
    expect([...back]).toEqual([...expected]);
  });

  test.each(['mu', 'a'] as const)('%s-law is near every sample', (law) => {
    const samples = Int16Array.from({ length: 4_097 }, (_, index) => Math.min(32_767, index * 16 - 32_768));
    const back = decodeG711(encodeG711(samples, law), law);
    for (const [index, sample] of samples.entries()) {
      expect(Math.abs((back[index] ?? 0) - sample)).toBeLessThanOrEqual(Math.max(16, Math.abs(sample) / 16));
    }
  });
});

describe('formats', () => {
  test('pieces of telephone audio make the whole of it', () => {
    const speech = joined(hum(0.3), silence(0.1), hum(0.35));
    const whole = encodeAudio(speech, 0, speech.length, 'audio/pcmu');
    const pieces: number[] = [];
    for (let from = 0; from < speech.length; from += 4_800) {
      pieces.push(...encodeAudio(speech, from, Math.min(speech.length, from + 4_800), 'audio/pcmu'));
    }
    expect(whole.length).toBe(6_000);
    expect(pieces).toEqual([...whole]);
    expect(rateOf('audio/pcmu')).toBe(8_000);
  });

  test('samples of 16 bits survive', () => {
    const samples = new Int16Array([0, 1, -1, 32_767, -32_768]);
    const bytes = encodeAudio(samples, 0, samples.length, 'audio/pcm');
    expect(decodeAudio(Buffer.from(bytes).toString('base64'), 'audio/pcm', 'audio')).toEqual(samples);
  });

  test.each(['AAA?', 'not base64', 'AA=='])('%p is no audio', (audio) => {
    expect(() => decodeAudio(audio, 'audio/pcm', 'audio')).toThrow('audio');
  });
});
