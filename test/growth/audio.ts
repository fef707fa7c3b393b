/** Rows of audio files that are made of nothing but the marks that a meter looks for. */

import { AudioMeter } from '../../src/operations/audio/audio-length.ts';
import { stepsOf } from './count-steps.ts';
import type { Row } from './row.ts';

const letters = (text: string): number[] => [...Buffer.from(text, 'latin1')];

/** How a file begins, and what follows again and again. */
const files: Readonly<Record<string, readonly [head: readonly number[], unit: readonly number[]]>> = {
  'movie boxes': [letters('\0\0\0\x10ftypisom\0\0\0\0'), [0, 0, 0, 16, ...letters('free'), 0, 0, 0, 0, 0, 0, 0, 0]],
  'the shortest movie boxes': [letters('\0\0\0\x10ftypisom\0\0\0\0'), [0, 0, 0, 8, ...letters('free')]],
  'FLAC heads': [letters('fLaC'), [0xff, 0xf8, 0x19, 0, 0, 0, 0, 0]],
  'FLAC marks': [letters('fLaC'), [0xff]],
  'WebM clusters': [
    [0x1a, 0x45, 0xdf, 0xa3],
    [0x1f, 0x43, 0xb6, 0x75, 0x81, 0xe7, 0x81, 1],
  ],
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
