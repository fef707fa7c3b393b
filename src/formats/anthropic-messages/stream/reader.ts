/** Reads the messages format's server-sent events into neutral ones. */

import type { ErrorCode } from '../../../conversation/error-table.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Loss } from '../../../conversation/parts.ts';
import type { Finish, PartOpening, StreamEvent } from '../../../conversation/text-reply.ts';
import { type Usage, unknownUsage } from '../../../conversation/usage.ts';
import type { ReadContext, StreamReader } from '../../codec.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { readCitation } from '../citations.ts';
import { faultOf } from '../errors.ts';
import { eventTable } from '../fields.ts';
import { isForeignCaller, printInput } from '../read/blocks.ts';
import { replyExtras } from '../read/reply.ts';
import { largerUsage, readUsage, usageBeside } from '../usage.ts';
import { callIdPrefix, formatName, readFinish, readServedTier, replyIdPrefix, unknownFields } from '../wire.ts';
import { repeatedFrames } from './repeated-frames.ts';

const candidate = 0;
const nothing: readonly StreamEvent[] = [];

/** A block between its start and its stop. Blocks of this format alone are collected and emitted whole. */
type OpenBlock =
  | { readonly kind: 'part'; readonly part: number; readonly type: 'text' | 'thinking' }
  | { readonly kind: 'call'; readonly part: number; readonly input: unknown; written: boolean }
  | { readonly kind: 'native'; readonly value: Record<string, unknown>; input: string };

export class MessagesStreamReader implements StreamReader {
  readonly #context: ReadContext;
  readonly #losses = new LossList();
  readonly #frames = repeatedFrames();
  readonly #open = new Map<unknown, OpenBlock>();
  #id: string | undefined;
  #parts = 0;
  #usage: Usage = unknownUsage;
  #finish: Finish | undefined;
  /** The finish that the start of the message announced: a turn of calls from code has ended before it begins. */
  #announcedFinish: Finish | undefined;
  #over = false;
  #walked: unknown;

  constructor(context: ReadContext) {
    this.#context = context;
  }

  get losses(): readonly Loss[] {
    return this.#losses.all;
  }

