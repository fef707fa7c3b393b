/** Speaks and listens on a thread of its own: both keep a processor busy for longer than any stream should wait. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { join, type SoundEncoder, speechRateHz } from './containers/sound-encoder.ts';
import { flacEncoder } from './containers/write-flac.ts';
import { loadMp3Library, mp3Encoder } from './containers/write-mp3.ts';
import { rawEncoder, waveEncoder } from './containers/write-wave.ts';
import { loadSpeechEngine, type SpeechEngine } from './engine.ts';
import { hear } from './hear.ts';
import { resample } from './resample.ts';
import type { EncodeTask, SayTask, SoundAnswer, SoundResult, SoundTask, WrittenFormat } from './sound-messages.ts';

declare const self: Worker;

const encoders = new Map<number, SoundEncoder>();
let engine: Promise<SpeechEngine> | undefined;

function loadedEngine(): Promise<SpeechEngine> {
  engine ??= loadSpeechEngine();
  return engine;
}

async function newEncoder(format: WrittenFormat, comment: string): Promise<SoundEncoder> {
  switch (format) {
    case 'mp3':
      return await mp3Encoder(comment);
    case 'flac':
      return flacEncoder(comment);
    case 'wav':
      return waveEncoder(comment);
    case 'pcm':
      return rawEncoder();
  }
}

async function say({ job, format, comment, text, voice, speed, last }: SayTask): Promise<SoundResult> {
  const encoder = encoders.get(job) ?? (await newEncoder(format, comment));
  encoders.set(job, encoder);
  const samples = await (await loadedEngine()).speak({ text, voice, speed });
  const bytes = encoder.add(samples);
  const seconds = samples.length / speechRateHz;
  if (!last) return { bytes, seconds };
  encoders.delete(job);
  return { bytes: join([bytes, encoder.end()]), seconds };
}

async function encode({ format, bytes, samplesPerSecond }: EncodeTask): Promise<SoundResult> {
  const encoder = await newEncoder(format, '');
  const samples = resample(samplesOf(bytes), samplesPerSecond, speechRateHz);
  return { bytes: join([encoder.add(samples), encoder.end()]) };
}

/** A copy, because samples of two bytes must begin at an even place; half a sample is none. */
function samplesOf(bytes: Uint8Array<ArrayBuffer>): Int16Array {
  return new Int16Array(bytes.slice(0, bytes.length & ~1).buffer);
}

async function perform(task: SoundTask): Promise<SoundResult> {
  switch (task.task) {
    case 'say':
      return await say(task);
    case 'prepare':
      await loadedEngine();
      if (task.format === 'mp3') await loadMp3Library();
      return {};
    case 'drop':
      encoders.delete(task.job);
      return {};
    case 'hear':
      return { facts: hear(task.bytes) };
    case 'encode':
      return await encode(task);
  }
}

function failure(error: unknown): SoundAnswer {
  if (!(error instanceof GatewayError)) {
    return { ok: false, code: 'internal_error', message: `The sandbox's sound failed: ${String(error)}`, param: '' };
  }
  return { ok: false, code: error.code, message: error.message, param: error.param };
}

self.onmessage = async ({ data }: MessageEvent<SoundTask>) => {
  let answer: SoundAnswer;
  try {
    answer = { ok: true, result: await perform(data) };
  } catch (error) {
    answer = failure(error);
  }
  const bytes = answer.ok ? answer.result.bytes : undefined;
  postMessage(answer, bytes === undefined ? [] : [bytes.buffer]);
};
