/** The thread that speaks texts and reads audio files. */

import { WorkerThread } from '../../audio/worker-thread.ts';
import { threadUrl } from '../../program/places.ts';
import type { SpeechResult, SpeechTask } from './speech-tasks.ts';

export type SpeechThread = WorkerThread<SpeechTask, SpeechResult>;

export function createSpeechThread(): SpeechThread {
  return new WorkerThread({
    name: "the sandbox's speech thread",
    workerUrl: threadUrl('sandbox/speech/speech-worker.ts'),
    waitingMax: 256,
  });
}
