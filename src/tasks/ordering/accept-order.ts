/** A provider accepted an order: its ticket is stored, and the caller gets the task. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Reply } from '../../http/reply.ts';
import type { VideoTicket } from '../../operations/video.ts';
import type { WireReply } from '../../operations/wire.ts';
import type { Attempt } from '../../relay/attempts/attempt.ts';
import { notAReply, readOrFail } from '../../relay/attempts/unreadable-reply.ts';
import { readWire } from '../../relay/operations/read-wire.ts';
import { replyHeaders } from '../../relay/replies/reply-headers.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import { isOpen, type Task } from '../task.ts';
import type { TaskStep, TaskStore } from '../task-store.ts';
import type { OrderCall, OrderParts } from './order-call.ts';
import type { VideoLane } from './video-lane.ts';

const storeRetriesMax = 40;
const storeRetryMs = 500;
const json = 'application/json';

export async function acceptOrder(
  parts: OrderParts,
  { taskId, admission, claim, promptTokens, request }: OrderCall,
  attempt: Attempt<VideoLane>,
  upstream: UpstreamReply,
): Promise<Reply> {
  const { askEveryMs, wallMs, store } = parts;
  const { host, url } = attempt.lane;
  const reply = await readWire(parts, upstream, upstream.header('content-type') ?? json, url);
  const ticket = readTicket(parts, attempt, upstream, reply);
  // From here on the provider has the work: the task is never discarded, whatever happens to this request.
  attempt.handOver();
  const dueAtMs = wallMs() + (askEveryMs ?? host.wire.askEveryMs);
  const task = await storeStep(store, taskId, { state: 'queued', percent: 0, ticket, faults: 0, dueAtMs });
  admission.leave(promptTokens);
  const body = request.wire.write(task);
  const headers = replyHeaders(attempt, json);
  claim?.add(new TextEncoder().encode(body));
  // The video is ordered: a failure to mark its key must not make the reply an error.
  await claim?.finish(headers).catch(() => undefined);
  return new Response(body, { headers });
}

function readTicket(
  parts: OrderParts,
  attempt: Attempt<VideoLane>,
  upstream: UpstreamReply,
  reply: WireReply,
): VideoTicket {
  try {
    return readOrFail(attempt, () => attempt.lane.host.wire.readTicket(reply));
  } catch (cause) {
    throw cause instanceof AttemptFailure ? cause : notAReply(parts, attempt, upstream, { bytes: reply.bytes, cause });
  }
}

/** Without its ticket the task can never be asked for again, so an unreachable database is retried. */
export async function storeStep(store: TaskStore, taskId: string, step: TaskStep): Promise<Task> {
  for (let retries = 0; ; retries++) {
    try {
      const task = await writeStep(store, taskId, step);
      if (task !== undefined) return task;
    } catch (cause) {
      if (retries >= storeRetriesMax) throw cause;
      await Bun.sleep(storeRetryMs);
    }
  }
}

/** Undefined where a worker changed the task at the same time: then its version is another one. */
async function writeStep(store: TaskStore, taskId: string, step: TaskStep): Promise<Task | undefined> {
  const task = await store.find(taskId);
  if (task === undefined) throw new GatewayError('internal_error', 'The task was lost.');
  if (!isOpen(task)) return task;
  return (await store.step(task.id, task.version, step)) ? { ...task, ticket: step.ticket } : undefined;
}
