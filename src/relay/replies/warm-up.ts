/** The reply to a request that asks for no output: empty, complete, free, and a base for later requests. */

import type { StreamEvent } from '../../conversation/text-reply.ts';
import type { Format, Tree } from '../../formats/format.ts';

interface WarmUp {
  /** The id by which a later request refers to this one. */
  readonly id: string;
  readonly events: string;
}

export function warmUpEvents(
  format: Format,
  request: Tree,
  { nowMs, newId }: { readonly nowMs: number; newId(prefix: string): string },
): WarmUp {
  // Only its connection remembers it, whatever it asked for.
  const echoed = format.memory?.unkept(request) ?? request;
  const writer = format.codec.streamWriter({ request: echoed, nowMs, newId });
  const model = typeof request['model'] === 'string' ? request['model'] : '';
  const events: readonly StreamEvent[] = [
    { type: 'reply-start', id: '', model, createdAtMs: nowMs },
    { type: 'candidate-end', candidate: 0, finish: { reason: 'stop' } },
    { type: 'usage', usage: { input: { total: 0 }, output: { total: 0 } } },
    { type: 'reply-end' },
  ];
  let last = '';
  let text = '';
  for (const event of events) {
    last = writer.write(event);
    text += last;
  }
  const reply = format.memory?.replyIn(last);
  return { id: (reply && format.memory?.idOf(reply)) ?? '', events: text };
}
