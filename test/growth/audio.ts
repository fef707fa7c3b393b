/** Rows of audio files that are made of nothing but the marks that a meter looks for. */

import { AudioMeter } from '../../src/operations/audio/length/audio-length.ts';
import { stepsOf } from './count-steps.ts';
import type { Row } from './row.ts';

const letters = (text: string): number[] => [...Buffer.from(text, 'latin1')];

/** The head of a box; without a length it reaches to the end of the file. */
const open = (name: string, bytes = 0): number[] => [0, 0, 0, bytes, ...letters(name)];
const movie = [...letters('\0\0\0\x10ftypisom\0\0\0\0'), ...open('moov')];
const webm = [0x1a, 0x45, 0xdf, 0xa3, 0x80];

/** How a file begins, and what follows again and again. */
const files: Readonly<Record<string, readonly [head: readonly number[], unit: readonly number[]]>> = {
  'movie boxes': [letters('\0\0\0\x10ftypisom\0\0\0\0'), [0, 0, 0, 16, ...letters('free'), 0, 0, 0, 0, 0, 0, 0, 0]],
  'the shortest movie boxes': [letters('\0\0\0\x10ftypisom\0\0\0\0'), [0, 0, 0, 8, ...letters('free')]],
  'movie tracks': [movie, open('trak', 8)],
  'times of samples': [
    [...movie, ...['trak', 'mdia', 'minf', 'stbl', 'stts'].flatMap((name) => open(name)), 0, 0, 0, 0, 127, 0, 0, 0],
    [0, 0, 0, 1, 0, 0, 4, 0],
  ],
  'parts that are played': [
    [...movie, ...['trak', 'edts', 'elst'].flatMap((name) => open(name)), 0, 0, 0, 0, 127, 0, 0, 0],
    [0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0],
  ],
  'movie fragments': [
    movie,
    [...open('moof', 52), ...open('traf', 44), ...open('tfhd', 16), 0, 0, 0, 0, 0, 0, 0, 1].concat(
      open('trun', 20),
      [0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 4, 0],
    ),
  ],
  'FLAC heads': [letters('fLaC'), [0xff, 0xf8, 0x19, 0, 0, 0, 0, 0]],
  'FLAC marks': [letters('fLaC'), [0xff]],
  'WebM clusters': [
    [0x1a, 0x45, 0xdf, 0xa3],
    [0x1f, 0x43, 0xb6, 0x75, 0x81, 0xe7, 0x81, 1],
  ],
  'WebM groups of unknown size': [webm, [0x1f, 0x43, 0xb6, 0x75, 0xff]],
  'WebM tracks': [webm, [0xae, 0x83, 0xd7, 0x81, 1]],
  'WebM blocks': [webm, [0xa3, 0x86, 0x81, 0, 0, 0x80, 0x78, 0xff]],
  'Ogg pages': [letters('OggS'), [...letters('OggS'), ...new Array<number>(24).fill(0)]],
  'WAVE chunks': [letters('RIFF\0\0\0\0WAVE'), [...letters('junk'), 0, 0, 0, 0]],
  'MP3 frames': [
    [0xff, 0xfb, 0x90, 0],
    [0xff, 0xfb, 0x90, 0],
  ],
  'a tag': [letters('ID3\x04\0\0'), letters('TXXX')],
  nothing: [[0], [0]],
};
const bytesPerCount = 1_024;
const pieceBytes = 16_384;

export function* audioRows(): Generator<Row> {
  for (const [name, [head, unit]] of Object.entries(files))
    yield {
      name: `audio: ${name}`,
      inputOf: (count) =>
        new Uint8Array(count * bytesPerCount).map((_, at) => head[at] ?? unit[(at - head.length) % unit.length] ?? 0),
      run(input, stages) {
        const file = input as Uint8Array;
        const meter = new AudioMeter(file.length);
        stages['take'] = stepsOf(() => {
          for (let at = 0; at < file.length && meter.wantsMore; at += pieceBytes)
            meter.take(file.subarray(at, at + pieceBytes));
        });
        stages['length'] = stepsOf(() => meter.length);
      },
    };
}
