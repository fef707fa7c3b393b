/** Chinese words for the conversation in the playground and its wire panel. */

import type { Words } from '../en.ts';

export const playground: Words['playground'] = {};
