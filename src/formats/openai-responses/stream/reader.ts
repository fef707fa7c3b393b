/** Reads the responses format's stream events, those of providers that skip some of them included. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { StreamEvent } from '../../../conversation/text-reply.ts';
import type { ReadContext, StreamReader } from '../../codec.ts';
import type { FieldTable } from '../../fields/field-table.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { faultOf, faultOfEvent } from '../errors.ts';
import { eventTable, items as itemTable, parts, replyTable } from '../fields.ts';
import { readExtras, readHead } from '../read/reply.ts';
import { usageOf } from '../usage.ts';
import { list, readAnnotation, readFinish, readLogprobs, text } from '../wire.ts';
import { OpenItems } from './open-items.ts';

export function streamReader(context: ReadContext): StreamReader {
  return new ResponsesReader(context);
}

const nothing: readonly StreamEvent[] = [];

class ResponsesReader implements StreamReader {
  readonly #context: ReadContext;
  readonly #losses = new LossList();
  readonly #items: OpenItems;
  #started = false;
  /** The fields beside the output that the beginning said. */
  #begun: Tree = {};
  #over = false;

  constructor(context: ReadContext) {
    this.#context = context;
    this.#items = new OpenItems(context, this.#losses);
  }

  get losses() {
    return this.#losses.all;
  }

  read(data: string): readonly StreamEvent[] {
    if (this.#over || data === '[DONE]') return nothing;
    const event: unknown = JSON.parse(data);
    if (!isObject(event) || typeof event['type'] !== 'string') throw new SyntaxError('An event has a `type`.');
    const items = this.#items;
    reportUnread(event, eventTable, this.#losses, [event['type']]);
    const index = event['output_index'];
    if (typeof index === 'number') {
      if (!this.#started) this.#start({});
      this.#readItemEvent(event, event['type'], index);
    } else this.#readReplyEvent(event, event['type']);
    return items.take();
  }

  /** Everything was emitted at the terminal event already. */
  end(): readonly StreamEvent[] {
    return nothing;
  }

  #start(response: Tree): void {
    this.#started = true;
    const head = readHead(response, this.#context);
    this.#begun = head.extras?.fields ?? {};
    this.#items.push({ type: 'reply-start', ...head });
  }

  #readItemEvent(event: Tree, type: string, index: number): void {
    const items = this.#items;
    const content = typeof event['content_index'] === 'number' ? event['content_index'] : 0;
    const delta = text(event['delta']) ?? '';
    switch (type) {
      case 'response.output_text.delta':
        items.addText(index, content, 'text', delta, readLogprobs(event['logprobs']));
        break;
      case 'response.refusal.delta':
        items.addText(index, content, 'refusal', delta, undefined);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        items.addArguments(index, delta);
        break;
      case 'response.reasoning_summary_text.delta':
        items.addThinking(index, 'summary', Number(event['summary_index'] ?? 0), delta);
        break;
      case 'response.reasoning_text.delta':
        items.addThinking(index, 'content', content, delta);
        break;
      case 'response.output_item.added':
        if (isObject(event['item'])) items.open(index, this.#walked(event['item'], itemTable, ['output', index]));
        break;
      case 'response.output_item.done':
        if (isObject(event['item'])) items.close(index, event['item']);
        break;
      case 'response.content_part.added':
        if (isObject(event['part']))
          items.openContent(index, content, this.#walked(event['part'], parts, ['output', index, 'content', content]));
        break;
      case 'response.content_part.done':
        if (isObject(event['part'])) items.closeContent(index, content, event['part']);
        break;
      case 'response.reasoning_summary_part.added':
        items.openThinking(index);
        break;
      case 'response.function_call_arguments.done':
        items.completeArguments(index, text(event['arguments']) ?? '');
        break;
      case 'response.custom_tool_call_input.done':
        items.completeArguments(index, text(event['input']) ?? '');
        break;
      case 'response.output_text.annotation.added': {
        const citation = readAnnotation(event['annotation']);
        if (citation !== undefined) items.addCitation(index, content, citation);
        break;
      }
      case 'response.image_generation_call.partial_image':
        this.#losses.add(type, 'shows an image that is not finished');
    }
    // Any other event reports the progress of a provider's own tool; its item follows whole.
  }

  #walked(value: Tree, table: FieldTable, at: readonly (string | number)[]): Tree {
    reportUnread(value, table, this.#losses, at);
    return value;
  }

  #readReplyEvent(event: Tree, type: string): void {
    const response = isObject(event['response']) ? event['response'] : {};
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        if (!this.#started) this.#start(response);
        break;
      case 'response.completed':
      case 'response.incomplete':
        if (!this.#started) this.#start(response);
        this.#finish(response, type.slice('response.'.length));
        break;
      case 'response.failed':
        this.#fail(faultOf(response['error']));
        break;
      case 'error':
        this.#fail(faultOfEvent(event));
        break;
      case 'response.audio.delta':
      case 'response.audio.transcript.delta':
        this.#losses.add(type, 'belongs to no part of the reply');
    }
  }

  #finish(response: Tree, status: string): void {
    const items = this.#items;
    reportUnread(response, replyTable, this.#losses);
    for (const name in readExtras(response).extras?.fields) {
      if (!(name in this.#begun)) this.#losses.addOnce(name, 'came after the beginning');
    }
    list(response['output']).forEach((item, index) => {
      if (isObject(item) && !items.knows(index, item)) items.close(index, item);
    });
    items.closeAll();
    const finish = readFinish(response, response['status'] ?? status, items.calls, items.refused);
    items.push({ type: 'candidate-end', candidate: 0, finish });
    const usage = usageOf(response);
    if (usage !== undefined) items.push({ type: 'usage', usage });
    items.push({ type: 'reply-end' });
    this.#over = true;
  }

  #fail(fault: ReturnType<typeof faultOf>): void {
    this.#items.push({
      type: 'failure',
      code: 'upstream_failed',
      message: fault.message || 'The provider reported an error in its stream.',
      providerType: fault.type,
      providerCode: fault.code,
    });
    this.#over = true;
  }
}
