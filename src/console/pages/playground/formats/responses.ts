/** The responses format: a list of items in, items out; nothing is stored, the whole conversation goes along each time. */

import type { Attachment, ToolCall } from '../conversation/conversation.ts';
import type { Ask, Draft, DraftFailure, FormatAdapter, NeutralMessage, ReplyReader } from './format-adapter.ts';
import { countOf, type Fields, failureOf, fieldsOf, listOf, parseData, textOf } from './read-values.ts';
import type { ServerEvent } from './server-events.ts';
import { dataUrl, jsonRequest } from './write-values.ts';

export const responses: FormatAdapter = {
  name: 'responses',
  parameters: ['temperature', 'topP', 'maxTokens', 'effort'],
  request: (ask) => jsonRequest('/v1/responses', bodyOf(ask)),
  reader: () => new ResponsesReader(),
};

function bodyOf({ model, system, messages, parameters, tools, schema }: Ask): object {
  const { temperature, topP, maxTokens, effort } = parameters;
  return {
    model,
    ...(system !== '' && { instructions: system }),
    input: messages.flatMap(itemsOf),
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(effort !== undefined && { reasoning: { effort, summary: 'auto' } }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema: parameters }) => ({
        type: 'function',
        name,
        ...(description !== undefined && { description }),
        parameters,
        strict: false,
      })),
    }),
    ...(schema !== undefined && { text: { format: { type: 'json_schema', name: 'answer', schema } } }),
  };
}

function itemsOf(message: NeutralMessage): readonly unknown[] {
  if (message.role === 'tool') {
    return message.results.map(({ callId, text }) => ({
      type: 'function_call_output',
      call_id: callId,
      output: text,
    }));
  }
  if (message.role === 'user') {
    const { text, attachments } = message;
    if (attachments.length === 0) return [{ role: 'user', content: text }];
    const said = text === '' ? [] : [{ type: 'input_text', text }];
    return [{ role: 'user', content: [...attachments.map(partOf), ...said] }];
  }
  if (message.native?.format === 'responses') return listOf(message.native.content);
  const { text, calls } = message;
  return [
    ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
    ...calls.map(({ id, name, arguments: given }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: given,
    })),
  ];
}

function partOf(attachment: Attachment): object {
  const { mediaType, name } = attachment;
  if (mediaType.startsWith('image/')) return { type: 'input_image', image_url: dataUrl(attachment) };
  return { type: 'input_file', filename: name, file_data: dataUrl(attachment) };
}

class ResponsesReader implements ReplyReader {
  #thinking = '';
  #text = '';
  /** By the place of their item in the reply. */
  readonly #calls = new Map<number, ToolCall>();
  readonly #items: unknown[] = [];
  #finish: string | undefined;
  #failure: DraftFailure | undefined;
  #isEnded = false;
  #usage: Fields = {};

  take(event: ServerEvent): void {
    const data = parseData(event);
    const type = textOf(data['type']);
    const delta = textOf(data['delta']);
    const place = countOf(data['output_index']) ?? 0;
    if (type === 'response.output_text.delta' || type === 'response.refusal.delta') this.#text += delta;
    else if (type === 'response.reasoning_summary_text.delta' || type === 'response.reasoning_text.delta') {
      this.#thinking += delta;
    } else if (type === 'response.function_call_arguments.delta') {
      const call = this.#calls.get(place);
      if (call !== undefined) this.#calls.set(place, { ...call, arguments: call.arguments + delta });
    } else if (type === 'response.output_item.added') this.#takeItem(place, fieldsOf(data['item']), false);
    else if (type === 'response.output_item.done') this.#takeItem(place, fieldsOf(data['item']), true);
    else if (type === 'error') this.#failure = failureOf(fieldsOf(data['error'] ?? data));
    else if (/^response\.(completed|incomplete|failed)$/.test(type)) this.#takeEnd(fieldsOf(data['response']));
  }

  #takeItem(place: number, item: Fields, isDone: boolean): void {
    if (isDone) this.#items.push(item);
    if (item['type'] !== 'function_call') return;
    this.#calls.set(place, {
      id: textOf(item['call_id']),
      name: textOf(item['name']),
      arguments: textOf(item['arguments']),
    });
  }

  #takeEnd(response: Fields): void {
    this.#finish = textOf(fieldsOf(response['incomplete_details'])['reason']) || textOf(response['status']);
    if (response['usage'] != null) this.#usage = fieldsOf(response['usage']);
    if (response['error'] != null) this.#failure = failureOf(fieldsOf(response['error']));
    this.#isEnded = true;
  }

  draft(): Draft {
    const inputTokens = countOf(this.#usage['input_tokens']);
    const outputTokens = countOf(this.#usage['output_tokens']);
    return {
      thinking: this.#thinking,
      text: this.#text,
      calls: [...this.#calls.values()],
      isEnded: this.#isEnded,
      ...(this.#finish !== undefined && { finish: this.#finish }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...(this.#isEnded && this.#failure === undefined && { native: this.#items }),
    };
  }
}
