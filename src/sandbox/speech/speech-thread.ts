/** The thread that speaks texts and reads audio files. */

import { WorkerThread, workerUrl } from '../../audio/worker-thread.ts';
import type { SpeechResult, SpeechTask } from './speech-tasks.ts';

export type SpeechThread = WorkerThread<SpeechTask, SpeechResult>;

export function createSpeechThread(): SpeechThread {
  return new WorkerThread({
    name: "the sandbox's speech thread",
    workerUrl: workerUrl('sandbox/speech/speech-worker.ts', import.meta.url),
    waitingMax: 256,
  });
}
