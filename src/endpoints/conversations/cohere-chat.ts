/** `POST /v2/chat`, the conversation endpoint of Cohere's libraries. */

import { cohereChat } from '../../formats/cohere-chat/format.ts';
import type { TextEndpoint } from './text-endpoint.ts';

export const cohereChatEndpoint: TextEndpoint = {
  name: 'cohere-chat',
  path: '/v2/chat',
  carriers: ['bearer'],
  format: cohereChat,
};
