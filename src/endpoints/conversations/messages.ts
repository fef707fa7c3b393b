/** `POST /v1/messages`; its tokens are counted below `count_tokens`. */

import { anthropicMessages } from '../../formats/anthropic-messages/format.ts';
import { checkVersion } from '../../formats/anthropic-messages/version.ts';
import type { TextEndpoint } from './text-endpoint.ts';

export const messages: TextEndpoint = {
  name: 'messages',
  path: '/v1/messages',
  carriers: ['bearer', 'x-api-key'],
  format: anthropicMessages,
  checkHead: checkVersion,
};
