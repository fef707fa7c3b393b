/** Chinese words for the overview. */

import type { Words } from '../en.ts';

export const overview: Words['overview'] = {};
