/** Events into a whole reply, for tests that compare whole replies. */

import { Folding } from '../../src/conversation/events/fold.ts';
import { errorOf } from '../../src/conversation/failure.ts';
import type { StreamEvent, TextReply } from '../../src/conversation/text-reply.ts';

/** A stream that failed has no whole reply: its failure is thrown. */
export function fold(events: Iterable<StreamEvent>): TextReply {
  const folding = new Folding();
  for (const event of events) folding.add(event);
  if (folding.failure !== undefined) throw errorOf(folding.failure);
  return folding.reply;
}
