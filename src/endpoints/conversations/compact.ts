/** `POST /v1/responses/compact`: the conversation of a responses request becomes a short stand-in for it. */

import { openaiCompaction } from '../../formats/openai-responses/format.ts';
import { responses } from './responses.ts';
import type { TextEndpoint } from './text-endpoint.ts';

export const compact: TextEndpoint = { ...responses, path: '/v1/responses/compact', format: openaiCompaction };
