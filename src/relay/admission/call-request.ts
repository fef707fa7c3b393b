/** What every request has that asks for work of a model, whatever kind of work it is. */

import type { Caller } from '../../access/caller.ts';
import type { Admission } from '../../access/limits.ts';
import type { RequestHeaders } from '../../http/request-headers.ts';
import type { OnCall } from '../contents/request-contents.ts';

export interface CallRequest {
  readonly requestId: string;
  /** What a token's list of allowed endpoints calls it. */
  readonly endpoint: string;
  readonly caller: Caller;
  /** The request is counted and its slot taken; admission releases the slot on every path. */
  readonly admission: Admission;
  readonly headers: RequestHeaders;
  readonly startedAtMs: number;
  /** Called once the request was admitted and is about to be answered. */
  readonly onCall?: OnCall;
}
