/** `POST /v1/completions`, the legacy endpoint before chat. */

import { openaiCompletions } from '../../formats/openai-completions/format.ts';
import type { TextEndpoint } from './text-endpoint.ts';

export const completions: TextEndpoint = {
  name: 'completions',
  path: '/v1/completions',
  carriers: ['bearer', 'api-key'],
  format: openaiCompletions,
};
