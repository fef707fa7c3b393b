/** The chat format: messages with parts, deltas of one choice. */

import type { Attachment, ToolCall } from '../conversation/conversation.ts';
import type { Ask, Draft, DraftFailure, FormatAdapter, NeutralMessage, ReplyReader } from './format-adapter.ts';
import { countOf, type Fields, failureOf, fieldsOf, listOf, parseData, textOf } from './read-values.ts';
import type { ServerEvent } from './server-events.ts';
import { dataUrl, jsonRequest } from './write-values.ts';

export const chat: FormatAdapter = {
  name: 'chat',
  parameters: ['temperature', 'topP', 'maxTokens', 'stop', 'seed', 'effort', 'presencePenalty', 'frequencyPenalty'],
  request: (ask) => jsonRequest('/v1/chat/completions', bodyOf(ask)),
  reader: () => new ChatReader(),
};

function bodyOf({ model, system, messages, parameters, tools, schema }: Ask): object {
  const { temperature, topP, maxTokens, stop, seed, effort, presencePenalty, frequencyPenalty } = parameters;
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages.flatMap(messageOf)],
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    ...(stop !== undefined && { stop }),
    ...(seed !== undefined && { seed }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema: parameters }) => ({
        type: 'function',
        function: { name, ...(description !== undefined && { description }), parameters },
      })),
    }),
    ...(schema !== undefined && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    }),
  };
}

function messageOf(message: NeutralMessage): object[] {
  if (message.role === 'tool') {
    return message.results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text }));
  }
  if (message.role === 'user') {
    const { text, attachments } = message;
    if (attachments.length === 0) return [{ role: 'user', content: text }];
    const said = text === '' ? [] : [{ type: 'text', text }];
    return [{ role: 'user', content: [...attachments.map(partOf), ...said] }];
  }
  if (message.native?.format === 'chat') return [fieldsOf(message.native.content)];
  const { text, calls } = message;
  return [{ role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls.map(callOf) }) }];
}

const callOf = ({ id, name, arguments: text }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

function partOf(attachment: Attachment): object {
  const { mediaType, name, base64 } = attachment;
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url: dataUrl(attachment) } };
  const sound = /^audio\/(?:x-)?(wav|mpeg|mp3)$/.exec(mediaType)?.[1];
  if (sound !== undefined) {
    return { type: 'input_audio', input_audio: { data: base64, format: sound === 'wav' ? 'wav' : 'mp3' } };
  }
  return { type: 'file', file: { filename: name, file_data: dataUrl(attachment) } };
}

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
  /** Fields beside the usual ones, such as signatures: they go back as they came. */
  extra: Fields;
}

class ChatReader implements ReplyReader {
  #thinking = '';
  #text = '';
  readonly #calls: OpenCall[] = [];
  readonly #details: unknown[] = [];
  #finish: string | undefined;
  #failure: DraftFailure | undefined;
  #isEnded = false;
  #usage: Fields = {};

  take(event: ServerEvent): void {
    if (event.data === '[DONE]') {
      this.#isEnded = true;
      return;
    }
    const data = parseData(event);
    if (data['error'] !== undefined) this.#failure = failureOf(fieldsOf(data['error']));
    if (data['usage'] != null) this.#usage = fieldsOf(data['usage']);
    const choice = fieldsOf(listOf(data['choices'])[0]);
    this.#finish = textOf(choice['finish_reason']) || this.#finish;
    const delta = fieldsOf(choice['delta']);
    this.#thinking += textOf(delta['reasoning_content'] ?? delta['reasoning']);
    this.#text += textOf(delta['content']) + textOf(delta['refusal']);
    this.#details.push(...listOf(delta['reasoning_details']));
    for (const call of listOf(delta['tool_calls'])) this.#takeCall(fieldsOf(call));
  }

  #takeCall({ index, id, type: _type, function: called, ...extra }: Fields): void {
    const place = countOf(index) ?? this.#calls.length;
    const { name, arguments: text } = fieldsOf(called);
    this.#calls[place] ??= { id: '', name: '', arguments: '', extra: {} };
    const open = this.#calls[place];
    open.id ||= textOf(id);
    open.name ||= textOf(name);
    open.arguments += textOf(text);
    Object.assign(open.extra, extra);
  }

  draft(): Draft {
    const calls = this.#calls.filter((call) => call !== undefined);
    const inputTokens = countOf(this.#usage['prompt_tokens']);
    const outputTokens = countOf(this.#usage['completion_tokens']);
    return {
      thinking: this.#thinking,
      text: this.#text,
      calls: calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text })),
      isEnded: this.#isEnded,
      ...(this.#finish !== undefined && { finish: this.#finish }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...(this.#isEnded && { native: this.#native(calls) }),
    };
  }

  #native(calls: readonly OpenCall[]): object {
    return {
      role: 'assistant',
      content: this.#text,
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
      ...(calls.length > 0 && { tool_calls: calls.map((call) => ({ ...callOf(call), ...call.extra })) }),
    };
  }
}
