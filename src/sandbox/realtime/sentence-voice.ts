/** Speaks sentence by sentence for many conversations at once: few wait for the thread at a time, and what was said before is remembered. */

import { Buffer } from 'node:buffer';
import type { Speaker } from '../speech/speak.ts';
import type { Voice } from './answer.ts';

/** The thread does one thing at a time and refuses a long queue; the rest waits here, in its order. */
const atWorkMax = 4;
/** About a minute and a half of speech: the sandbox says the same things to everybody. */
const rememberedSamplesMax = 2_000_000;

export function sentenceVoice(speaker: Pick<Speaker, 'speak'>): Voice {
  const remembered = new Map<string, Int16Array>();
  const beingSaid = new Map<string, Promise<Int16Array>>();
  const waiting: (() => void)[] = [];
  let atWork = 0;
  let samples = 0;

  function remember(key: string, speech: Int16Array): void {
    if (speech.length > rememberedSamplesMax / 4) return;
    remembered.set(key, speech);
    samples += speech.length;
    for (const [oldest, old] of remembered) {
      if (samples <= rememberedSamplesMax) return;
      remembered.delete(oldest);
      samples -= old.length;
    }
  }

  async function speak(text: string, voice: string, speed: number): Promise<Int16Array> {
    if (atWork >= atWorkMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else atWork++;
    try {
      const { pieces } = await speaker.speak({ text, voice, speed, format: 'pcm' });
      const chunks: Uint8Array[] = [];
      for await (const piece of pieces) chunks.push(piece);
      return samplesOf(Buffer.concat(chunks));
    } finally {
      // The place goes to the next in line, so that nobody slips in between.
      const next = waiting.shift();
      if (next === undefined) atWork--;
      else next();
    }
  }

  return {
    async say(text, voice, speed) {
      const key = `${voice} ${speed} ${text}`;
      const known = remembered.get(key);
      if (known !== undefined) {
        // The last one asked for is the last one forgotten.
        remembered.delete(key);
        remembered.set(key, known);
        return known;
      }
      const running = beingSaid.get(key);
      if (running !== undefined) return running;
      const saying = speak(text, voice, speed);
      beingSaid.set(key, saying);
      try {
        const speech = await saying;
        remember(key, speech);
        return speech;
      } finally {
        beingSaid.delete(key);
      }
    },
  };
}

function samplesOf(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length >> 1);
  for (let index = 0; index < samples.length; index++) samples[index] = bytes.readInt16LE(index * 2);
  return samples;
}
