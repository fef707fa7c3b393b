/** An order for a video as an endpoint hands it over. */

import type { VideoOrder, VideoOrderFacts } from '../../operations/video/video-order.ts';
import type { WireBody } from '../../operations/wire.ts';
import type { CallRequest } from '../../relay/admission/call-request.ts';
import type { OperationBody } from '../../relay/operations/operation-body.ts';
import type { Task } from '../task.ts';

/** How one family of callers writes an order and reads a task. */
export interface OrderWire {
  readonly name: string;
  check(body: WireBody): VideoOrderFacts;
  read(body: WireBody, model: string): VideoOrder;
  write(task: Task): string;
}

export interface OrderRequest extends CallRequest {
  readonly wire: OrderWire;
  readonly body: OperationBody;
}
