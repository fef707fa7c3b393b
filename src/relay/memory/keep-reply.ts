/** Keeps a reply before the client has its end: a client may refer to it at once, and at another replica. */

import { isObject } from '../../conversation/json-tree.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { Delivery, Passage } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import { noteReply } from './made-ids.ts';

/** Undefined where nothing is written. The ids in the reply are recorded with it. */
export function keepWhole(parts: RelayParts, attempt: Attempt, delivery: Delivery): Promise<void> | undefined {
  const { call, target, key } = attempt;
  const { reply, bytes, usage, remembering } = delivery;
  const noting = bothOf(remembering, noteReply(parts, attempt, reply));
  if (call.memory === undefined || !isObject(reply)) return noting;
  return bothOf(noting, call.memory.keep(target, key.id, reply, bytes.length, usage));
}

export function keepStreamed({ call, target, key }: Attempt, passage: Passage): Promise<void> | undefined {
  const { lastEvent, usage, remembering } = passage;
  if (call.memory === undefined || lastEvent === undefined) return remembering;
  const reply = call.memory.replyIn(lastEvent);
  if (reply === undefined) return remembering;
  return bothOf(remembering, call.memory.keep(target, key.id, reply, Buffer.byteLength(lastEvent), usage));
}

function bothOf(one: Promise<void> | undefined, other: Promise<void> | undefined): Promise<void> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Promise.all([one, other]).then(() => undefined);
}
