/** The length and the comment of an MP3 file, as various encoders and taggers leave them. */

import { describe, expect, test } from 'bun:test';
import { join } from '../../../audio/audio-encoder.ts';
import { mp3Encoder } from '../../../audio/write-mp3.ts';
import { readMp3 } from './read-mp3.ts';

/** 128 kbit/s at 44.1 kHz: 417 bytes, 1152 samples. */
function frame(): Uint8Array {
  const bytes = Buffer.alloc(417);
  bytes.set([0xff, 0xfb, 0x90, 0x00]);
  return bytes;
}
const frames = (count: number): Uint8Array[] => Array.from({ length: count }, frame);
const seconds = (count: number): number => (count * 1152) / 44_100;

function tag(version: 3 | 4, ...named: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const size = (value: number): Uint8Array =>
    version === 4
      ? Uint8Array.of((value >> 21) & 127, (value >> 14) & 127, (value >> 7) & 127, value & 127)
      : Uint8Array.of(0, 0, value >> 8, value & 255);
  const body = join(named.map(([name, data]) => join([Buffer.from(name), size(data.length), new Uint8Array(2), data])));
  const whole = body.length;
  const length = Uint8Array.of((whole >> 21) & 127, (whole >> 14) & 127, (whole >> 7) & 127, whole & 127);
  return join([Buffer.from('ID3'), Uint8Array.of(version, 0, 0), length, body]);
}

describe('length', () => {
  test('follows from the bit rate', () => {
    expect(readMp3(join(frames(100))).durationSeconds).toBeCloseTo(seconds(100), 1);
  });
});

describe('comment', () => {
  const plain = (...head: number[]) => join([Uint8Array.of(...head), Buffer.from('Grüße.')]);

  test('in both encodings', () => {
    const forms: Readonly<Record<string, Uint8Array>> = {
      utf8: plain(3, 101, 110, 103, 0),
      latin: join([Uint8Array.of(0, 101, 110, 103, 0), Buffer.from('Grüße.', 'latin1')]),
    };
    for (const [name, form] of Object.entries(forms)) {
      for (const version of [3, 4] as const) {
        const file = join([tag(version, ['TIT2', Buffer.from('\0Title')], ['COMM', form]), ...frames(3)]);
        expect([name, readMp3(file).comment]).toEqual([name, 'Grüße.']);
      }
    }
  });

  test("a program's note is no spoken text", () => {
    const note = join([Uint8Array.of(0, 101, 110, 103), Buffer.from('iTunNORM\0 0001')]);
    expect(readMp3(join([tag(4, ['COMM', note]), ...frames(3)])).comment).toBeUndefined();
  });

  test('what we write is read back, beside a file of the right length', async () => {
    const text = `${'Ein längerer Satz – mit Gedankenstrich. '.repeat(30)}🎵`;
    const encoder = await mp3Encoder(text);
    const tone = Int16Array.from({ length: 48_000 }, (_, at) => 9_000 * Math.sin(at / 8));
    const facts = readMp3(join([encoder.add(tone), encoder.add(tone), encoder.end()]));
    expect(facts.comment).toBe(text);
    expect(Math.abs(facts.durationSeconds - 4)).toBeLessThan(0.15);
  });
});
