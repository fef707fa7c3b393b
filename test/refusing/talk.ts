/** Plays an agent against Weir: its first request, the calls of a tool that come back, and the requests with their results. */

import type { Agent } from './agents/agent.ts';
import { answerText } from './refusing-provider.ts';
import { given, type Json, listOf, objectOf, type WireName } from './rules/refusal.ts';

export interface Place {
  readonly url: string;
  readonly token: string;
}

/** One reply, as far as an agent has to understand it. */
interface Reply {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  /** The reply, as the next request holds it. */
  readonly turn: readonly unknown[];
}

interface Wire {
  path(model: string, stream: boolean): string;
  /** The field of the body that holds the turns. */
  readonly turns: string;
  whole(reply: Json): Reply;
  /** Of the events of a stream. */
  streamed(events: readonly Json[]): Reply;
  result(call: Reply['calls'][number]): unknown;
}

/** Throws where the agent would stop with an error. */
export async function talk(agent: Agent, model: string, stream: boolean, place: Place, rounds = 1): Promise<void> {
  const wire = wires[agent.wire];
  let body = agent.first(model);
  let reply = await ask(agent, wire, body, model, stream, place);
  for (let round = 0; round < rounds && agent.callsTools; round += 1) {
    if (reply.calls.length !== 1)
      throw new Error(`${reply.calls.length} calls, and the text ${JSON.stringify(reply.text)}`);
    const turns = [...listOf(body[wire.turns]), ...reply.turn, ...reply.calls.map(wire.result)];
    body = { ...body, [wire.turns]: turns };
    reply = await ask(agent, wire, body, model, stream, place);
  }
  mustBe(reply.text, answerText);
}

function mustBe(text: string, wanted: string): void {
  if (text !== wanted) throw new Error(`the answer is ${JSON.stringify(text)}`);
}

async function ask(agent: Agent, wire: Wire, body: Json, model: string, stream: boolean, place: Place): Promise<Reply> {
  const isNamed = agent.wire === 'generate';
  const asked = isNamed ? body : { ...body, stream, ...streamOptions(agent.wire, stream) };
  const reply = await fetch(`${place.url}${wire.path(model, stream)}`, {
    method: 'POST',
    headers: { ...agent.headers, authorization: `Bearer ${place.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${reply.status} ${text.slice(0, 400)}`);
  return stream ? wire.streamed(eventsOf(text)) : wire.whole(objectOf(JSON.parse(text)));
}

function streamOptions(wire: WireName, stream: boolean): Json {
  return wire === 'chat' && stream ? { stream_options: { include_usage: true } } : {};
}

function eventsOf(text: string): Json[] {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data: '));
  return data
    .map((line) => line.slice(6))
    .filter((line) => line !== '[DONE]')
    .map((line) => objectOf(JSON.parse(line)));
}

const result = '{"said":"hello"}';

const wires: Readonly<Record<WireName, Wire>> = {
  chat: {
    path: () => '/v1/chat/completions',
    turns: 'messages',
    whole: (reply) => chatReply(objectOf(objectOf(listOf(reply.choices)[0]).message)),
    streamed: (events) => chatReply(chatMessage(events)),
    result: ({ id }) => ({ role: 'tool', tool_call_id: id, content: result }),
  },
  responses: {
    path: () => '/v1/responses',
    turns: 'input',
    whole: (reply) => responsesReply(reply),
    streamed: (events) => {
      const last = events.findLast(({ type }) => String(type).startsWith('response.'));
      if (last?.type !== 'response.completed') throw new Error(`the stream ends with ${JSON.stringify(last)}`);
      return responsesReply(objectOf(last.response));
    },
    result: ({ id }) => ({ type: 'function_call_output', call_id: id, output: result }),
  },
  messages: {
    path: () => '/v1/messages?beta=true',
    turns: 'messages',
    whole: (reply) => messagesReply(listOf(reply.content).map(objectOf)),
    streamed: (events) => messagesReply(messagesBlocks(events)),
    result: ({ id }) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] }),
  },
  generate: {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    turns: 'contents',
    whole: (reply) => generateReply([reply]),
    streamed: generateReply,
    result: ({ id, name }) => {
      const response = { ...(id !== '' && { id }), name, response: { output: result } };
      return { role: 'user', parts: [{ functionResponse: response }] };
    },
  },
};

