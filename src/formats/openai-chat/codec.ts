/** The chat format to and from the neutral conversation. */

import { LossList } from '../../conversation/loss-list.ts';
import type { Codec } from '../codec.ts';
import { readReply } from './read/reply.ts';
import { readRequest } from './read/request.ts';
import { streamReader } from './stream/reader.ts';
import { streamWriter } from './stream/writer.ts';
import { writePart } from './write/parts.ts';
import { writeReply } from './write/reply.ts';
import { writeRequest } from './write/request.ts';

export const codec: Codec = {
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  streamReader,
  streamWriter,
  holdsMedia: (part) => writePart(part, '', { quirks: {}, profile: {}, losses: new LossList() }) !== undefined,
  carries: { thinkingSeals: false, callSeals: false },
  rules: {
    // Services differ in the longest id they accept; every one accepts this many characters.
    callId: { pattern: /^.+$/s, charactersMax: 40 },
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, charactersMax: 64 },
    // Only the original service is known to accept them.
    freeformTools: 'refused',
    pairsCalls: true,
    modelMediaFollow: true,
    resultsAreText: true,
    cacheMarks: 'where asked for',
    copied: true,
    userIdCharactersMax: 64,
  },
};