  read(data: string, event?: string): readonly StreamEvent[] {
    if (this.#over) return nothing;
    const frame: unknown = this.#frames.parse(data);
    if (!isObject(frame)) throw new SyntaxError('An event of the messages format is a JSON object.');
    this.#walk(frame);
    switch (frame.type) {
      case 'content_block_delta':
        return this.#delta(frame);
      case 'content_block_start':
        return this.#startBlock(frame.index, frame.content_block);
      case 'content_block_stop':
        return this.#stopBlock(frame.index);
      case 'message_start':
        return this.#startMessage(isObject(frame.message) ? frame.message : {});
      case 'message_delta':
        return this.#messageDelta(frame);
      case 'message_stop':
        return this.#stopMessage();
      case 'ping':
        return nothing;
      case 'error':
        return this.#fail(frame.error);
      default:
        if (event === 'error') return this.#fail(frame.error ?? frame);
        if (typeof frame.type !== 'string') throw new SyntaxError('An event of the messages format has a type.');
        return [{ type: 'native', format: formatName, value: frame }];
    }
  }

  /** Events that differ in their text alone are one object. */
  #walk(frame: Tree): void {
    if (frame === this.#walked) return;
    this.#walked = frame;
    reportUnread(frame, eventTable, this.#losses, ['content', Number(frame.index)]);
  }

  /** The terminal marker closes everything by itself. */
  end(): readonly StreamEvent[] {
    return nothing;
  }

  #startMessage(message: Tree): readonly StreamEvent[] {
    const id = typeof message.id === 'string' && message.id !== '' ? message.id : undefined;
    const usage = this.#reportStart(message.usage, message.model);
    if (this.#id !== undefined) return [...this.#startAgain(id), ...usage];
    this.#id = id ?? this.#context.newId(replyIdPrefix);
    if (typeof message.stop_reason === 'string') {
      this.#announcedFinish = readFinish(message.stop_reason, message.stop_sequence);
    }
    const serviceTier = isObject(message.usage) ? readServedTier(message.usage.service_tier) : undefined;
    const extras = replyExtras(message, message.usage);
    const events: StreamEvent[] = [
      {
        type: 'reply-start',
        id: this.#id,
        model: typeof message.model === 'string' ? message.model : this.#context.origin.model,
        createdAtMs: this.#context.nowMs,
        ...(serviceTier !== undefined && { serviceTier }),
        ...(extras !== undefined && { extras }),
      },
      ...usage,
    ];
    // A turn that continues after a call of the provider's own tools may begin with whole blocks.
    if (Array.isArray(message.content)) {
      for (const block of message.content) events.push(...this.#startBlock(-1, block), ...this.#stopBlock(-1));
    }
    return events;
  }

  /**
   * Some hosts repeat the start, some restart in mid-stream: what was passed on cannot be taken back, so reading
   * continues.
   */
  #startAgain(id: string | undefined): readonly StreamEvent[] {
    if (id === this.#id && this.#open.size === 0) return nothing;
    this.#losses.add('message_start', 'came again in mid-stream; the blocks of both beginnings were passed on');
    return this.#closeAll();
  }

  #startBlock(index: unknown, block: unknown): readonly StreamEvent[] {
    const events: StreamEvent[] = [...this.#begun(), ...this.#stopBlock(index)];
    if (!isObject(block)) throw new SyntaxError('A block of the messages format is a JSON object.');
    switch (block.type) {
      case 'text':
        this.#openPart(index, 'text', { type: 'text' }, events);
        if (typeof block.text === 'string') this.#push(index, { type: 'text_delta', text: block.text }, events);
        if (Array.isArray(block.citations)) {
          for (const citation of block.citations) this.#push(index, { type: 'citations_delta', citation }, events);
        }
        break;
      case 'thinking':
        this.#openPart(index, 'thinking', { type: 'thinking' }, events);
        this.#push(index, { type: 'thinking_delta', thinking: block.thinking }, events);
        this.#push(index, { type: 'signature_delta', signature: block.signature }, events);
        break;
      case 'redacted_thinking':
        this.#openPart(index, 'thinking', { type: 'thinking', redacted: true }, events);
        this.#push(index, { type: 'signature_delta', signature: block.data }, events);
        break;
      case 'tool_use':
        this.#openCall(index, block, events);
        break;
      default:
        this.#open.set(index, { kind: 'native', value: { ...block }, input: '' });
    }
    return events;
  }

  #openPart(index: unknown, type: 'text' | 'thinking', opening: PartOpening, events: StreamEvent[]): void {
    const part = this.#parts++;
    this.#open.set(index, { kind: 'part', part, type });
    events.push({ type: 'part-start', candidate, part, opening });
  }

  #openCall(index: unknown, block: Tree, events: StreamEvent[]): void {
    const part = this.#parts++;
    const id = typeof block.id === 'string' && block.id !== '' ? block.id : this.#context.newId(callIdPrefix);
    const name = typeof block.name === 'string' ? block.name : '';
    if (isForeignCaller(block.caller)) this.#losses.add(`content[${part}].caller`, 'has no neutral field');
    this.#open.set(index, { kind: 'call', part, input: block.input, written: false });
    events.push({ type: 'part-start', candidate, part, opening: { type: 'tool-call', id, name } });
  }

  #delta(frame: Tree): readonly StreamEvent[] {
    const { delta } = frame;
    if (!isObject(delta)) throw new SyntaxError('A delta of the messages format is a JSON object.');
    const events: StreamEvent[] = [];
    if (!this.#open.has(frame.index)) {
      events.push(...this.#begun());
      if (delta.type === 'text_delta') this.#openPart(frame.index, 'text', { type: 'text' }, events);
      else if (delta.type === 'thinking_delta') this.#openPart(frame.index, 'thinking', { type: 'thinking' }, events);
      else throw new SyntaxError('A delta of the messages format belongs to a block that was started.');
    }
    this.#push(frame.index, delta, events);
    return events;
  }

  /** Empty pieces carry nothing: the format opens blocks with them. */
  #push(index: unknown, delta: Tree, events: StreamEvent[]): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    if (block.kind === 'native') {
      addToBlock(block, delta);
      return;
    }
    const { part } = block;
    if (block.kind === 'call') {
      const text = delta.partial_json;
      if (typeof text !== 'string' || text === '') return;
      block.written = true;
      events.push({ type: 'tool-input-delta', candidate, part, text });
      return;
    }
    const { text, thinking, signature } = delta;
    switch (delta.type) {
      case 'text_delta':
        if (block.type === 'text' && typeof text === 'string' && text !== '') {
          events.push({ type: 'text-delta', candidate, part, text });
        }
        return;
      case 'thinking_delta':
        if (block.type === 'thinking' && typeof thinking === 'string' && thinking !== '') {
          events.push({ type: 'thinking-delta', candidate, part, text: thinking });
        }
        return;
      case 'signature_delta':
        if (typeof signature === 'string' && signature !== '') {
          const seal = { value: signature, origin: this.#context.origin };
          events.push({ type: 'seal', candidate, part, seal });
        }
        return;
      case 'citations_delta': {
        const citation = readCitation(delta.citation);
        if (block.type === 'text' && citation !== undefined) {
          events.push({ type: 'citation', candidate, part, citation });
        }
        return;
      }
      default:
        this.#losses.add(`content[${part}] ${String(delta.type)}`, 'is an unknown piece');
    }
  }

