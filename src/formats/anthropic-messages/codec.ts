/** The messages format to and from the neutral conversation. */

import { LossList } from '../../conversation/loss-list.ts';
import type { Codec } from '../codec.ts';
import { readReply } from './read/reply.ts';
import { readRequest } from './read/request.ts';
import { MessagesStreamReader } from './stream/reader.ts';
import { MessagesStreamWriter } from './stream/writer.ts';
import { writeMedia } from './write/media.ts';
import { writeReply } from './write/reply.ts';
import { writeRequest } from './write/request.ts';

export const codec: Codec = {
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  streamReader: (context) => new MessagesStreamReader(context),
  streamWriter: (context) => new MessagesStreamWriter(context),
  holdsMedia: (part) => writeMedia(part, '', new LossList()) !== undefined,
  carries: { thinkingSeals: true, callSeals: false },
  rules: {
    callId: { pattern: /^[a-zA-Z0-9_-]+$/, charactersMax: 64 },
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, charactersMax: 128 },
    alternates: true,
    userFirst: true,
    // Newer models accept instructions in mid-conversation, but older ones refuse the whole request for them.
    instructionsFirst: true,
    pairsCalls: true,
    modelMediaFollow: true,
    rejectsBlankText: true,
    cacheMarks: 'always',
    lacksJsonMode: true,
  },
};
