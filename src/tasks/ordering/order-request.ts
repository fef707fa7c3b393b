/** An order for a video as an endpoint hands it over. */

import type { Caller } from '../../access/caller.ts';
import type { Admission } from '../../access/limits.ts';
import type { VideoOrder, VideoOrderFacts } from '../../operations/video/video-order.ts';
import type { WireBody } from '../../operations/wire.ts';
import type { OnCall } from '../../relay/contents/request-contents.ts';
import type { OperationBody } from '../../relay/operations/operation-body.ts';
import type { Task } from '../task.ts';

/** How one family of callers writes an order and reads a task. */
export interface OrderWire {
  readonly name: string;
  check(body: WireBody): VideoOrderFacts;
  read(body: WireBody, model: string): VideoOrder;
  write(task: Task): string;
}

export interface OrderRequest {
  readonly requestId: string;
  readonly endpoint: string;
  readonly wire: OrderWire;
  readonly caller: Caller;
  /** Its request is counted and its slot taken; the slot is given back on every path. */
  readonly admission: Admission;
  readonly body: OperationBody;
  readonly headers: Headers;
  readonly startedAtMs: number;
  keepOpen(): void;
  /** Told once it was admitted and is about to be answered. */
  readonly onCall?: OnCall;
}
