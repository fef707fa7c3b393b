/** The thread that renders videos, one at a time. */

import { type ThreadOptions, WorkerThread, workerUrl } from '../../audio/worker-thread.ts';
import type { VideoPlan } from './video-plan.ts';

export type VideoThread = Pick<WorkerThread<VideoPlan, Uint8Array<ArrayBuffer>>, 'hasRoom' | 'run' | 'stop'>;

export function createVideoThread(options: Partial<ThreadOptions> = {}): VideoThread {
  return new WorkerThread({
    name: "the sandbox's video thread",
    workerUrl: workerUrl('sandbox/video/video-worker.ts', import.meta.url),
    silentMsMax: 30_000,
    waitingMax: 32,
    endsOnAbort: true,
    ...options,
  });
}

/** One thread for the whole process. */
export const videoThread = createVideoThread();
