/** Chinese words for video tasks. */

import type { Words } from '../en.ts';

export const tasks: Words['tasks'] = {};
