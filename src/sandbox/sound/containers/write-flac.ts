/** Writes speech as FLAC: whole blocks, each predicted from its own past, with the spoken text in the comment block. */

import { BitWriter } from './bits.ts';
import { checksum8, checksum16 } from './checksums.ts';
import { predictorResidual } from './flac-residual.ts';
import { join, type SoundEncoder, sampleBytes, speechRateHz, withHeader } from './sound-encoder.ts';

const blockSamples = 4096;
const bitsPerSample = 16;
const fixedOrderMax = 4;
const partitionOrderMax = 5;
/** Fifteen would announce plain numbers instead of coded ones. */
const riceParameterMax = 14;
const metadata = { streamInfo: 0, vorbisComment: 4, last: 0x80 } as const;

export function flacEncoder(comment: string): SoundEncoder {
  const digest = new Bun.CryptoHasher('md5');
  const body = frameEncoder();
  const digesting: SoundEncoder = {
    add(samples) {
      digest.update(sampleBytes(samples));
      return body.add(samples);
    },
    end: body.end,
  };
  return withHeader(digesting, (samples) =>
    join([
      new TextEncoder().encode('fLaC'),
      streamInfo(samples, samples === undefined ? new Uint8Array(16) : digest.digest()),
      commentBlock(comment),
    ]),
  );
}

/** All frames but the last hold equally many samples, so the rest of a piece waits for the next one. */
function frameEncoder(): SoundEncoder {
  let waiting = new Int16Array();
  let frameNumber = 0;
  return {
    add(samples) {
      const all = new Int16Array(waiting.length + samples.length);
      all.set(waiting);
      all.set(samples, waiting.length);
      const frames: Uint8Array[] = [];
      let at = 0;
      for (; at + blockSamples <= all.length; at += blockSamples) {
        frames.push(writeFrame(all.subarray(at, at + blockSamples), frameNumber++));
      }
      waiting = all.slice(at);
      return join(frames);
    },
    end() {
      return waiting.length === 0 ? new Uint8Array() : join([writeFrame(waiting, frameNumber)]);
    },
  };
}

function block(type: number, contents: Uint8Array): Uint8Array {
  const { length } = contents;
  return join([Uint8Array.of(type, length >>> 16, (length >>> 8) & 0xff, length & 0xff), contents]);
}

/** A total of zero and an empty digest mean that they were not known when the header left. */
function streamInfo(samples: number | undefined, digest: Uint8Array): Uint8Array {
  const writer = new BitWriter(34);
  writer.write(blockSamples, 16);
  writer.write(blockSamples, 16);
  writer.write(0, 24);
  writer.write(0, 24);
  writer.write(speechRateHz, 20);
  writer.write(0, 3);
  writer.write(bitsPerSample - 1, 5);
  writer.write(0, 12);
  writer.write((samples ?? 0) >>> 16, 8);
  writer.write((samples ?? 0) & 0xffff, 16);
  return block(metadata.streamInfo, join([writer.bytes(), digest]));
}

function commentBlock(comment: string): Uint8Array {
  const counted = (text: string): Uint8Array => {
    const bytes = new TextEncoder().encode(text);
    return join([littleWord(bytes.length), bytes]);
  };
  const contents = join([counted('weir sandbox'), littleWord(1), counted(`COMMENT=${comment}`)]);
  return block(metadata.vorbisComment | metadata.last, contents);
}

function littleWord(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}

function writeFrame(samples: Int16Array, frameNumber: number): Uint8Array {
  const writer = new BitWriter(samples.length * 2 + 32);
  const whole = samples.length === blockSamples;
  writer.write(0x3ffe, 14);
  writer.write(0, 2);
  writer.write(whole ? 12 : 7, 4);
  // 24 kHz; one channel; 16 bits.
  writer.write(7, 4);
  writer.write(0, 4);
  writer.write(4, 3);
  writer.write(0, 1);
  writeFrameNumber(writer, frameNumber);
  if (!whole) writer.write(samples.length - 1, 16);
  writer.write(checksum8(writer.bytes()), 8);
  writeSubframe(writer, samples);
  writer.fillByte();
  writer.write(checksum16(writer.bytes()), 16);
  return writer.bytes();
}

