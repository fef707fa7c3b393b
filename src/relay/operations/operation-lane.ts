/** The lane of one operation to one provider: the client's own bytes where both use one wire, the neutral request otherwise. */

import type { Converted, Loss } from '../../conversation/parts.ts';
import type { ProviderFault } from '../../formats/format.ts';
import { editFields } from '../../http/json/json-body.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { ClientWireOf, OperationTypes, ProviderWireOf } from '../../operations/types.ts';
import type { OperationName, ReplyMaking, WireReply, WrittenReply, WrittenRequest } from '../../operations/wire.ts';
import type { Target } from '../../routing/catalogue.ts';
import { buildForm, type FormBody, forwardForm } from '../../upstream/form-body.ts';
import type { StreamedBody } from '../../upstream/transport.ts';
import { type Lane, type LaneKind, noLosses } from '../lanes/lane.ts';
import { passedType } from '../replies/content-types.ts';
import type { OperationBody } from './operation-body.ts';

export interface Asked<Name extends OperationName> {
  readonly client: ClientWireOf<Name>;
  readonly request: OperationTypes[Name]['request'];
  readonly requestLosses: readonly Loss[];
  readonly body: OperationBody;
  /** The model as the caller named it; absent where the choice was Weir's. */
  readonly named: string | undefined;
  /** May the client's own bytes be sent on? Not where only a part of them is meant. */
  readonly forwardable: boolean;
  /** What was left out of the body. */
  readonly leftOut: readonly Loss[];
}

export interface OperationDelivery {
  readonly reply: WrittenReply;
  readonly consumption: Consumption;
  readonly losses: readonly Loss[];
}

export type Sent = Uint8Array<ArrayBuffer> | FormBody | StreamedBody;

const encoder = new TextEncoder();

export class OperationLane<Name extends OperationName> implements Lane {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly contentType: string | undefined;
  readonly passesHeaders: boolean;
  readonly losses: readonly Loss[];
  readonly wire: ProviderWireOf<Name>;
  readonly asked: Asked<Name>;
  readonly #sent: Sent;
  readonly #forwards: boolean;
  readonly #readFault: (body: string) => ProviderFault | undefined;

  constructor(
    asked: Asked<Name>,
    wire: ProviderWireOf<Name>,
    target: Target,
    address: string,
    readFault: (body: string) => ProviderFault | undefined,
  ) {
    this.asked = asked;
    this.wire = wire;
    this.#readFault = readFault;
    const forwarded =
      asked.forwardable && wire.name === asked.client.name && (wire.passes?.(asked.request, target.model) ?? true)
        ? forwardedBody(asked, target.model)
        : undefined;
    this.#forwards = this.passesHeaders = forwarded !== undefined;
    if (forwarded !== undefined) {
      this.url = address;
      this.losses = asked.leftOut;
      this.#sent = forwarded;
    } else {
      asked.client.requireCommon?.(asked.request);
      const { value, losses } = wire.writeRequest(asked.request, target.model);
      this.url = address + (value.suffix ?? '');
      this.headers = value.headers;
      this.losses = [...asked.leftOut, ...asked.requestLosses, ...losses];
      this.#sent = sentBody(value);
    }
    this.contentType = contentTypeOf(this.#sent);
  }

  body(): Uint8Array<ArrayBuffer> | StreamedBody {
    return this.#sent;
  }

  readFault(body: string): ProviderFault | undefined {
    return this.#readFault(body);
  }

  get kind(): LaneKind {
    return this.#forwards ? 'forward' : 'translate';
  }

  get clientFormat(): string {
    return this.asked.client.name;
  }

  get providerFormat(): string {
    return this.wire.name;
  }

  /** Do the provider's bytes reach the client as they are? */
  get forwards(): boolean {
    return this.#forwards;
  }

  /** The provider's own bytes where they are what the caller asked for, else nothing. */
  asItCame(reply: WireReply): OperationDelivery | undefined {
    const { client, request } = this.asked;
    if (!this.#forwards || client.suits?.(reply.tree, request) === false) return undefined;
    const body = reply.bytes as Uint8Array<ArrayBuffer>;
    const consumption = this.wire.measure(reply.tree);
    return { reply: { contentType: passedType(reply.contentType), body }, consumption, losses: noLosses };
  }

  /** Throws a SyntaxError where it is no reply of the wire. */
  read(reply: WireReply, making: ReplyMaking): Converted<OperationTypes[Name]['reply']> {
    return this.wire.readReply(reply, this.asked.request, making);
  }

  write(value: OperationTypes[Name]['reply'], losses: readonly Loss[], making: ReplyMaking): OperationDelivery {
    const { client, request } = this.asked;
    return { reply: client.writeReply(value, request, making), consumption: value.consumption, losses };
  }
}

/** Undefined where the client's own bytes cannot be sent on. */
function forwardedBody<Name extends OperationName>({ body, named }: Asked<Name>, model: string): Sent | undefined {
  if (body.kind === 'json') {
    const edits = named === model ? new Map<string, string>() : new Map([['model', JSON.stringify(model)]]);
    return editFields(body.json, edits);
  }
  return body.form.raw === undefined ? undefined : forwardForm(body.form.raw, { model });
}

export function sentBody({ body }: WrittenRequest): Sent {
  switch (body.kind) {
    case 'json':
      return encoder.encode(JSON.stringify(body.tree));
    case 'form':
      return buildForm(
        body.fields.map(({ name, value }) =>
          typeof value === 'string'
            ? { name, value }
            : {
                name,
                filename: value.filename ?? '',
                mediaType: value.mediaType,
                bytes: value.bytes,
                open: value.open,
              },
        ),
      );
    case 'file': {
      const { file } = body;
      return { contentType: file.mediaType, bytes: file.bytes, open: () => file.open() };
    }
  }
}

export function contentTypeOf(sent: Sent): string | undefined {
  return 'contentType' in sent ? sent.contentType : undefined;
}
