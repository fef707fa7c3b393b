/** The content-generation format's codec: to and from the neutral conversation. */

import { LossList } from '../../conversation/loss-list.ts';
import type { Codec } from '../codec.ts';
import { readReply } from './read/reply.ts';
import { readRequest } from './read/request.ts';
import { streamReader } from './stream/reader.ts';
import { streamWriter } from './stream/writer.ts';
import { writeMedia } from './write/parts.ts';
import { writeReply } from './write/reply.ts';
import { writeRequest } from './write/request.ts';

export const codec: Codec = {
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  streamReader,
  streamWriter,
  holdsMedia: (part) => writeMedia(part, '', new LossList()) !== undefined,
  // Some clients drop thinking, some put the skip value in place of signatures.
  carries: { thinkingSeals: true, callSeals: true, unreliably: true },
  // Adjacent turns of one role are accepted, but a turn with calls must follow the user's and be answered at once.
  rules: {
    toolName: { pattern: /^[A-Za-z_][A-Za-z0-9_.:-]*$/, charactersMax: 128 },
    userFirst: true,
    instructionsFirst: true,
    pairsCalls: true,
  },
};
