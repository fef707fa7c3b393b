/** Synthesizes sentences for many sessions: few jobs wait for the thread at a time, and recent results are cached. */

import { Buffer } from 'node:buffer';
import type { Speaker } from '../speech/speak.ts';
import type { Voice } from './answer.ts';

/** The thread's queue is bounded; further sentences wait here in order. */
const jobsMax = 4;
/** About 90 seconds of speech: sessions often repeat the same sentences. */
const cachedSamplesMax = 2_000_000;

export function sentenceVoice(speaker: Pick<Speaker, 'speak'>): Voice {
  const cached = new Map<string, Int16Array>();
  const pending = new Map<string, Promise<Int16Array>>();
  const waiting: (() => void)[] = [];
  let jobs = 0;
  let samples = 0;

  function cache(key: string, speech: Int16Array): void {
    if (speech.length > cachedSamplesMax / 4) return;
    cached.set(key, speech);
    samples += speech.length;
    for (const [oldest, old] of cached) {
      if (samples <= cachedSamplesMax) return;
      cached.delete(oldest);
      samples -= old.length;
    }
  }

  async function speak(text: string, voice: string, speed: number): Promise<Int16Array> {
    if (jobs >= jobsMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else jobs++;
    try {
      const { pieces } = await speaker.speak({ text, voice, speed, format: 'pcm' });
      const chunks: Uint8Array[] = [];
      for await (const piece of pieces) chunks.push(piece);
      return samplesOf(Buffer.concat(chunks));
    } finally {
      // The slot goes to the next in the queue.
      const next = waiting.shift();
      if (next === undefined) jobs--;
      else next();
    }
  }

  return {
    async say(text, voice, speed) {
      const key = `${voice} ${speed} ${text}`;
      const known = cached.get(key);
      if (known !== undefined) {
        // Least recently used entries are removed first.
        cached.delete(key);
        cached.set(key, known);
        return known;
      }
      const running = pending.get(key);
      if (running !== undefined) return running;
      const saying = speak(text, voice, speed);
      pending.set(key, saying);
      try {
        const speech = await saying;
        cache(key, speech);
        return speech;
      } finally {
        pending.delete(key);
      }
    },
  };
}

function samplesOf(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length >> 1);
  for (let index = 0; index < samples.length; index++) samples[index] = bytes.readInt16LE(index * 2);
  return samples;
}
