/** What the sandbox needs of a wire format to hold a conversation in it; another format is another value of this type. */

import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import type { TextRequest } from '../../conversation/text-request.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface SandboxError {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code?: string;
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ConversationCodec {
  /** The field that is missing or wrong, where the body cannot be read. */
  fault(body: Body): string | undefined;
  read(body: Body): TextRequest;
  /** A reply's id in this format's manner. */
  replyId(id: string): string;
  write(reply: TextReply, body: Body): object;
  streamWriter(body: Body): { write(event: StreamEvent): string };
  writeError(error: SandboxError): object;
  /** An event that no client can parse, for the model that sends one. */
  readonly brokenEvent: string;
}