  #stopBlock(index: unknown): readonly StreamEvent[] {
    const block = this.#open.get(index);
    if (block === undefined) return nothing;
    this.#open.delete(index);
    if (block.kind === 'native') {
      return [{ type: 'native', format: formatName, value: wholeBlock(block), candidate, part: this.#parts++ }];
    }
    const { part } = block;
    const closing: StreamEvent = { type: 'part-end', candidate, part };
    // A call without arguments streams none, and its block says `{}`.
    if (block.kind === 'call' && !block.written) {
      return [{ type: 'tool-input-delta', candidate, part, text: printInput(block.input) }, closing];
    }
    return [closing];
  }

  #closeAll(): StreamEvent[] {
    return [...this.#open.keys()].flatMap((index) => this.#stopBlock(index));
  }

  #messageDelta(frame: Tree): readonly StreamEvent[] {
    const delta = isObject(frame.delta) ? frame.delta : {};
    const events: StreamEvent[] = [...this.#begun(), ...this.#report(frame.usage)];
    const beside = besideOf(frame, delta);
    if (beside !== undefined) events.push({ type: 'native', format: formatName, ...beside });
    if (typeof delta.stop_reason !== 'string' || this.#finish !== undefined) return events;
    this.#finish = readFinish(delta.stop_reason, delta.stop_sequence);
    events.push(...this.#closeAll(), { type: 'candidate-end', candidate, finish: this.#finish });
    return events;
  }

  #stopMessage(): readonly StreamEvent[] {
    const events: StreamEvent[] = [...this.#begun(), ...this.#closeAll()];
    if (this.#finish === undefined) {
      const finish: Finish = this.#announcedFinish ?? { reason: 'other' };
      events.push({ type: 'candidate-end', candidate, finish });
    }
    this.#over = true;
    events.push({ type: 'reply-end' });
    return events;
  }

  /** The input is exact from the start; the output is a placeholder, since nothing was written yet. */
  #reportStart(value: unknown, model: unknown): readonly StreamEvent[] {
    const usage = readUsage(value, model);
    return usage?.input.total === undefined ? nothing : this.#add({ ...usage, output: {} });
  }

  #report(value: unknown): readonly StreamEvent[] {
    const usage = readUsage(value);
    return usage === undefined ? nothing : this.#add(usage);
  }

  #add(usage: Usage): readonly StreamEvent[] {
    this.#usage = largerUsage(this.#usage, usage);
    return [{ type: 'usage', usage: this.#usage }];
  }

  /** A stream without its start is still a reply. */
  #begun(): readonly StreamEvent[] {
    return this.#id === undefined ? this.#startMessage({}) : nothing;
  }

  #fail(error: unknown): readonly StreamEvent[] {
    this.#over = true;
    const { message, type, code } = faultOf(error);
    return [{ type: 'failure', code: failureCode(type), message, providerType: type, providerCode: code }];
  }
}

const failureCodes: ReadonlyMap<string | undefined, ErrorCode> = new Map([
  ['rate_limit_error', 'upstream_rate_limited'],
  ['overloaded_error', 'provider_unavailable'],
  ['invalid_request_error', 'upstream_refused'],
]);

function failureCode(type: string | undefined): ErrorCode {
  return failureCodes.get(type) ?? 'upstream_failed';
}

function addToBlock(block: Extract<OpenBlock, { kind: 'native' }>, delta: Tree): void {
  if (typeof delta.partial_json === 'string') {
    block.input += delta.partial_json;
    return;
  }
  for (const [name, piece] of Object.entries(delta)) {
    if (name === 'type' || name === '__proto__') continue;
    const before = block.value[name];
    block.value[name] = typeof before === 'string' && typeof piece === 'string' ? before + piece : piece;
  }
}

function wholeBlock({ value, input }: Extract<OpenBlock, { kind: 'native' }>): Tree {
  if (input === '') return value;
  try {
    return { ...value, input: JSON.parse(input) };
  } catch {
    return { ...value, input };
  }
}

const frameFields: ReadonlySet<string> = new Set(['type', 'delta', 'usage']);
const deltaFields: ReadonlySet<string> = new Set(['stop_reason', 'stop_sequence']);

/** What the end of a message says beside the finish and the counts, in the shape of the event that said it. */
function besideOf(frame: Tree, delta: Tree): { readonly value: Tree; readonly names: readonly string[] } | undefined {
  const outside = unknownFields(frame, frameFields);
  const inside = unknownFields(delta, deltaFields);
  const usage = usageBeside(frame.usage);
  if (outside === undefined && inside === undefined && usage === undefined) return undefined;
  const value = {
    type: 'message_delta',
    ...outside,
    ...(inside !== undefined && { delta: inside }),
    ...(usage !== undefined && { usage }),
  };
  const names = [outside, inside, usage].flatMap((fields, at) =>
    Object.keys(fields ?? {}).map((name) => `${at === 2 ? 'usage.' : ''}${name}`),
  );
  return { value, names };
}
