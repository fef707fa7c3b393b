/** Reads a WAV file's comment and when its audio is not silent. */

import { type AudioFacts, commentText } from './audio-facts.ts';
import { unreadable } from './unreadable.ts';
import { LoudnessMeter } from './voice-activity.ts';
import { chunksOf, findChunk, type WaveFormat, waveFormat } from './wave-chunks.ts';

const sampleRateHzMin = 1_000;
const sampleRateHzMax = 768_000;
const channelsMax = 64;

export function readWave(bytes: Uint8Array): AudioFacts {
  const formatChunk = findChunk(bytes, 'fmt ');
  if (formatChunk === undefined) throw unreadable('The WAV file does not describe its audio.');
  const format = waveFormat(formatChunk);
  const { channels, sampleRateHz, bitsPerSample } = format;
  if (sampleRateHz < sampleRateHzMin || sampleRateHz > sampleRateHzMax || channels < 1 || channels > channelsMax) {
    throw unreadable(`The WAV file claims ${channels} channels at ${sampleRateHz} Hz, which is impossible.`);
  }
  const read = sampleReader(format);
  const data = findChunk(bytes, 'data');
  if (data === undefined) throw unreadable('The WAV file holds no audio.');
  const bytesPerSample = bitsPerSample / 8;
  const samples = Math.floor(data.length / (bytesPerSample * channels));
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const meter = new LoudnessMeter(sampleRateHz, channels);
  const end = samples * channels * bytesPerSample;
  for (let at = 0; at < end; at += bytesPerSample) meter.add(read(view, at));
  return {
    container: 'WAV',
    durationSeconds: samples / sampleRateHz,
    intervals: meter.intervals(),
    comment: findComment(bytes),
  };
}

type SampleReader = (view: DataView, at: number) => number;

function sampleReader({ encoding, bitsPerSample }: WaveFormat): SampleReader {
  if (encoding === 'float') {
    if (bitsPerSample === 32) return (view, at) => view.getFloat32(at, true);
    if (bitsPerSample === 64) return (view, at) => view.getFloat64(at, true);
  } else {
    if (bitsPerSample === 8) return (view, at) => (view.getUint8(at) - 128) / 128;
    if (bitsPerSample === 16) return (view, at) => view.getInt16(at, true) / 32_768;
    if (bitsPerSample === 24) {
      return (view, at) => (view.getUint8(at) | (view.getInt16(at + 1, true) << 8)) / 8_388_608;
    }
    if (bitsPerSample === 32) return (view, at) => view.getInt32(at, true) / 2_147_483_648;
  }
  throw unreadable(`The WAV file has ${bitsPerSample}-bit ${encoding} samples. Send 8, 16, 24 or 32 bits, or float.`);
}

function findComment(bytes: Uint8Array): string | undefined {
  for (const [name, contents] of chunksOf(bytes)) {
    if (name !== 'LIST' || String.fromCharCode(...contents.subarray(0, 4)) !== 'INFO') continue;
    for (const [field, text] of chunksOf(contents, 4)) if (field === 'ICMT') return commentText(text);
  }
  return undefined;
}
