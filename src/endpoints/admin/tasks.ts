/** `/console/api/tasks`: video tasks of the tokens that the account may see, and the videos themselves. */

import { taskStates } from '../../admin/usage/tasks.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Reply } from '../../http/reply.ts';
import { contentReply } from '../video-content.ts';
import { type AdminEndpoint, type AdminParts, type SignedInCall, signedIn } from './admin-route.ts';
import { limitOf, oneOf, textOf } from './query.ts';

export const taskEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/tasks', ({ actor, query }, { admin }) =>
    admin.tasks.list(actor, {
      filter: {
        state: oneOf(query, 'state', taskStates),
        model: textOf(query, 'model'),
        tokenId: textOf(query, 'token'),
        unitId: textOf(query, 'project') ?? textOf(query, 'team'),
      },
      limit: limitOf(query),
      after: textOf(query, 'after'),
    }),
  ),
  signedIn('GET /console/api/tasks/{id}/videos/{index}', video),
];

/** A page plays it; opened directly, nothing in it may run. */
const videoPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

async function video({ actor, exchange, params }: SignedInCall, { admin, videos }: AdminParts): Promise<Reply> {
  const index = /^\d{1,4}$/.test(params['index'] ?? '') ? Number(params['index']) : -1;
  const task = await videos.find(params['id'] ?? '');
  if (!(await admin.tokens.maySee(actor, task.tokenId))) throw new GatewayError('not_found', 'Task not found.');
  const { headers, signal } = exchange.request;
  // Weir sends no ETag or date, so a conditional range is ignored.
  const range = headers.has('if-range') ? null : headers.get('range');
  const content = await videos.openContent(task, index, range, signal);
  const reply = await contentReply(content, headers);
  reply.headers.set('content-security-policy', videoPolicy);
  return reply;
}
