/** `POST /v1/responses`. */

import { openaiResponses } from '../../formats/openai-responses/format.ts';
import type { TextEndpoint } from './text-endpoint.ts';

export const responses: TextEndpoint = {
  name: 'responses',
  path: '/v1/responses',
  carriers: ['bearer', 'api-key'],
  format: openaiResponses,
};
