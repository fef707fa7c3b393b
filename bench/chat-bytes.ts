/** The fixed bytes that bench requests and replies are made of, prepared once so that making them costs nothing during a run. */

const usage = '"usage":{"prompt_tokens":24,"completion_tokens":180,"total_tokens":204}';
const words = 'A weir is the low gate across a stream that regulates and measures its flow. '.repeat(10).trim();
const jsonBody = `{"id":"chatcmpl-bench0000000000000000","object":"chat.completion","created":1763164800,"model":"gpt-4.1","choices":[{"index":0,"message":{"role":"assistant","content":"${words}","refusal":null},"logprobs":null,"finish_reason":"stop"}],${usage},"system_fingerprint":"fp_bench"}`;

const chunkStart =
  '{"id":"chatcmpl-bench0000000000000000","object":"chat.completion.chunk","created":1763164800,"model":"gpt-4.1"';

/** One non-streamed reply of about 1 KB, head included. */
export const jsonReply = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${jsonBody.length}\r\n\r\n${jsonBody}`,
);

/** The head of a streamed reply. */
export const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n',
);

/** One frame of about 200 bytes, already in its transfer chunk. */
export const streamFrame = transferChunk(
  `data: ${chunkStart},"choices":[{"index":0,"delta":{"content":" gate across a stream"},"finish_reason":null}]}\n\n`,
);

/** The frames that close a stream (finish, usage, terminal marker) and the end of the transfer. */
export const streamEnd = Buffer.concat([
  transferChunk(
    `data: ${chunkStart},"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n` +
      `data: ${chunkStart},"choices":[],${usage}}\n\ndata: [DONE]\n\n`,
  ),
  Buffer.from('0\r\n\r\n'),
]);

/** How many SSE events `streamEnd` holds. */
export const closingEventCount = 3;

/** How many bytes of body a non-streamed reply has. */
export const jsonBodyBytes = jsonBody.length;

export function transferChunk(text: string): Buffer {
  return Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);
}

/** The body of a chat request; frame count and pace are read by the scripted upstream. */
export function chatBody(model: string, stream?: { frames: number; paceMs: number }): string {
  const messages = [
    { role: 'system', content: 'You answer in one short paragraph.' },
    { role: 'user', content: 'What is a weir, and why would a gateway be named after one?' },
  ];
  if (!stream) return JSON.stringify({ model, messages });
  return JSON.stringify({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: stream.frames,
    seed: stream.paceMs,
  });
}