function chatReply(message: Json): Reply {
  const calls = listOf(message.tool_calls).map(objectOf);
  return {
    text: String(message.content ?? ''),
    calls: calls.map(({ id, function: called }) => ({ id: String(id), name: String(objectOf(called).name) })),
    turn: [{ role: 'assistant', content: message.content ?? null, ...(calls.length > 0 && { tool_calls: calls }) }],
  };
}

function chatMessage(events: readonly Json[]): Json {
  let content = '';
  const calls: { id: unknown; type: 'function'; function: { name: unknown; arguments: string } }[] = [];
  for (const event of events) {
    if (given(event.error)) throw new Error(JSON.stringify(event.error));
    const delta = objectOf(objectOf(listOf(event.choices)[0]).delta);
    content += String(delta.content ?? '');
    for (const one of listOf(delta.tool_calls).map(objectOf)) {
      const called = objectOf(one.function);
      const index = Number(one.index);
      calls[index] ??= { id: one.id, type: 'function', function: { name: called.name, arguments: '' } };
      const call = calls[index];
      if (call !== undefined) call.function.arguments += String(called.arguments ?? '');
    }
  }
  return { content, tool_calls: calls };
}

function responsesReply(reply: Json): Reply {
  const items = listOf(reply.output).map(objectOf);
  const texts = items.filter(({ type }) => type === 'message').flatMap(({ content }) => listOf(content).map(objectOf));
  return {
    text: texts.map(({ text }) => String(text ?? '')).join(''),
    calls: items
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id: id, name }) => ({ id: String(id), name: String(name) })),
    turn: items,
  };
}

function messagesReply(blocks: readonly Json[]): Reply {
  return {
    text: blocks.map(({ text }) => String(text ?? '')).join(''),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name }) => ({ id: String(id), name: String(name) })),
    turn: [{ role: 'assistant', content: blocks }],
  };
}

function messagesBlocks(events: readonly Json[]): Json[] {
  const blocks: Record<string, unknown>[] = [];
  const inputs: string[] = [];
  for (const event of events) {
    if (event.type === 'error') throw new Error(JSON.stringify(event.error));
    const index = Number(event.index);
    if (event.type === 'content_block_start') blocks[index] = { ...objectOf(event.content_block) };
    const block = blocks[index];
    if (event.type !== 'content_block_delta' || block === undefined) continue;
    const delta = objectOf(event.delta);
    for (const field of ['text', 'thinking', 'signature'] as const) {
      if (typeof delta[field] === 'string') block[field] = String(block[field] ?? '') + delta[field];
    }
    if (typeof delta.partial_json === 'string') inputs[index] = (inputs[index] ?? '') + delta.partial_json;
  }
  return blocks.map((block, index) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(inputs[index] || '{}') } : block,
  );
}

function generateReply(replies: readonly Json[]): Reply {
  const parts = replies.flatMap((reply) => {
    if (given(reply.error)) throw new Error(JSON.stringify(reply.error));
    return listOf(objectOf(objectOf(listOf(reply.candidates)[0]).content).parts).map(objectOf);
  });
  const called = parts.filter(({ functionCall }) => given(functionCall)).map((part) => objectOf(part.functionCall));
  return {
    text: parts.map(({ text, thought }) => (thought === true ? '' : String(text ?? ''))).join(''),
    calls: called.map(({ id, name }) => ({ id: String(id ?? ''), name: String(name) })),
    // The agents of this format give back calls and texts, and no thoughts.
    turn: [{ role: 'model', parts: parts.filter(({ thought }) => thought !== true) }],
  };
}
