/** What a scripted provider answers in each wire format: one text with its usage, whole or as the events of a stream. */

import type { Tree } from '../../src/conversation/json-tree.ts';
import { messageItem, responseEvents, responseReply, responseUsage } from '../../test/harness/response-replies.ts';

export interface Said {
  readonly model: string;
  readonly text: string;
  readonly inputTokens: number;
  /** Of the input tokens. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

export interface TextWire {
  whole(said: Said): Tree;
  /** The events of a stream as they go over the wire. */
  events(said: Said): readonly string[];
}

/** A stream has about so many deltas, however long its text is. */
const deltasMax = 12;

function pieces(text: string): readonly string[] {
  const length = Math.ceil(text.length / deltasMax);
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));
}

const data = (tree: object): string => `data: ${JSON.stringify(tree)}\n\n`;
const named = (tree: Tree): string => `event: ${String(tree['type'])}\n${data(tree)}`;

const chat: TextWire = {
  whole: (said) => ({
    id: 'chatcmpl-demo',
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: said.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: said.text, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: chatUsage(said),
  }),
  events(said) {
    const head = { id: 'chatcmpl-demo', object: 'chat.completion.chunk', created: 1, model: said.model };
    const chunk = (delta: object, finish: string | null = null) =>
      data({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], usage: null });
    return [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(said.text).map((content) => chunk({ content })),
      chunk({}, 'stop'),
      data({ ...head, choices: [], usage: chatUsage(said) }),
      'data: [DONE]\n\n',
    ];
  },
};

function chatUsage({ inputTokens, cachedTokens, outputTokens }: Said): Tree {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

function wholeResponse({ model, text, inputTokens, outputTokens, cachedTokens }: Said): Tree {
  const usage = responseUsage(inputTokens, outputTokens, cachedTokens);
  return responseReply({ id: `resp_${crypto.randomUUID()}`, model, output: [messageItem(text)], usage });
}

const responses: TextWire = {
  whole: wholeResponse,
  events: (said) => responseEvents(wholeResponse(said)).map(named),
};

const messages: TextWire = {
  whole: (said) => ({ ...messageOf(said), content: [{ type: 'text', text: said.text }], stop_reason: 'end_turn' }),
  events: (said) =>
    [
      { type: 'message_start', message: { ...messageOf(said), content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...pieces(said.text).map((text) => ({
        ...{ type: 'content_block_delta', index: 0 },
        delta: { type: 'text_delta', text },
      })),
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: said.outputTokens },
      },
      { type: 'message_stop' },
    ].map(named),
};

/** Cached tokens are counted beside the others here. */
function messageOf({ model, inputTokens, cachedTokens, outputTokens }: Said): Tree {
  const usage = {
    input_tokens: inputTokens - cachedTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: 0,
    output_tokens: outputTokens,
  };
  return { id: 'msg_demo', type: 'message', role: 'assistant', model, stop_sequence: null, usage };
}

const generate: TextWire = {
  whole: (said) => generated(said, said.text, true),
  events(said) {
    const parts = pieces(said.text);
    return parts.map((text, at) => data(generated(said, text, at === parts.length - 1)));
  },
};

function generated({ model, inputTokens, cachedTokens, outputTokens }: Said, text: string, isLast: boolean): Tree {
  const usageMetadata = {
    promptTokenCount: inputTokens,
    cachedContentTokenCount: cachedTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
  };
  const content = { role: 'model', parts: [{ text }] };
  return {
    candidates: [{ index: 0, content, ...(isLast && { finishReason: 'STOP' }) }],
    modelVersion: model,
    responseId: 'demo',
    ...(isLast && { usageMetadata }),
  };
}

/** By the end of the path. */
export const textWires: readonly (readonly [path: RegExp, wire: TextWire])[] = [
  [/\/chat\/completions$/, chat],
  [/\/responses$/, responses],
  [/\/messages$/, messages],
  [/:(?:stream)?[gG]enerateContent$/, generate],
];
