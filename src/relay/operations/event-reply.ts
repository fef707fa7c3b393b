/** An operation's event stream: events pass as they came; the last one reports the usage. */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { ProviderFault } from '../../formats/format.ts';
import { type Reply, StreamedReply } from '../../http/reply.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { addUse } from '../../operations/splittings.ts';
import type { OperationName } from '../../operations/wire.ts';
import type { Frame } from '../../upstream/frame-reader.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { noLosses, type Passage } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import { StreamReply } from '../replies/stream-reply.ts';
import type { OperationLane } from './operation-lane.ts';

const colon = 0x3a;
/** The event types that end the streams of every operation that has one. */
const terminal = /\.(?:completed|done)$/;

export class EventReply<Name extends OperationName> {
  readonly #parts: RelayParts;
  readonly #attempt: Attempt<OperationLane<Name>>;
  readonly #upstream: UpstreamReply;

  constructor(parts: RelayParts, attempt: Attempt<OperationLane<Name>>, upstream: UpstreamReply) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#upstream = upstream;
  }

  async begin(): Promise<Reply> {
    const { lane, call } = this.#attempt;
    const passage = new EventPassage(
      (tree) => lane.wire.measure(tree),
      (error) => call.format.errorEvent(error, { requestId: call.requestId, ownLibrary: true }),
    );
    const reply = new StreamReply(this.#parts, this.#attempt, this.#upstream, passage);
    await reply.begin();
    return new StreamedReply(reply.source, reply.headers);
  }
}

class EventPassage implements Passage {
  readonly losses = noLosses;
  readonly written = new WrittenText();
  readonly #measure: (tree: unknown) => Consumption;
  readonly #failure: (error: GatewayError) => string;
  ended = false;
  finished = false;
  fault: ProviderFault | undefined;
  readonly usage = unknownUsage;
  /** Several images come one by one: only the end of the stream says that none is missing. */
  get usageIsFinal(): boolean {
    return this.ended;
  }
  /** What was reported so far; each of several images has an event of its own. */
  units: Consumption = {};

  constructor(measure: (tree: unknown) => Consumption, failure: (error: GatewayError) => string) {
    this.#measure = measure;
    this.#failure = failure;
  }

  take({ raw, data }: Frame): Uint8Array | undefined | 'fault' {
    if (data === undefined) return raw[0] === colon ? undefined : raw;
    if (data === '[DONE]') {
      this.finished = true;
      this.ended = true;
      return raw;
    }
    const tree: unknown = JSON.parse(data);
    if (!isObject(tree)) throw new SyntaxError('An event is a JSON object.');
    if (isObject(tree['error'])) {
      const { message, type, code } = tree['error'];
      this.fault = { message: String(message ?? ''), type: textOf(type), code: textOf(code), param: undefined };
      return 'fault';
    }
    if (typeof tree['type'] === 'string' && terminal.test(tree['type'])) {
      this.finished = true;
      this.units = addUse(this.units, this.#measure(tree));
    }
    return raw;
  }

  finish(): undefined {
    this.ended = true;
  }

  failureText(error: GatewayError): string {
    return this.#failure(error);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
