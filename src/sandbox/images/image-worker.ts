/** The worker of the image thread: a large image takes most of a second. */

import { serveTasks } from '../../audio/serve-tasks.ts';
import { runImageJob } from './image-job.ts';

serveTasks(runImageJob);
