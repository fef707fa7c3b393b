/** `POST /v1/chat/completions`. */

import { openaiChat } from '../../formats/openai-chat/format.ts';
import type { TextEndpoint } from './text-endpoint.ts';

export const chat: TextEndpoint = {
  name: 'chat',
  path: '/v1/chat/completions',
  carriers: ['bearer', 'api-key'],
  format: openaiChat,
};
