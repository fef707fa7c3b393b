/** The thread that renders videos, one at a time. */

import { type ThreadOptions, WorkerThread } from '../../audio/worker-thread.ts';
import { threadUrl } from '../../program/places.ts';
import type { VideoPlan } from './video-plan.ts';

export type VideoThread = Pick<WorkerThread<VideoPlan, Uint8Array<ArrayBuffer>>, 'hasRoom' | 'run' | 'stop'>;

export function createVideoThread(options: Partial<ThreadOptions> = {}): VideoThread {
  return new WorkerThread({
    name: "the sandbox's video thread",
    workerUrl: threadUrl('sandbox/video/video-worker.ts'),
    silentMsMax: 30_000,
    waitingMax: 32,
    endsOnAbort: true,
    ...options,
  });
}

/** One thread for the whole process. */
export const videoThread = createVideoThread();