/** As UTF-8 writes a code point; speech never reaches the longer forms. */
function writeFrameNumber(writer: BitWriter, value: number): void {
  if (value < 0x80) {
    writer.write(value, 8);
  } else if (value < 0x800) {
    writer.write(0xc0 | (value >>> 6), 8);
    writer.write(0x80 | (value & 0x3f), 8);
  } else {
    writer.write(0xe0 | ((value >>> 12) & 0x0f), 8);
    writer.write(0x80 | ((value >>> 6) & 0x3f), 8);
    writer.write(0x80 | (value & 0x3f), 8);
  }
}

function writeSubframe(writer: BitWriter, samples: Int16Array): void {
  const { order, residual } = bestPrediction(samples);
  const coding = bestPartitioning(residual, order);
  if (coding.bits + order * bitsPerSample >= samples.length * bitsPerSample) {
    writer.write(0b00000010, 8);
    for (const sample of samples) writer.write(sample, bitsPerSample);
    return;
  }
  writer.write((0b001000 | order) << 1, 8);
  for (const sample of samples.subarray(0, order)) writer.write(sample, bitsPerSample);
  writer.write(0, 2);
  writer.write(coding.partitionOrder, 4);
  const partitionSamples = residual.length >>> coding.partitionOrder;
  for (const [partition, parameter] of coding.parameters.entries()) {
    writer.write(parameter, 4);
    const from = partition === 0 ? order : partition * partitionSamples;
    for (let at = from; at < (partition + 1) * partitionSamples; at++) {
      const folded = foldSign(residual[at] ?? 0);
      writer.writeUnary(folded >>> parameter);
      if (parameter > 0) writer.write(folded, parameter);
    }
  }
}

function bestPrediction(samples: Int16Array): { order: number; residual: Int32Array } {
  let best = { order: 0, residual: predictorResidual(samples, 0) };
  let bestSum = Number.POSITIVE_INFINITY;
  for (let order = 0; order <= Math.min(fixedOrderMax, samples.length - 1); order++) {
    const residual = predictorResidual(samples, order);
    let sum = 0;
    for (let at = order; at < residual.length; at++) sum += Math.abs(residual[at] ?? 0);
    if (sum >= bestSum) continue;
    best = { order, residual };
    bestSum = sum;
  }
  return best;
}

interface Partitioning {
  readonly partitionOrder: number;
  readonly parameters: readonly number[];
  readonly bits: number;
}

function bestPartitioning(residual: Int32Array, order: number): Partitioning {
  let best: Partitioning | undefined;
  for (let partitionOrder = 0; partitionOrder <= partitionOrderMax; partitionOrder++) {
    const partitionSamples = residual.length >>> partitionOrder;
    const divides = partitionSamples << partitionOrder === residual.length;
    if (partitionOrder > 0 && (!divides || partitionSamples <= order)) break;
    const candidate = partition(residual, order, partitionOrder);
    if (best === undefined || candidate.bits < best.bits) best = candidate;
  }
  return best ?? partition(residual, order, 0);
}

function partition(residual: Int32Array, order: number, partitionOrder: number): Partitioning {
  const partitionSamples = residual.length >>> partitionOrder;
  const parameters: number[] = [];
  let bits = 6;
  for (let start = 0; start < residual.length; start += partitionSamples) {
    const from = Math.max(start, order);
    const count = start + partitionSamples - from;
    let sum = 0;
    for (let at = from; at < start + partitionSamples; at++) sum += foldSign(residual[at] ?? 0);
    const mean = count === 0 ? 0 : sum / count;
    const parameter = Math.max(0, Math.min(riceParameterMax, Math.floor(Math.log2(Math.max(mean * Math.LN2, 1)))));
    parameters.push(parameter);
    bits += 4 + count * (parameter + 1);
    for (let at = from; at < start + partitionSamples; at++) bits += foldSign(residual[at] ?? 0) >>> parameter;
  }
  return { partitionOrder, parameters, bits };
}

/** Small numbers of either sign become small numbers. */
function foldSign(value: number): number {
  return (value << 1) ^ (value >> 31);
}
