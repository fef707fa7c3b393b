/** Writes neutral events as the messages format's server-sent events, in the strict order that its libraries expect. */

import { errorOf, type Failure } from '../../../conversation/failure.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Citation, Loss, Seal } from '../../../conversation/parts.ts';
import { writeSeal } from '../../../conversation/seals/seal.ts';
import type { Finish, PartOpening, StreamEvent } from '../../../conversation/text-reply.ts';
import { laterUsage, type Usage, unknownUsage } from '../../../conversation/usage.ts';
import type { ReplyContext, StreamWriter } from '../../codec.ts';
import { writeCitation } from '../citations.ts';
import { errorEvent } from '../errors.ts';
import { writeUsage } from '../usage.ts';
import { formatName, replyId, writeFinish, writeServedTier } from '../wire.ts';
import { ownFields, reportCandidates, reportUnknownUsage } from '../write/reply.ts';
import { BlockQueue } from './block-queue.ts';

/** Used where no request id is known; the reply's head carries it. */
const noRequestId = { requestId: '' };

/** What the end of a message says beside its finish and its counts. */
interface Beside {
  outside: Record<string, unknown>;
  delta: Record<string, unknown>;
  usage: Record<string, unknown>;
}

export class MessagesStreamWriter implements StreamWriter {
  readonly #context: ReplyContext;
  readonly #losses = new LossList();
  readonly #blocks = new BlockQueue();
  readonly #openings = new Map<number, PartOpening>();
  readonly #beside: Beside = { outside: {}, delta: {}, usage: {} };
  #usage: Usage = unknownUsage;
  #finish: Finish = { reason: 'other' };
  #calls = false;
  #refused = false;
  #severalReported = false;
  #over = false;

  constructor(context: ReplyContext) {
    this.#context = context;
  }

  get losses(): readonly Loss[] {
    return this.#losses.all;
  }

  write(event: StreamEvent): string {
    if (this.#over) return '';
    if ('candidate' in event && event.candidate !== undefined && event.candidate > 0) return this.#leaveOut();
    switch (event.type) {
      case 'text-delta':
        if (event.logprobs !== undefined) this.#losses.add('logprobs', 'are not supported by the format');
        return this.#blocks.add(event.part, `{"type":"text_delta","text":${JSON.stringify(event.text)}}`);
      case 'thinking-delta':
        return this.#blocks.add(event.part, `{"type":"thinking_delta","thinking":${JSON.stringify(event.text)}}`);
      case 'tool-input-delta':
        return this.#blocks.add(event.part, `{"type":"input_json_delta","partial_json":${JSON.stringify(event.text)}}`);
      case 'part-start':
        return this.#openPart(event.part, event.opening);
      case 'part-end':
        return this.#closePart(event.part);
      case 'citation':
        return this.#cite(event.part, event.citation);
      case 'seal':
        return this.#seal(event.part, event.seal);
      case 'reply-start':
        return this.#start(event);
      case 'candidate-end':
        this.#finish = event.finish;
        return this.#blocks.closeAll();
      case 'usage':
        this.#usage = laterUsage(this.#usage, event.usage);
        return '';
      case 'reply-end':
        return this.#end();
      case 'failure':
        return this.#fail(event);
      case 'native':
        return this.#writeNative(event);
      case 'media-delta':
        return '';
    }
  }

  /** Written at once, so that a client that waits long for the first token knows that there is a reply. */
  #start(start: Extract<StreamEvent, { type: 'reply-start' }>): string {
    this.#losses.addForeign(start.extras, formatName);
    const {
      container,
      stop_details: details,
      context_management: management,
      usage,
      ...fields
    } = ownFields(start.extras);
    // Clients overwrite these with the values in the message's end, so they are written there.
    if (container !== undefined) this.#beside.delta['container'] = container;
    if (details !== undefined) this.#beside.delta['stop_details'] = details;
    if (management !== undefined) this.#beside.outside['context_management'] = management;
    if (isObject(usage)) Object.assign(this.#beside.usage, usage);
    const tier = writeServedTier(start.serviceTier, this.#losses);
    const message = {
      id: replyId(start.id, (prefix) => this.#context.newId(prefix)),
      type: 'message',
      role: 'assistant',
      model: start.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...fields,
      usage: { ...writeUsage(unknownUsage), ...(tier !== undefined && { service_tier: tier }) },
    };
    return `event: message_start\ndata: {"type":"message_start","message":${JSON.stringify(message)}}\n\n`;
  }

  #openPart(part: number, opening: PartOpening): string {
    this.#openings.set(part, opening);
    switch (opening.type) {
      case 'refusal':
        this.#refused = true;
        return this.#blocks.open(part, '{"type":"text","text":""}');
      case 'text':
        return this.#blocks.open(part, '{"type":"text","text":""}');
      case 'thinking':
        // A redacted block is written whole at its start, so it waits for its content.
        if (opening.redacted === true) return this.#blocks.open(part);
        return this.#blocks.open(part, '{"type":"thinking","thinking":"","signature":""}');
      case 'tool-call': {
        this.#calls = true;
        const named = `"id":${JSON.stringify(opening.id)},"name":${JSON.stringify(opening.name)}`;
        return this.#blocks.open(part, `{"type":"tool_use",${named},"input":{}}`);
      }
      case 'media':
        this.#losses.add(`content[${part}] ${opening.media}`, 'is not supported in a reply of the format');
        return '';
    }
  }

  #closePart(part: number): string {
    const opening = this.#openings.get(part);
    this.#openings.delete(part);
    if (opening?.type === 'thinking' && opening.redacted === true && !this.#blocks.isFilled(part)) {
      this.#losses.add(`content[${part}] thinking`, 'is hidden and has no signature to carry it');
    }
    return this.#blocks.close(part);
  }

  #cite(part: number, citation: Citation): string {
    const written = writeCitation(citation, this.#losses);
    if (written === undefined) return '';
    return this.#blocks.add(part, `{"type":"citations_delta","citation":${JSON.stringify(written)}}`);
  }

  /** A call's signature is remembered by the relay under the call's id; a text has neither field nor id. */
  #seal(part: number, seal: Seal): string {
    const opening = this.#openings.get(part);
    if (opening?.type === 'thinking') {
      const signature = JSON.stringify(writeSeal(seal));
      if (opening.redacted === true) return this.#blocks.fill(part, `{"type":"redacted_thinking","data":${signature}}`);
      return this.#blocks.add(part, `{"type":"signature_delta","signature":${signature}}`);
    }
    if (opening?.type !== 'tool-call') this.#losses.add(`content[${part}] signature`, 'is not supported by the format');
    return '';
  }

