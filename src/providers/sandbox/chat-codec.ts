/** The chat format, put together for the sandbox. */

import { readRequest } from '../../formats/openai-chat/read-request.ts';
import { streamWriter } from '../../formats/openai-chat/stream-writer.ts';
import { asksForUsage, speaksLegacyFunctions, writeErrorBody } from '../../formats/openai-chat/wire.ts';
import { writeReply } from '../../formats/openai-chat/write-reply.ts';
import type { ConversationCodec } from './conversation-codec.ts';

export const chatCodec: ConversationCodec = {
  fault: (body) => {
    if (typeof body.model !== 'string') return 'model';
    return Array.isArray(body.messages) && body.messages.length > 0 ? undefined : 'messages';
  },
  read: (body) => readRequest(body).value,
  replyId: (id) => `chatcmpl-${id}`,
  write: (reply, body) => writeReply(reply, { legacyFunctions: speaksLegacyFunctions(body) }),
  streamWriter: (body) =>
    streamWriter({ includeUsage: asksForUsage(body), legacyFunctions: speaksLegacyFunctions(body) }),
  writeError: writeErrorBody,
  brokenEvent: 'data: {"id":"broken","choices":[{"index":0,"delta":{"content":"thi\n\n',
};
