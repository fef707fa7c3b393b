/** The worker of the video thread. */

import { serveTasks } from '../../audio/serve-tasks.ts';
import { renderVideo } from './render-video.ts';
import type { VideoPlan } from './video-plan.ts';

serveTasks<VideoPlan, Uint8Array<ArrayBuffer>>(
  (plan, progress) => renderVideo(plan, progress),
  ({ buffer }) => [buffer],
);
