/** The thread that renders videos, one at a time. */

import { type ThreadOptions, WorkerThread } from '../../audio/worker-thread.ts';
import type { VideoPlan } from './video-plan.ts';

export type VideoThread = Pick<WorkerThread<VideoPlan, Uint8Array<ArrayBuffer>>, 'hasRoom' | 'run' | 'stop'>;

/** A worker's file lies beside this one; in the executable its path starts at the root. */
function workerUrl(): string {
  const path = Bun.isStandaloneExecutable ? './sandbox/video/video-worker.ts' : './video-worker.ts';
  return new URL(path, import.meta.url).href;
}

export function createVideoThread(options: Partial<ThreadOptions> = {}): VideoThread {
  return new WorkerThread({
    name: "the sandbox's video thread",
    workerUrl: workerUrl(),
    silentMsMax: 30_000,
    waitingMax: 32,
    endsOnAbort: true,
    ...options,
  });
}

/** One thread for the whole process. */
export const videoThread = createVideoThread();
