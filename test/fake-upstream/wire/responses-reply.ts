/** The scripted responses-format provider. */

import { errorWords } from './chat-reply.ts';
import { cut, type Said, unique } from './issued.ts';
import { type Asked, providerKey, type WireProvider } from './provider.ts';
import { readResponses } from './responses-request.ts';
import { usage } from './scenes.ts';
import { filled, type Json, must, type Seen } from './seen.ts';

export const responsesProvider: WireProvider = {
  kind: 'openai-responses',
  version: '/v1',
  callPrefix: 'call_',
  sealPlace: 'thinking',
  takesStop: false,
  namesCalls: () => true,
  route(path, headers, body): Asked | undefined {
    if (path !== '/v1/responses') return undefined;
    must(headers.get('authorization') === `Bearer ${providerKey}`, 'the key is not in the authorization header');
    return { model: filled(body.model, 'model'), stream: body.stream === true };
  },
  read: readResponses,
  whole: (said, seen, body) => envelope(said, body, itemsOf(said, seen)),
  frames(said, seen, body) {
    const items = itemsOf(said, seen);
    const { usage: _, ...unused } = envelope(said, body, []);
    const begun = { ...unused, status: 'in_progress', completed_at: null };
    const events: Json[] = [
      { type: 'response.created', response: begun },
      { type: 'response.in_progress', response: begun },
    ];
    for (const [index, item] of items.entries()) events.push(...itemEvents(item, index, said));
    events.push({ type: 'response.completed', response: envelope(said, body, items) });
    return events.map(
      (event, sequence_number) =>
        `event: ${String(event.type)}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
    );
  },
  errorBody(status, message) {
    const [type, code] = errorWords.get(status) ?? ['invalid_request_error', 'odd_number'];
    return { error: { message, type, param: null, code } };
  },
  errorFrame(message) {
    const error = { type: 'server_error', code: 'server_is_overloaded', message, param: null };
    return `event: error\ndata: ${JSON.stringify({ type: 'error', error, sequence_number: 0 })}\n\n`;
  },
};

type Item =
  | { type: 'reasoning'; id: string; summary: { type: 'summary_text'; text: string }[]; encrypted_content?: string }
  | { type: 'message'; id: string; status: string; role: 'assistant'; content: Content[] }
  | { type: 'function_call'; id: string; status: string; call_id: string; name: string; arguments: string };

type Content =
  | { type: 'output_text'; annotations: []; logprobs: []; text: string }
  | { type: 'refusal'; refusal: string };

function itemsOf(said: Said, seen: Seen): Item[] {
  const items: Item[] = [];
  if (said.thought !== undefined) {
    items.push({
      type: 'reasoning',
      id: unique('rs_'),
      summary: seen.showsThoughts ? [{ type: 'summary_text', text: said.thought }] : [],
      ...(seen.wantsSeals && { encrypted_content: said.seal }),
    });
  }
  const content: Content[] = [];
  if (said.pieces.length > 0) content.push(textOf(said.pieces.join('')));
  if (said.refusal !== undefined) content.push({ type: 'refusal', refusal: said.refusal });
  if (content.length > 0) {
    items.push({ type: 'message', id: unique('msg_'), status: 'completed', role: 'assistant', content });
  }
  for (const call of said.calls) {
    const { id: call_id, name, arguments: given } = call;
    items.push({ type: 'function_call', id: unique('fc_'), status: 'completed', call_id, name, arguments: given });
  }
  return items;
}

function textOf(text: string): Content {
  return { type: 'output_text', annotations: [], logprobs: [], text };
}

function itemEvents(item: Item, output_index: number, said: Said): Json[] {
  const place = { item_id: item.id, output_index };
  const added = (given: object): Json => ({ type: 'response.output_item.added', output_index, item: given });
  const done: Json = { type: 'response.output_item.done', output_index, item };
  switch (item.type) {
    case 'reasoning':
      return [added({ ...item, summary: [] }), ...summaryEvents(item, place), done];
    case 'message': {
      const inner = item.content.flatMap((part, content_index) =>
        contentEvents(part, { ...place, content_index }, said),
      );
      return [added({ ...item, status: 'in_progress', content: [] }), ...inner, done];
    }
    case 'function_call': {
      const type = 'response.function_call_arguments';
      const deltas = cut(item.arguments, 5).map((delta): Json => ({ type: `${type}.delta`, ...place, delta }));
      const whole: Json = { type: `${type}.done`, ...place, name: item.name, arguments: item.arguments };
      return [added({ ...item, status: 'in_progress', arguments: '' }), ...deltas, whole, done];
    }
  }
}

function summaryEvents({ summary }: Extract<Item, { type: 'reasoning' }>, place: object): Json[] {
  return summary.flatMap((part, summary_index): Json[] => {
    const at = { ...place, summary_index };
    const type = 'response.reasoning_summary';
    return [
      { type: `${type}_part.added`, ...at, part: { ...part, text: '' } },
      ...cut(part.text, 8).map((delta) => ({ type: `${type}_text.delta`, ...at, delta })),
      { type: `${type}_text.done`, ...at, text: part.text },
      { type: `${type}_part.done`, ...at, part },
    ];
  });
}

function contentEvents(part: Content, at: object, said: Said): Json[] {
  if (part.type === 'refusal') {
    return [
      { type: 'response.content_part.added', ...at, part: { ...part, refusal: '' } },
      ...cut(part.refusal, 6).map((delta) => ({ type: 'response.refusal.delta', ...at, delta })),
      { type: 'response.refusal.done', ...at, refusal: part.refusal },
      { type: 'response.content_part.done', ...at, part },
    ];
  }
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...said.pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
  ];
}

function envelope(said: Said, body: Json, output: readonly Item[]): Json {
  return {
    id: `resp_${said.id}`,
    object: 'response',
    created_at: 1_790_000_000,
    completed_at: 1_790_000_001,
    status: 'completed',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    model: said.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    presence_penalty: 0,
    frequency_penalty: 0,
    prompt_cache_key: null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: said.thought === undefined ? 0 : usage.thinking },
      total_tokens: usage.input + usage.output,
    },
    metadata: {},
  };
}
