/** `POST /v1/responses/compact`: replaces the conversation of a responses request by a short one. */

import { openaiCompaction } from '../../formats/openai-responses/format.ts';
import { responses } from './responses.ts';
import type { TextEndpoint } from './text-endpoint.ts';

export const compact: TextEndpoint = { ...responses, path: '/v1/responses/compact', format: openaiCompaction };
