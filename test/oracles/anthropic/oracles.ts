/** Anthropic Messages and Models APIs: which replies are validated against them. https://platform.claude.com/docs/en/api/messages (read 2026-11-16) */

import { endsWithPath, type Oracle, type OracleRequest } from '../oracle.ts';
import { orderFault, streamEvent } from './events.ts';
import { errorReply, message, tokenCount } from './messages.ts';
import { model, modelPage } from './models.ts';

/** The header by which a client selects models in this shape (docs/addresses.md). */
const asked = ({ method, headers }: OracleRequest): boolean => method === 'GET' && headers.has('anthropic-version');

export const anthropicOracles: readonly Oracle[] = [
  {
    name: 'anthropic count_tokens',
    matches: endsWithPath('POST', 'messages/count_tokens'),
    reply: tokenCount,
    error: errorReply,
  },
  {
    name: 'anthropic messages',
    matches: endsWithPath('POST', 'messages'),
    reply: message,
    event: streamEvent,
    orderFault,
    error: errorReply,
  },
  {
    name: 'anthropic model list',
    matches: (request) => asked(request) && /(^|\/)models$/.test(request.path) && !request.path.includes('/v1beta/'),
    reply: modelPage,
    error: errorReply,
  },
  {
    name: 'anthropic model',
    matches: (request) => asked(request) && /^\/v1\/models\/[^:]+$/.test(request.path),
    reply: model,
    error: errorReply,
  },
];
