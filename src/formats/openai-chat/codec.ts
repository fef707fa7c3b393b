/** The chat format to and from the neutral conversation. */

import type { Codec } from '../codec.ts';
import { readReply } from './read/reply.ts';
import { readRequest } from './read/request.ts';
import { streamReader } from './stream/reader.ts';
import { streamWriter } from './stream/writer.ts';
import { writeReply } from './write/reply.ts';
import { writeRequest } from './write/request.ts';

export const codec: Codec = {
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  streamReader,
  streamWriter,
  carries: { thinkingSeals: false, callSeals: false },
  rules: {
    // Services differ in the longest id they accept; every one accepts this many characters.
    callId: { pattern: /^.+$/s, charactersMax: 40 },
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, charactersMax: 64 },
    // Only the original service is known to accept them.
    freeformTools: 'refused',
    pairsCalls: true,
    resultsAreText: true,
    cacheMarks: 'where asked for',
    copied: true,
    userIdCharactersMax: 64,
  },
};
