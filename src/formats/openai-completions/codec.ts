/** The legacy completion format to and from the neutral conversation. */

import type { Codec } from '../codec.ts';
import { readReply } from './read-reply.ts';
import { readRequest } from './read-request.ts';
import { streamReader } from './stream-reader.ts';
import { streamWriter } from './stream-writer.ts';
import { writeReply } from './write-reply.ts';
import { writeRequest } from './write-request.ts';

export const codec: Codec = {
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  streamReader,
  streamWriter,
  holdsMedia: () => false,
  carries: { thinkingSeals: false, callSeals: false },
  rules: { userIdCharactersMax: 64 },
};
