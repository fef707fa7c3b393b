/** Chinese words for the playground’s other operations. */

import type { Words } from '../en.ts';

export const operations: Words['operations'] = {};
