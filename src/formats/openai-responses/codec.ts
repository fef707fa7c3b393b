/** The responses format to and from the neutral conversation. */

import { LossList } from '../../conversation/loss-list.ts';
import type { Codec } from '../codec.ts';
import { asksToCompact } from './compaction/compacted-item.ts';
import { CompactingWriter, compactedReply } from './compaction/compaction.ts';
import { readReply } from './read/reply.ts';
import { readRequest } from './read/request.ts';
import { streamReader } from './stream/reader.ts';
import { streamWriter } from './stream/writer.ts';
import { writeInputPart } from './write/content.ts';
import { writeReply } from './write/reply.ts';
import { writeRequest } from './write/request.ts';

const callIdCharactersMax = 64;

export const codec: Codec = {
  readRequest,
  writeRequest,
  readReply,
  writeReply: (reply, context) =>
    writeReply(asksToCompact(context.request) ? compactedReply(reply, context) : reply, context),
  streamReader,
  streamWriter: (context) => {
    const writer = streamWriter(context);
    return asksToCompact(context.request) ? new CompactingWriter(writer, context) : writer;
  },
  holdsMedia: (part) => writeInputPart(part, '', new LossList()) !== undefined,
  // A reasoning item has a field for it, and clients give the item back; a function call has none.
  carries: { thinkingSeals: true, callSeals: false },
  rules: {
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, charactersMax: 64 },
    callId: { pattern: /^\S+$/, charactersMax: callIdCharactersMax },
    freeformTools: 'taken',
    namespaces: true,
    pairsCalls: true,
    modelMediaFollow: true,
    copied: true,
    userIdCharactersMax: 64,
  },
};
