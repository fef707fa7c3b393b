/** A conversation request as an endpoint hands it over. */

import type { NamedRequest } from '../../formats/codec.ts';
import type { Format } from '../../formats/format.ts';
import type { JsonBody } from '../../http/json/json-body.ts';
import type { ConnectionMemory } from '../memory/continuation.ts';
import type { CallRequest } from './call-request.ts';

export interface ConversationRequest extends CallRequest {
  readonly format: Format;
  readonly body: JsonBody;
  /** Has the client disconnected? Polled by the ticker: a listener on every request would cost more. */
  hasLeft(): boolean;
  /** What the path said, in formats whose body names neither the model nor whether to stream. */
  readonly named?: NamedRequest | undefined;
  /** What the connection that the request came by remembers of its own replies. */
  readonly connection?: ConnectionMemory | undefined;
  /** Nothing is generated yet: the request is only prepared to be continued from. */
  readonly warmUp?: boolean;
}
