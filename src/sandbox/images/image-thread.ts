/** The thread that draws, edits and shrinks images. */

import { type ThreadOptions, WorkerThread } from '../../audio/worker-thread.ts';
import { threadUrl } from '../../program/places.ts';
import type { ImageJob, ImageResult, ThumbnailJob } from './image-job.ts';
import type { Thumbnail } from './thumbnail.ts';

export interface ImageThread {
  /** Rejects with the signal's reason when it is aborted. */
  run(job: ImageJob, signal?: AbortSignal): Promise<ImageResult>;
  thumbnail(url: string, param: string): Promise<Thumbnail>;
  stop(): void;
}

export function createImageThread(options: Partial<ThreadOptions> = {}): ImageThread {
  const thread = new WorkerThread<ImageJob | ThumbnailJob, ImageResult | Thumbnail>({
    name: "the sandbox's image thread",
    workerUrl: threadUrl('sandbox/images/image-worker.ts'),
    silentMsMax: 30_000,
    ...options,
  });
  return {
    run: (job, signal) => thread.run(job, { signal }) as Promise<ImageResult>,
    thumbnail: (url, param) => thread.run({ kind: 'thumbnail', url, param }) as Promise<Thumbnail>,
    stop: () => thread.stop(),
  };
}

/** One thread for the whole process. */
export const imageThread = createImageThread();
