/** The scripted messages-format provider. */

import { cut, type Said } from './issued.ts';
import { readMessages } from './messages-request.ts';
import { type Asked, providerKey, type WireProvider } from './provider.ts';
import { answers, usage } from './scenes.ts';
import { filled, type Json, must, type Seen } from './seen.ts';

const errorTypes: ReadonlyMap<number, string> = new Map([
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
]);

export const messagesProvider: WireProvider = {
  kind: 'anthropic-messages',
  version: '/v1',
  callPrefix: 'toolu_01',
  sealPlace: 'thinking',
  takesStop: true,
  namesCalls: () => true,
  route(path, headers, body): Asked | undefined {
    if (path !== '/v1/messages') return undefined;
    must(headers.get('x-api-key') === providerKey, 'x-api-key: not the key');
    must(/^\d{4}-\d\d-\d\d$/.test(headers.get('anthropic-version') ?? ''), 'anthropic-version: header is required');
    return { model: filled(body.model, 'model'), stream: body.stream === true };
  },
  read: readMessages,
  whole(said, seen) {
    const finish = finishOf(said);
    return {
      ...head(said),
      content: blocksOf(said, seen),
      ...finish,
      usage: { ...usageAtStart, output_tokens: usage.output },
    };
  },
  frames(said, seen) {
    const start = {
      ...head(said),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usageAtStart, output_tokens: 1 },
    };
    const events: Json[] = [{ type: 'message_start', message: start }, { type: 'ping' }];
    for (const [index, block] of blocksOf(said, seen).entries()) {
      events.push({ type: 'content_block_start', index, content_block: emptied(block) });
      for (const delta of deltasOf(block, said)) events.push({ type: 'content_block_delta', index, delta });
      events.push({ type: 'content_block_stop', index });
    }
    const { service_tier: _, cache_creation: __, ...counted } = usageAtStart;
    events.push({ type: 'message_delta', delta: finishOf(said), usage: { ...counted, output_tokens: usage.output } });
    events.push({ type: 'message_stop' });
    return events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
  },
  errorBody(status, message) {
    const type = errorTypes.get(status) ?? 'invalid_request_error';
    return { type: 'error', error: { type, message }, request_id: 'req_scripted' };
  },
  errorFrame(message) {
    return `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message } })}\n\n`;
  },
};

type Block =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown };

function blocksOf(said: Said, seen: Seen): Block[] {
  const blocks: Block[] = [];
  if (said.thought !== undefined) {
    blocks.push({ type: 'thinking', thinking: seen.showsThoughts ? said.thought : '', signature: said.seal });
  }
  if (said.pieces.length > 0) blocks.push({ type: 'text', text: said.pieces.join('') });
  for (const call of said.calls) {
    blocks.push({ type: 'tool_use', id: call.id, name: call.name, input: JSON.parse(call.arguments) });
  }
  return blocks;
}

function emptied(block: Block): Block {
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
}

function deltasOf(block: Block, said: Said): object[] {
  switch (block.type) {
    case 'thinking':
      return [
        ...cut(block.thinking, 8).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'text':
      return said.pieces.map((text) => ({ type: 'text_delta', text }));
    case 'tool_use': {
      const given = said.calls.find(({ id }) => id === block.id)?.arguments ?? '';
      return ['', ...cut(given, 5)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    }
  }
}

function head(said: Said) {
  return { model: said.model, id: `msg_01${said.id}`, type: 'message', role: 'assistant' };
}

/** The format's input leaves out what came from a cache. */
const usageAtStart = {
  input_tokens: usage.input - usage.cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cached,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  service_tier: 'standard',
};

function finishOf(said: Said) {
  if (said.refusal === undefined) {
    return { stop_reason: said.calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null };
  }
  const stop_details = { type: 'refusal', category: 'cyber', explanation: answers.refusal };
  return { stop_reason: 'refusal', stop_sequence: null, stop_details };
}
