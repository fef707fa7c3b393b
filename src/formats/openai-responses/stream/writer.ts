/** Writes neutral stream events as the responses format's: every item is announced, grows, and is shown whole at its end. */

import { errorOf } from '../../../conversation/failure.ts';
import type { GatewayError } from '../../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Citation } from '../../../conversation/parts.ts';
import type { Finish, PartOpening, StreamEvent } from '../../../conversation/text-reply.ts';
import { laterUsage, type Usage, unknownUsage } from '../../../conversation/usage.ts';
import type { ReplyContext, StreamWriter } from '../../codec.ts';
import { type Ending, type Head, writeEcho, writeEnvelope, writeReplyError } from '../envelope.ts';
import { usageAtStart } from '../usage.ts';
import { formatName } from '../wire.ts';
import { kindOf } from '../write/content.ts';
import { writeEnd, writeHead } from '../write/reply.ts';
import { openItem } from './item-events.ts';
import type { ItemContext, ItemEvents } from './one-item.ts';

export function streamWriter(context: ReplyContext): StreamWriter {
  return new ResponsesWriter(context);
}

class ResponsesWriter implements StreamWriter {
  readonly #context: ReplyContext;
  readonly #losses = new LossList();
  readonly #echo: Tree;
  readonly #parts = new Map<number, ItemEvents>();
  /** A message whose text has ended; the next part continues it if that is a text as well. */
  #paused: ItemEvents | undefined;
  /** The finished items, each at its place; a place stays empty while its item is open. */
  readonly #output: (object | undefined)[] = [];
  #head: Head | undefined;
  #sequence = 0;
  #finish: Finish = { reason: 'stop' };
  #usage: Usage = unknownUsage;
  #severalCandidates = false;
  #refused = false;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#echo = writeEcho(context.request);
  }

  get losses() {
    return this.#losses.all;
  }

  write(event: StreamEvent): string {
    if ('candidate' in event && event.candidate !== undefined && event.candidate > 0) return this.#otherCandidate();
    switch (event.type) {
      case 'reply-start':
        return this.#start(event);
      case 'part-start':
        return this.#open(event.part, event.opening);
      case 'text-delta':
        return this.#parts.get(event.part)?.add(event.text, event.logprobs) ?? '';
      case 'thinking-delta':
      case 'tool-input-delta':
        return this.#parts.get(event.part)?.add(event.text, undefined) ?? '';
      case 'media-delta':
        return this.#parts.get(event.part)?.add(event.data, undefined) ?? '';
      case 'citation':
        return this.#cite(event.part, event.citation);
      case 'seal':
        this.#parts.get(event.part)?.seal(event.seal);
        return '';
      case 'part-end':
        return this.#close(event.part);
      case 'candidate-end':
        this.#finish = event.finish;
        return this.#settle();
      case 'usage':
        this.#usage = laterUsage(this.#usage, event.usage);
        return '';
      case 'reply-end':
        return this.#end();
      case 'failure':
        return this.#fail(errorOf(event));
      case 'native':
        return this.#native(event);
    }
  }

  readonly #next = (): number => this.#sequence++;

  readonly #newId = (prefix: string): string => this.#context.newId(prefix);

  /** A reply without a start event still needs one. */
  #announced(): Head {
    this.#head ??= writeHead({ id: '', model: '', createdAtMs: this.#context.nowMs }, this.#context, this.#losses);
    return this.#head;
  }

  #start(start: StreamEvent & { readonly type: 'reply-start' }): string {
    this.#head = writeHead(start, this.#context, this.#losses);
    return this.#announce();
  }

  #announce(): string {
    const beginning: Ending = {
      status: 'in_progress',
      completedAt: null,
      error: null,
      incompleteReason: undefined,
      usage: usageAtStart,
    };
    const reply = JSON.stringify(writeEnvelope(this.#announced(), this.#echo, beginning, []));
    return this.#replyEvent('response.created', reply) + this.#replyEvent('response.in_progress', reply);
  }

  #replyEvent(type: string, reply: string): string {
    return `event: ${type}\ndata: {"type":"${type}","response":${reply},"sequence_number":${this.#next()}}\n\n`;
  }

  #open(part: number, opening: PartOpening): string {
    const place = this.#output.length;
    if (opening.type === 'text' && opening.opensMessage !== true && this.#paused?.place === place - 1) {
      this.#paused.resume?.();
      this.#parts.set(part, this.#paused);
      this.#paused = undefined;
      return '';
    }
    const settled = this.#settle();
    this.#refused ||= opening.type === 'refusal';
    const item = openItem(opening, this.#itemContext(place));
    if (item === undefined) return settled;
    this.#output.push(undefined);
    this.#parts.set(part, item);
    return settled + item.open();
  }

  #settle(): string {
    const message = this.#paused;
    if (message === undefined) return '';
    this.#paused = undefined;
    return this.#finishItem(message);
  }

  #finishItem(item: ItemEvents): string {
    const said = item.close();
    this.#output[item.place] = item.item('completed');
    return said;
  }

  #itemContext(place: number): ItemContext {
    return { place, newId: this.#newId, next: this.#next, tools: this.#context.tools, losses: this.#losses };
  }

  #cite(part: number, citation: Citation): string {
    return this.#parts.get(part)?.cite(citation) ?? '';
  }

  #close(part: number): string {
    const open = this.#parts.get(part);
    if (open === undefined) return '';
    this.#parts.delete(part);
    if (open.pause === undefined) return this.#finishItem(open);
    const said = this.#settle() + open.pause();
    this.#paused = open;
    return said;
  }

  /** An item that the format made itself comes whole. */
  #native(event: StreamEvent & { readonly type: 'native' }): string {
    // A dropped item still keeps the texts around it apart.
    const settled = event.part === undefined ? '' : this.#settle();
    if (event.format !== formatName) {
      this.#reportForeign(event);
      return settled;
    }
    if (event.part === undefined || !isObject(event.value)) return settled;
    const place = this.#output.length;
    this.#output.push(event.value);
    const item = `"output_index":${place},"item":${JSON.stringify(event.value)}`;
    return `${settled}${this.#itemEvent('added', item)}${this.#itemEvent('done', item)}`;
  }

  #reportForeign(event: StreamEvent & { readonly type: 'native' }): void {
    if (event.part === undefined) this.#losses.addBeside(event, formatName);
    else this.#losses.add(`output ${kindOf(event.value)}`, 'is supported by its own format only');
  }

  #itemEvent(step: 'added' | 'done', item: string): string {
    const type = `response.output_item.${step}`;
    return `event: ${type}\ndata: {"type":"${type}",${item},"sequence_number":${this.#next()}}\n\n`;
  }

  #otherCandidate(): string {
    if (!this.#severalCandidates) this.#losses.add('candidates', 'the format supports one only');
    this.#severalCandidates = true;
    return '';
  }

  #end(): string {
    const settled = this.#settle();
    const head = this.#announced();
    const finish = { ...this.#finish, refused: this.#refused };
    const ending = writeEnd(finish, this.#usage, head, this.#context, this.#losses);
    const reply = writeEnvelope(head, this.#echo, ending, this.#finished());
    return settled + this.#replyEvent(`response.${ending.status}`, JSON.stringify(reply));
  }

  #finished(): object[] {
    return this.#output.filter((item) => item !== undefined);
  }

  /** The reply ends as a failed one, with what there is of it. */
  #fail(error: GatewayError): string {
    const announced = this.#head === undefined ? this.#announce() : '';
    const open = this.#paused === undefined ? this.#parts.values() : [this.#paused, ...this.#parts.values()];
    for (const item of open) this.#output[item.place] = item.item('in_progress');
    const ending: Ending = {
      status: 'failed',
      completedAt: null,
      error: writeReplyError(error),
      incompleteReason: undefined,
      usage: undefined,
    };
    const reply = writeEnvelope(this.#announced(), this.#echo, ending, this.#finished());
    return announced + this.#replyEvent('response.failed', JSON.stringify(reply));
  }
}
