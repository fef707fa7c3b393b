/** Chinese words for models, routes and prices. */

import type { Words } from '../en.ts';

export const models: Words['models'] = {};
