/** Chinese words for the list of requests and one request’s story. */

import type { Words } from '../en.ts';

export const requests: Words['requests'] = {};
