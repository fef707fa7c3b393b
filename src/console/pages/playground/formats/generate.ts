/** The content-generation format: the model stands in the path, and every event carries a piece of the one candidate's parts. */

import type { Attachment, ToolCall } from '../conversation/conversation.ts';
import type { Ask, Draft, DraftFailure, FormatAdapter, NeutralMessage, ReplyReader } from './format-adapter.ts';
import { countOf, type Fields, failureOf, fieldsOf, listOf, parseData, textOf } from './read-values.ts';
import type { ServerEvent } from './server-events.ts';
import { argumentsValue, jsonRequest } from './write-values.ts';

export const generate: FormatAdapter = {
  name: 'generate',
  parameters: [
    'temperature',
    'topP',
    'topK',
    'maxTokens',
    'stop',
    'seed',
    'effort',
    'presencePenalty',
    'frequencyPenalty',
  ],
  request: (ask) => jsonRequest(pathOf(ask.model), bodyOf(ask)),
  reader: () => new GenerateReader(),
};

/** A slash in the name stays one, as the format's own libraries send it. */
function pathOf(model: string): string {
  const name = model.split('/').map(encodeURIComponent).join('/');
  return `/v1beta/models/${name}:streamGenerateContent?alt=sse`;
}

function bodyOf({ system, messages, parameters, tools, schema }: Ask): object {
  const config = configOf(parameters, schema);
  return {
    ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
    contents: messages.map(contentOf),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(tools.length > 0 && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, schema: parametersJsonSchema }) => ({
            name,
            ...(description !== undefined && { description }),
            parametersJsonSchema,
          })),
        },
      ],
    }),
  };
}

function configOf(parameters: Ask['parameters'], schema: object | undefined): object {
  const { temperature, topP, topK, maxTokens, stop, seed, effort, presencePenalty, frequencyPenalty } = parameters;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(stop !== undefined && { stopSequences: stop }),
    ...(seed !== undefined && { seed }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(effort !== undefined && { thinkingConfig: { thinkingLevel: effort.toUpperCase(), includeThoughts: true } }),
    ...(schema !== undefined && { responseMimeType: 'application/json', responseJsonSchema: schema }),
  };
}

function contentOf(message: NeutralMessage): object {
  if (message.role === 'tool') {
    const parts = message.results.map(({ callId, name, text }) => ({
      functionResponse: { id: callId, name, response: { output: text } },
    }));
    return { role: 'user', parts };
  }
  if (message.role === 'user') {
    const { text, attachments } = message;
    return { role: 'user', parts: [...attachments.map(partOf), ...(text === '' ? [] : [{ text }])] };
  }
  if (message.native?.format === 'generate') return { role: 'model', parts: message.native.content };
  const { text, calls } = message;
  const called = calls.map(({ id, name, arguments: given }) => ({
    functionCall: { id, name, args: argumentsValue(given) },
  }));
  return { role: 'model', parts: [...(text === '' ? [] : [{ text }]), ...called] };
}

const partOf = ({ mediaType, base64 }: Attachment): object => ({
  inlineData: { mimeType: mediaType, data: base64 },
});

class GenerateReader implements ReplyReader {
  #thinking = '';
  #text = '';
  readonly #calls: ToolCall[] = [];
  readonly #parts: Fields[] = [];
  #finish: string | undefined;
  #failure: DraftFailure | undefined;
  #usage: Fields = {};

  take(event: ServerEvent): void {
    const data = parseData(event);
    if (data['error'] !== undefined) this.#failure = failureOf(fieldsOf(data['error']));
    if (data['usageMetadata'] != null) this.#usage = fieldsOf(data['usageMetadata']);
    const candidate = fieldsOf(listOf(data['candidates'])[0]);
    this.#finish = textOf(candidate['finishReason']) || this.#finish;
    const blocked = textOf(fieldsOf(data['promptFeedback'])['blockReason']);
    if (blocked !== '') this.#finish = blocked;
    for (const part of listOf(fieldsOf(candidate['content'])['parts'])) this.#takePart(fieldsOf(part));
  }

  #takePart(part: Fields): void {
    const text = textOf(part['text']);
    if (part['thought'] === true) this.#thinking += text;
    else this.#text += text;
    if (part['functionCall'] !== undefined) {
      const { id, name, args } = fieldsOf(part['functionCall']);
      const callId = textOf(id) || `call-${this.#calls.length + 1}`;
      this.#calls.push({ id: callId, name: textOf(name), arguments: JSON.stringify(args ?? {}) });
    }
    this.#keep(part, text);
  }

  /** Pieces of one text become one part again; a signature belongs to the part in which it came. */
  #keep(part: Fields, text: string): void {
    const last = this.#parts.at(-1);
    const isPlain = 'text' in part;
    const continues = isPlain && last !== undefined && 'text' in last && last['thought'] === part['thought'];
    if (continues && last['thoughtSignature'] === undefined) {
      Object.assign(last, part, { text: textOf(last['text']) + text });
    } else if (!isPlain || text !== '' || part['thoughtSignature'] !== undefined) this.#parts.push({ ...part });
  }

  draft(): Draft {
    const inputTokens = countOf(this.#usage['promptTokenCount']);
    const candidates = countOf(this.#usage['candidatesTokenCount']);
    const thoughts = countOf(this.#usage['thoughtsTokenCount']) ?? 0;
    const isEnded = this.#finish !== undefined;
    return {
      thinking: this.#thinking,
      text: this.#text,
      calls: [...this.#calls],
      isEnded,
      ...(this.#finish !== undefined && { finish: this.#finish }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
      ...(inputTokens !== undefined && { inputTokens }),
      ...(candidates !== undefined && { outputTokens: candidates + thoughts }),
      ...(isEnded && { native: this.#parts }),
    };
  }
}
