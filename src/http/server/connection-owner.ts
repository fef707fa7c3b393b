/** The server behind a connection. */

import type { FramingError } from '../../framing/framing-error.ts';
import type { Reply } from '../reply.ts';
import type { IncomingRequest } from './incoming-request.ts';

export interface ConnectionOwner<Connection> {
  readonly dateLine: string;
  /** Seconds, as the ticks of a connection. */
  readonly silentTicksMax: number;
  /** The same where a reply is not read. */
  readonly unreadTicksMax: number;
  readonly isClosing: boolean;
  /** A failure outside every handler. */
  report(error: unknown): void;
  /** Undefined for a request that became a WebSocket. */
  handle(request: IncomingRequest, connection: Connection): Reply | undefined | Promise<Reply | undefined>;
  /** The reply to bytes that are no request. */
  refuse(error: FramingError): Reply;
  /** The reply in place of one that cannot be sent; it is reported too. */
  replaceUnsendable(error: unknown): Reply;
  closed(connection: Connection): void;
}
