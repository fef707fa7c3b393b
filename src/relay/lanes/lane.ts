/** The lane between one request and one provider: in the client's own format, or through the neutral one. */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import type { Loss } from '../../conversation/parts.ts';
import type { WrittenText } from '../../conversation/texts/written-text.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { ProviderFault, Tree } from '../../formats/format.ts';
import type { SlicedBytes } from '../../http/json/in-slices.ts';
import { writeLaneRecord } from '../../ledger/lane-record.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { Frame } from '../../upstream/frame-reader.ts';
import type { StreamedBody } from '../../upstream/transport.ts';

/** Bytes as they came (but for the model's name), the same format with something changed, or another format. */
export type LaneKind = 'forward' | 'patch' | 'translate';

/** What every lane knows of the request that is sent. */
export interface Lane {
  readonly kind: LaneKind;
  /** The name of the provider's format or wire. */
  readonly providerFormat: string;
  /** The client's wire, where it is not the call's format. */
  readonly clientFormat?: string;
  readonly url: string;
  /** Of the body; JSON where it is absent. */
  readonly contentType?: string | undefined;
  /** Beside the provider's own and the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Are headers of the client's library passed to this provider? */
  readonly passesHeaders: boolean;
  /** Those that are passed; absent where it is all of them. */
  readonly passedHeaders?: Readonly<Record<string, string>> | undefined;
  /** Parts of the request that the provider does not get. */
  readonly losses: readonly Loss[];
  /** Fields that Weir put back into the request because its client dropped them. */
  readonly restored?: readonly string[] | undefined;
  /** What was put back, which is paid for like the rest. Absent where that is nothing. */
  readonly restoredBytes?: number | undefined;
  body(): Uint8Array<ArrayBuffer> | StreamedBody;
  /** The body as a tree. Absent where a refusal of it says nothing about the model. */
  readonly sent?: Tree;
  /** Present where the body is printed or edited: a large one is in slices. */
  printer?(): SlicedBytes;
  /** What an error's body says, in the provider's own shape. */
  readFault(body: string): ProviderFault | undefined;
}

export interface ConversationLane extends Lane {
  /** A whole reply as the client gets it. Throws where it is not a reply of the format. */
  whole(bytes: Uint8Array<ArrayBuffer>): Delivery;
  /** What the end of a reply says that it used, where it says all of it. */
  usageAtEnd(text: string): Usage | undefined;
  stream(): Passage;
}

export interface Delivery {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same as a value. */
  readonly reply: unknown;
  readonly usage: Usage;
  /** Empty where usage was reported. */
  readonly written: WrittenText;
  readonly losses: readonly Loss[];
  /** What must be stored before the client has the reply: it may continue from it at another replica at once. */
  readonly remembering?: Promise<void> | undefined;
}

/** Turns the provider's frames into the client's bytes. */
export interface Passage {
  /** What goes to the client for this frame, nothing, or `fault` where the provider reported one. Throws a SyntaxError on a bad frame. */
  take(frame: Frame): Uint8Array | undefined | 'fault';
  /** What goes to the client now that the provider's bytes ended. */
  finish(): Uint8Array | undefined;
  /** The error event that ends a broken stream. */
  failureText(error: GatewayError): string;
  /** Nothing more can come that the client needs. */
  readonly ended: boolean;
  /** A terminal marker was seen: what comes later, or does not, makes no difference. */
  readonly finished: boolean;
  readonly fault: ProviderFault | undefined;
  /** What was reported so far. Before `usageIsFinal` its output is a running count or a placeholder. */
  readonly usage: Usage;
  /** The provider reported the usage of the whole reply: no estimate is needed, however the stream ends. */
  readonly usageIsFinal: boolean;
  /** Units other than tokens. */
  readonly units?: Consumption;
  readonly written: WrittenText;
  readonly losses: readonly Loss[];
  /** The client's last event, with or without its framing, once it came; for formats that remember replies. */
  readonly lastEvent?: string | undefined;
  /** Ids that the provider's stream has created so far, where the client gets them. */
  readonly made?: readonly string[] | undefined;
  /** What must be stored before the client has the stream's end. */
  readonly remembering?: Promise<void> | undefined;
}

export const noLosses: readonly Loss[] = [];

/** The lane as a usage row stores it. `format` is the client's, where the lane has no wire of the client's. */
export function laneText(
  { kind, clientFormat, providerFormat, losses }: Lane,
  format: string,
  replyLosses?: readonly Loss[],
): string {
  return writeLaneRecord(kind, clientFormat ?? format, providerFormat, losses, replyLosses);
}
