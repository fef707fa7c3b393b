/** The same scripted stream in the other wire formats, and the requests that are translated into them. */

import { transferChunk } from './chat-bytes.ts';

/** What the scripted upstream sends for a stream, already in transfer chunks. */
export interface StreamBytes {
  readonly start: Buffer;
  readonly frame: Buffer;
  readonly end: Buffer;
}

const words = ' gate across a stream';
const event = (type: string, rest: string): string => `event: ${type}\ndata: {"type":"${type}",${rest}}\n\n`;
const endOfTransfer = Buffer.from('0\r\n\r\n');

export const messagesStream: StreamBytes = {
  start: transferChunk(
    event(
      'message_start',
      '"message":{"id":"msg_bench00000000000000","type":"message","role":"assistant","model":"via-messages","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":24,"output_tokens":1}}',
    ) + event('content_block_start', '"index":0,"content_block":{"type":"text","text":""}'),
  ),
  frame: transferChunk(event('content_block_delta', `"index":0,"delta":{"type":"text_delta","text":"${words}"}`)),
  end: Buffer.concat([
    transferChunk(
      event('content_block_stop', '"index":0') +
        event(
          'message_delta',
          '"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":180}',
        ) +
        'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ),
    endOfTransfer,
  ]),
};

const messagesBody =
  '{"id":"msg_bench00000000000000","type":"message","role":"assistant","model":"via-messages","content":[{"type":"text","text":"A weir is the low gate across a stream."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":2400,"output_tokens":180}}';

/** The whole reply to a request that did not ask for a stream. */
export const messagesReply = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${messagesBody.length}\r\n\r\n${messagesBody}`,
);

const candidate = (parts: string, finish: string): string =>
  `data: {"candidates":[{"content":{"parts":[${parts}],"role":"model"}${finish},"index":0}],"usageMetadata":{"promptTokenCount":24,"candidatesTokenCount":180,"totalTokenCount":204},"modelVersion":"via-generate","responseId":"bench0000000000000000"}\n\n`;

export const generateStream: StreamBytes = {
  start: Buffer.alloc(0),
  frame: transferChunk(candidate(`{"text":"${words}"}`, '')),
  end: Buffer.concat([transferChunk(candidate('{"text":"."}', ',"finishReason":"STOP"')), endOfTransfer]),
};

/** A request whose model is served in another format; the number of frames travels as the reply's limit. */
export const translatedRequests: Readonly<Record<string, { readonly path: string; body(frames: number): string }>> = {
  'chat-messages': {
    path: '/v1/chat/completions',
    body: (frames) =>
      JSON.stringify({
        model: 'via-messages',
        messages: [{ role: 'user', content: 'What is a weir?' }],
        stream: true,
        max_tokens: frames,
      }),
  },
  'responses-generate': {
    path: '/v1/responses',
    body: (frames) =>
      JSON.stringify({ model: 'via-generate', input: 'What is a weir?', stream: true, max_output_tokens: frames }),
  },
};

const sentence = 'The gate was raised by four centimetres, and the flow below it rose within two minutes. ';
const toolCount = 8;
const turnCount = 12;

/** An agent's chat request of some 12 KB (tools, calls and their results) whose model is served in the messages format. */
export function agentBody(): string {
  const messages: unknown[] = [{ role: 'system', content: sentence.repeat(20) }];
  for (let turn = 0; turn < turnCount; turn += 1) {
    const id = `call_${turn}`;
    const called = { name: `tool_${turn % toolCount}`, arguments: JSON.stringify({ gauge: turn, unit: 'cm' }) };
    messages.push({ role: 'user', content: sentence });
    messages.push({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] });
    messages.push({ role: 'tool', tool_call_id: id, content: sentence.repeat(2) });
  }
  const parameters = { type: 'object', properties: { gauge: { type: 'integer' }, unit: { type: 'string' } } };
  const tools = Array.from({ length: toolCount }, (_, index) => ({
    type: 'function',
    function: { name: `tool_${index}`, description: sentence, parameters },
  }));
  return JSON.stringify({ model: 'via-messages', messages, tools, max_tokens: 1_000, temperature: 0.5 });
}
