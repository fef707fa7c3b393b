/** Chinese words for signing in, set-up and the account. */

import type { Words } from '../en.ts';

export const session: Words['session'] = {};
