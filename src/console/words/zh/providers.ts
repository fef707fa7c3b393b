/** Chinese words for providers. */

import type { Words } from '../en.ts';

export const providers: Words['providers'] = {};
