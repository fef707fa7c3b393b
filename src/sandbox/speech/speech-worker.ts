/** The worker of the speech thread: speaks texts and reads audio files. */

import { type AudioEncoder, join, speechRateHz } from '../../audio/audio-encoder.ts';
import { createEncoder } from '../../audio/encoders.ts';
import { serveTasks } from '../../audio/serve-tasks.ts';
import { loadMp3Library } from '../../audio/write-mp3.ts';
import { readAudio } from './read-audio.ts';
import { loadSpeechEngine, type SpeechEngine } from './speech-engine.ts';
import type { SayTask, SpeechResult, SpeechTask } from './speech-tasks.ts';

const encoders = new Map<number, AudioEncoder>();
let engine: Promise<SpeechEngine> | undefined;

function loadedEngine(): Promise<SpeechEngine> {
  engine ??= loadSpeechEngine();
  return engine;
}

async function say({ job, format, comment, text, voice, speed, last }: SayTask): Promise<SpeechResult> {
  const encoder = encoders.get(job) ?? (await createEncoder(format, comment));
  encoders.set(job, encoder);
  const samples = await (await loadedEngine()).speak({ text, voice, speed });
  const bytes = encoder.add(samples);
  const seconds = samples.length / speechRateHz;
  if (!last) return { bytes, seconds };
  encoders.delete(job);
  return { bytes: join([bytes, encoder.end()]), seconds };
}

async function perform(task: SpeechTask): Promise<SpeechResult> {
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
    case 'read':
      return { facts: readAudio(task.bytes) };
  }
}

serveTasks(perform, ({ bytes }) => (bytes === undefined ? [] : [bytes.buffer]));
