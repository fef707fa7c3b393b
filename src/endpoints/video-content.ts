/** A task's video as a reply: from Weir's storage, whole or a range of it, or as the provider sends it. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { mediaHeaders, resultReply } from '../http/file-reply.ts';
import type { Reply } from '../http/reply.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import type { Content } from '../tasks/delivery/task-service.ts';

export async function contentReply(content: Content, headers: RequestHeaders): Promise<Reply> {
  if (content.kind === 'passing') {
    const { status, length, range, body, mediaType } = content;
    return new Response(body, {
      status,
      headers: {
        ...mediaHeaders(mediaType),
        ...(length !== undefined && { 'content-length': length }),
        ...(range !== undefined && { 'content-range': range }),
      },
    });
  }
  const reply = await resultReply(content, headers);
  if (reply === undefined) throw new GatewayError('not_found', 'The video no longer exists.');
  return reply;
}
