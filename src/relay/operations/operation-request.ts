/** An operation request as an endpoint hands it over, and the port that takes it. */

import type { Format } from '../../formats/format.ts';
import type { Reply } from '../../http/reply.ts';
import type { ClientWireOf } from '../../operations/types.ts';
import type { OperationName } from '../../operations/wire.ts';
import type { CallRequest } from '../admission/call-request.ts';
import type { OperationBody } from './operation-body.ts';

export interface OperateRequest<Name extends OperationName> extends CallRequest {
  readonly operation: Name;
  readonly wire: ClientWireOf<Name>;
  /** Whose envelope and events the client reads. */
  readonly format: Format;
  readonly body: OperationBody;
  /** Has the client disconnected? Polled by the ticker: a listener on every request would cost more. */
  hasLeft(): boolean;
  /** The model, where the path names it. */
  readonly pathModel: string | undefined;
  /** A part of another request, whose limits and content storage cover it. */
  readonly isPart?: boolean;
}

export interface Operator {
  handle<Name extends OperationName>(request: OperateRequest<Name>): Promise<Reply>;
}
