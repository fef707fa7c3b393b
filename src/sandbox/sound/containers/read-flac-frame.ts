/** Reads one FLAC frame: its header, and for each channel a subframe of one of the four kinds. */

import type { BitReader } from './bits.ts';
import { fixedWeights, restoreSamples } from './flac-residual.ts';
import { unreadable } from './unreadable.ts';

export interface StreamFacts {
  readonly sampleRateHz: number;
  readonly channels: number;
  readonly bitsPerSample: number;
  readonly blockSamplesMax: number;
}

/** Two channels may be stored as one of them and their difference, which needs a bit more. */
const pairings = { leftSide: 8, sideRight: 9, midSide: 10 } as const;
const sampleSizes = [undefined, 8, 12, undefined, 16, 20, 24, 32] as const;

const damaged = (what: string): Error => unreadable(`The FLAC file is damaged: ${what}.`);

/** Fills one buffer per channel and says how many samples each got. */
export function readFrame(reader: BitReader, info: StreamFacts, buffers: readonly Float64Array[]): number {
  const { count, pairing, bitsPerSample } = readHeader(reader, info);
  for (const [channel, buffer] of buffers.entries()) {
    const isSide =
      (channel === 0 && pairing === pairings.sideRight) ||
      (channel === 1 && (pairing === pairings.leftSide || pairing === pairings.midSide));
    readSubframe(reader, buffer, count, bitsPerSample + (isSide ? 1 : 0));
  }
  if (pairing >= pairings.leftSide) separate(pairing, buffers, count);
  reader.alignToByte();
  return count;
}

interface FrameHeader {
  readonly count: number;
  readonly pairing: number;
  readonly bitsPerSample: number;
}

function readHeader(reader: BitReader, info: StreamFacts): FrameHeader {
  if (reader.read(15) !== 0b111_1111_1111_1100) throw damaged('a frame does not begin where it should');
  reader.read(1);
  const sizeCode = reader.read(4);
  const rateCode = reader.read(4);
  const pairing = reader.read(4);
  const depthCode = reader.read(3);
  reader.read(1);
  skipFrameNumber(reader);
  const count = readBlockSize(reader, sizeCode);
  if (rateCode === 15) throw damaged('a frame names no sampling rate');
  reader.read(rateCode === 12 ? 8 : rateCode > 12 ? 16 : 0);
  // The header's own check sum is covered by the frame's.
  reader.read(8);
  const channels = pairing < pairings.leftSide ? pairing + 1 : 2;
  if (channels !== info.channels || pairing > pairings.midSide)
    throw damaged('a frame has other channels than the file');
  if (count > info.blockSamplesMax) throw damaged('a frame is longer than the longest');
  const bitsPerSample = depthCode === 0 ? info.bitsPerSample : sampleSizes[depthCode];
  if (bitsPerSample === undefined) throw damaged('a frame names no sample size');
  return { count, pairing, bitsPerSample };
}

function readBlockSize(reader: BitReader, code: number): number {
  if (code === 0) throw damaged('a frame names no length');
  if (code === 1) return 192;
  if (code < 6) return 576 << (code - 2);
  if (code < 8) return reader.read(code === 6 ? 8 : 16) + 1;
  return 256 << (code - 8);
}

/** Written as UTF-8 writes a code point, up to seven bytes. */
function skipFrameNumber(reader: BitReader): void {
  const first = reader.read(8);
  for (let mask = 0x40; (first & 0x80) !== 0 && mask > 0 && (first & mask) !== 0; mask >>= 1) reader.read(8);
}

function readSubframe(reader: BitReader, samples: Float64Array, count: number, bitsStored: number): void {
  reader.read(1);
  const kind = reader.read(6);
  const wasted = reader.read(1) === 1 ? reader.readUnary() + 1 : 0;
  const bits = bitsStored - wasted;
  if (bits < 1) throw damaged('a subframe has no bits');
  if (kind === 0) samples.fill(reader.readSigned(bits), 0, count);
  else if (kind === 1) for (let at = 0; at < count; at++) samples[at] = reader.readSigned(bits);
  else if (kind >= 8 && kind <= 12) readFixed(reader, samples, count, bits, kind - 8);
  else if (kind >= 32) readLinear(reader, samples, count, bits, kind - 31);
  else throw damaged('a subframe is of no known kind');
  if (wasted > 0) for (let at = 0; at < count; at++) samples[at] = (samples[at] ?? 0) * 2 ** wasted;
}

function readWarmUp(reader: BitReader, samples: Float64Array, count: number, bits: number, order: number): void {
  if (order > count) throw damaged('a subframe is shorter than its predictor');
  for (let at = 0; at < order; at++) samples[at] = reader.readSigned(bits);
}

function readFixed(reader: BitReader, samples: Float64Array, count: number, bits: number, order: number): void {
  readWarmUp(reader, samples, count, bits, order);
  readResidual(reader, samples, count, order);
  restoreSamples(samples, count, fixedWeights[order] ?? [], 0);
}

function readLinear(reader: BitReader, samples: Float64Array, count: number, bits: number, order: number): void {
  readWarmUp(reader, samples, count, bits, order);
  const precision = reader.read(4) + 1;
  const shift = reader.readSigned(5);
  if (precision === 16 || shift < 0) throw damaged('a predictor is not possible');
  const weights = Array.from({ length: order }, () => reader.readSigned(precision));
  readResidual(reader, samples, count, order);
  restoreSamples(samples, count, weights, shift);
}

function readResidual(reader: BitReader, samples: Float64Array, count: number, order: number): void {
  const method = reader.read(2);
  if (method > 1) throw damaged('a residual is coded in no known way');
  const parameterBits = method === 0 ? 4 : 5;
  const partitions = 1 << reader.read(4);
  const partitionSamples = count / partitions;
  if (!Number.isInteger(partitionSamples) || partitionSamples < order) throw damaged('a residual is cut wrongly');
  for (let partition = 0; partition < partitions; partition++) {
    const from = partition === 0 ? order : partition * partitionSamples;
    const to = (partition + 1) * partitionSamples;
    const parameter = reader.read(parameterBits);
    if (parameter === (1 << parameterBits) - 1) {
      const bits = reader.read(5);
      for (let at = from; at < to; at++) samples[at] = reader.readSigned(bits);
    } else {
      const unit = 2 ** parameter;
      for (let at = from; at < to; at++) {
        const folded = reader.readUnary() * unit + reader.read(parameter);
        samples[at] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
      }
    }
  }
}

function separate(pairing: number, [first, second]: readonly Float64Array[], count: number): void {
  if (first === undefined || second === undefined) return;
  for (let at = 0; at < count; at++) {
    const a = first[at] ?? 0;
    const b = second[at] ?? 0;
    if (pairing === pairings.leftSide) second[at] = a - b;
    else if (pairing === pairings.sideRight) first[at] = a + b;
    else {
      const sum = a * 2 + (Math.abs(b) % 2);
      first[at] = (sum + b) / 2;
      second[at] = (sum - b) / 2;
    }
  }
}
