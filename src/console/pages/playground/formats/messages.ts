/** The messages format: blocks with an index, each opened, filled and closed by events of its own. */

import type { Attachment } from '../conversation/conversation.ts';
import type { Ask, Draft, DraftFailure, FormatAdapter, NeutralMessage, ReplyReader } from './format-adapter.ts';
import { countOf, type Fields, failureOf, fieldsOf, listOf, parseData, textOf } from './read-values.ts';
import type { ServerEvent } from './server-events.ts';
import { argumentsValue, decodedText, jsonRequest } from './write-values.ts';

export const messages: FormatAdapter = {
  name: 'messages',
  parameters: ['temperature', 'topP', 'topK', 'maxTokens', 'stop', 'effort'],
  request: (ask) => jsonRequest('/v1/messages', bodyOf(ask)),
  reader: () => new MessagesReader(),
};

/** The format demands a number; this one is enough for a long answer. */
const maxTokensDefault = 4_096;

function bodyOf({ model, system, messages: said, parameters, tools, schema }: Ask): object {
  const { temperature, topP, topK, maxTokens, stop, effort } = parameters;
  const config = {
    ...(effort !== undefined && { effort }),
    ...(schema !== undefined && { format: { type: 'json_schema', schema } }),
  };
  return {
    model,
    max_tokens: maxTokens ?? maxTokensDefault,
    ...(system !== '' && { system }),
    messages: said.map(messageOf),
    stream: true,
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(stop !== undefined && { stop_sequences: stop }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema: input }) => ({
        name,
        ...(description !== undefined && { description }),
        input_schema: input,
      })),
    }),
  };
}

function messageOf(message: NeutralMessage): object {
  if (message.role === 'tool') {
    return {
      role: 'user',
      content: message.results.map(({ callId, text }) => ({
        type: 'tool_result',
        tool_use_id: callId,
        content: text,
      })),
    };
  }
  if (message.role === 'user') {
    const { text, attachments } = message;
    if (attachments.length === 0) return { role: 'user', content: text };
    const said = text === '' ? [] : [{ type: 'text', text }];
    return { role: 'user', content: [...attachments.map(blockOf), ...said] };
  }
  if (message.native?.format === 'messages') return { role: 'assistant', content: message.native.content };
  const { text, calls } = message;
  return {
    role: 'assistant',
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, arguments: given }) => ({ type: 'tool_use', id, name, input: argumentsValue(given) })),
    ],
  };
}

function blockOf(attachment: Attachment): object {
  const { mediaType, name, base64 } = attachment;
  if (mediaType.startsWith('image/')) {
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } };
  }
  const source = mediaType.startsWith('text/')
    ? { type: 'text', media_type: 'text/plain', data: decodedText(attachment) }
    : { type: 'base64', media_type: mediaType, data: base64 };
  return { type: 'document', source, title: name };
}

/** A block while it is written; `arguments` is the text of a call's input. */
interface OpenBlock {
  readonly fields: Fields;
  arguments: string;
}

class MessagesReader implements ReplyReader {
  readonly #blocks: OpenBlock[] = [];
  #finish: string | undefined;
  #failure: DraftFailure | undefined;
  #isEnded = false;
  #usage: Fields = {};

  take(event: ServerEvent): void {
    const data = parseData(event);
    switch (data['type']) {
      case 'message_start':
        Object.assign(this.#usage, fieldsOf(fieldsOf(data['message'])['usage']));
        return;
      case 'content_block_start':
        this.#blocks[countOf(data['index']) ?? this.#blocks.length] = {
          fields: { ...fieldsOf(data['content_block']) },
          arguments: '',
        };
        return;
      case 'content_block_delta':
        this.#takeDelta(countOf(data['index']) ?? -1, fieldsOf(data['delta']));
        return;
      case 'message_delta':
        this.#finish = textOf(fieldsOf(data['delta'])['stop_reason']) || this.#finish;
        Object.assign(this.#usage, fieldsOf(data['usage']));
        return;
      case 'message_stop':
        this.#isEnded = true;
        return;
      case 'error':
        this.#failure = failureOf(fieldsOf(data['error']));
    }
  }

  #takeDelta(index: number, delta: Fields): void {
    const block = this.#blocks[index];
    if (block === undefined) return;
    const { fields } = block;
    const append = (name: string) => {
      fields[name] = textOf(fields[name]) + textOf(delta[name]);
    };
    if (delta['type'] === 'text_delta') append('text');
    else if (delta['type'] === 'thinking_delta') append('thinking');
    else if (delta['type'] === 'signature_delta') append('signature');
    else if (delta['type'] === 'input_json_delta') block.arguments += textOf(delta['partial_json']);
    else if (delta['type'] === 'citations_delta') {
      fields['citations'] = [...listOf(fields['citations']), delta['citation']];
    }
  }

  draft(): Draft {
    const blocks = this.#blocks.filter((block) => block !== undefined);
    const joined = (type: string) =>
      blocks
        .filter(({ fields }) => fields['type'] === type)
        .map(({ fields }) => textOf(fields[type]))
        .join('');
    const inputTokens = this.#inputTokens();
    const outputTokens = countOf(this.#usage['output_tokens']);
    return {
      thinking: joined('thinking'),
      text: joined('text'),
      calls: blocks
        .filter(({ fields }) => fields['type'] === 'tool_use')
        .map(({ fields, arguments: text }) => ({
          id: textOf(fields['id']),
          name: textOf(fields['name']),
          arguments: text || JSON.stringify(fields['input'] ?? {}),
        })),
      isEnded: this.#isEnded,
      ...(this.#finish !== undefined && { finish: this.#finish }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...(this.#isEnded && { native: blocks.filter(isWorthSending).map(sentBlock) }),
    };
  }

  /** What was read from and written to the cache is counted apart from the rest. */
  #inputTokens(): number | undefined {
    const fresh = countOf(this.#usage['input_tokens']);
    if (fresh === undefined) return undefined;
    const cached = ['cache_read_input_tokens', 'cache_creation_input_tokens'] as const;
    return cached.reduce((sum, name) => sum + (countOf(this.#usage[name]) ?? 0), fresh);
  }
}

/** The format refuses empty texts. */
const isWorthSending = ({ fields }: OpenBlock) => fields['type'] !== 'text' || textOf(fields['text']) !== '';

function sentBlock({ fields, arguments: text }: OpenBlock): object {
  return fields['type'] === 'tool_use' && text !== '' ? { ...fields, input: argumentsValue(text) } : fields;
}
