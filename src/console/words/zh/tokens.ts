/** Chinese words for tokens. */

import type { Words } from '../en.ts';

export const tokens: Words['tokens'] = {};
