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
