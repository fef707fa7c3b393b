/** The events of calls: of functions, of tools that take a text, and of the client's own search for tools. */

import type { PartOpening } from '../../../conversation/text-reply.ts';
import { InputText } from '../../../conversation/tools/freeform-input.ts';
import { type Call, callItem, callOf, customCallItem, type ItemStatus, searchCallItem } from '../output-items.ts';
import { deltaHead, Events, type ItemContext, type ItemEvents } from './one-item.ts';

export function openCall(opening: Extract<PartOpening, { type: 'tool-call' }>, context: ItemContext): ItemEvents {
  const call = callOf(opening.id, opening.name, context.tools);
  if (context.tools?.get(opening.name)?.searches === true) return new SearchCallEvents(context, opening.id);
  if (opening.freeform === true) return new CustomCallEvents(context, call, undefined);
  const isFreeform = context.tools?.get(opening.name)?.freeform !== undefined;
  return isFreeform ? new CustomCallEvents(context, call, new InputText()) : new CallEvents(context, call);
}

class CallEvents extends Events {
  readonly #call: Call;
  readonly #head: string;

  constructor(context: ItemContext, call: Call) {
    super(context, 'fc_');
    this.#call = call;
    this.#head = deltaHead('response.function_call_arguments.delta', this.address);
  }

  open(): string {
    return this.added();
  }

  add(delta: string): string {
    this.said += delta;
    return `${this.#head}${JSON.stringify(delta)},"sequence_number":${this.context.next()}}\n\n`;
  }

  close(): string {
    const fields = `${this.address},"name":${JSON.stringify(this.#call.name)},"arguments":${JSON.stringify(this.said)}`;
    return this.event('response.function_call_arguments.done', fields) + this.done();
  }

  item(status: ItemStatus): object {
    return callItem(this.id, status, this.#call, this.said);
  }
}

/** The call of a tool that takes a text; `input` reads it from the arguments of the function that replaced the tool. */
class CustomCallEvents extends Events {
  readonly #call: Call;
  readonly #head: string;
  readonly #input: InputText | undefined;

  constructor(context: ItemContext, call: Call, input: InputText | undefined) {
    super(context, 'ctc_');
    this.#call = call;
    this.#input = input;
    this.#head = deltaHead('response.custom_tool_call_input.delta', this.address);
  }

  open(): string {
    return this.added();
  }

  add(delta: string): string {
    return this.#say(this.#input === undefined ? delta : this.#input.add(delta));
  }

  #say(text: string): string {
    if (text === '') return '';
    this.said += text;
    return `${this.#head}${JSON.stringify(text)},"sequence_number":${this.context.next()}}\n\n`;
  }

  close(): string {
    const rest = this.#say(this.#input?.end() ?? '');
    const fields = `${this.address},"input":${JSON.stringify(this.said)}`;
    return rest + this.event('response.custom_tool_call_input.done', fields) + this.done();
  }

  item(status: ItemStatus): object {
    return customCallItem(this.id, status, this.#call, this.said);
  }
}

/** A search of the client's is shown when its arguments are whole. */
class SearchCallEvents extends Events {
  readonly #callId: string;

  constructor(context: ItemContext, callId: string) {
    super(context, 'tsc_');
    this.#callId = callId;
  }

  open(): string {
    return this.added();
  }

  add(delta: string): string {
    this.said += delta;
    return '';
  }

  close(): string {
    return this.done();
  }

  item(status: ItemStatus): object {
    return searchCallItem(this.id, status, this.#callId, this.said);
  }
}
