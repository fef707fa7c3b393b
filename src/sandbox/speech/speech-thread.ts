/** The thread that speaks texts and reads audio files. */

import { WorkerThread } from '../../audio/worker-thread.ts';
import type { SpeechResult, SpeechTask } from './speech-tasks.ts';

export type SpeechThread = WorkerThread<SpeechTask, SpeechResult>;

/** A worker's file lies beside this one; in the executable its path starts at the root. */
function workerUrl(): string {
  const path = Bun.isStandaloneExecutable ? './sandbox/speech/speech-worker.ts' : './speech-worker.ts';
  return new URL(path, import.meta.url).href;
}

export function createSpeechThread(): SpeechThread {
  return new WorkerThread({ name: "the sandbox's speech thread", workerUrl: workerUrl(), waitingMax: 256 });
}
