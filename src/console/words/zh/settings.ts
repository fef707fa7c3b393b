/** Chinese words for settings, people and the audit log. */

import type { Words } from '../en.ts';

export const settings: Words['settings'] = {};
