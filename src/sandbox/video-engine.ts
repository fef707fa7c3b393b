/** The sandbox's videos: one thread draws them for the whole process, each sandbox remembers its own. */

import { createFilmThread } from './video/film-thread.ts';
import { createVideoDesk, type DeskOptions, type VideoDesk } from './video/video-desk.ts';

const thread = createFilmThread();

export function openVideoDesk(options: Omit<DeskOptions, 'thread'>): VideoDesk {
  return createVideoDesk({ ...options, thread });
}