  #writeNative(event: Extract<StreamEvent, { type: 'native' }>): string {
    const { format, value, part } = event;
    if (format !== formatName || !isObject(value)) {
      const type = isObject(value) && typeof value.type === 'string' ? value.type : 'part';
      if (part === undefined) this.#losses.addBeside(event, formatName);
      else this.#losses.add(`content[${part}] ${type}`, 'is supported by its own format only');
      return '';
    }
    if (part !== undefined) return this.#writeBlock(part, value);
    if (value.type === 'message_delta') {
      this.#remember(value);
      return '';
    }
    return `event: ${String(value.type)}\ndata: ${JSON.stringify(value)}\n\n`;
  }

  /** Arguments of the provider's own tools are sent as pieces even when they are known: clients read them there. */
  #writeBlock(part: number, block: Tree): string {
    if (!isObject(block.input)) return this.#blocks.open(part, JSON.stringify(block)) + this.#blocks.close(part);
    const piece = JSON.stringify(JSON.stringify(block.input));
    return (
      this.#blocks.open(part, JSON.stringify({ ...block, input: {} })) +
      this.#blocks.add(part, `{"type":"input_json_delta","partial_json":${piece}}`) +
      this.#blocks.close(part)
    );
  }

  #remember(value: Tree): void {
    const { type: _, delta, usage, ...outside } = value;
    Object.assign(this.#beside.outside, outside);
    if (isObject(delta)) Object.assign(this.#beside.delta, delta);
    if (isObject(usage)) Object.assign(this.#beside.usage, usage);
  }

  #end(): string {
    this.#over = true;
    reportUnknownUsage(this.#usage, this.#losses);
    const ending = { calls: this.#calls, refused: this.#refused };
    const message = {
      type: 'message_delta',
      delta: { ...writeFinish(this.#finish, ending, this.#losses), ...this.#beside.delta },
      usage: { ...this.#beside.usage, ...writeUsage(this.#usage, this.#beside.usage) },
      ...this.#beside.outside,
    };
    const closing = `event: message_delta\ndata: ${JSON.stringify(message)}\n\n`;
    return `${this.#blocks.closeAll()}${closing}event: message_stop\ndata: {"type":"message_stop"}\n\n`;
  }

  #fail(failure: Failure): string {
    this.#over = true;
    return errorEvent(errorOf(failure), noRequestId);
  }

  #leaveOut(): string {
    if (!this.#severalReported) reportCandidates(this.#losses);
    this.#severalReported = true;
    return '';
  }
}
