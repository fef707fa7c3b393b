/**
 * A provider of every format that stores objects: it remembers each body that it was sent and answers
 * with ids of its own.
 */

import { messageItem, responseEvents, responseReply, responseUsage } from './response-replies.ts';

export interface ReferenceProvider {
  readonly origin: string;
  readonly bodies: Record<string, unknown>[];
  /** Lets streams that were held after their first event run to their end. */
  release(): void;
  stop(): void;
}

export function startReferenceProvider(): ReferenceProvider {
  const bodies: Record<string, unknown>[] = [];
  let made = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();

  function responses(body: Record<string, unknown>): Response {
    const number = ++made;
    const id = `resp_made${number}`;
    const tool = {
      type: 'code_interpreter_call',
      id: `ci_made${number}`,
      status: 'completed',
      container_id: `cntr_made${number}`,
      code: '1',
      outputs: null,
    };
    const annotation = {
      type: 'container_file_citation',
      container_id: `cntr_made${number}`,
      file_id: `cfile_made${number}`,
      start_index: 0,
      end_index: 5,
      filename: 'made.txt',
    };
    const message = messageItem('hello', `msg_made${number}`, [annotation]);
    const reply = responseReply({
      id,
      model: body['model'],
      output: [tool, message],
      store: body['store'] !== false,
      usage: responseUsage(10, 5),
    });
    if (body['stream'] !== true) return Response.json(reply);
    const [first = '', ...rest] = responseEvents(reply).map(
      (event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    const events = new ReadableStream({
      async start(controller) {
        controller.enqueue(first);
        if (JSON.stringify(body['input']).includes('hold')) await released;
        controller.enqueue(rest.join(''));
        controller.close();
      },
    });
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
  }

  function messages(body: Record<string, unknown>): Response {
    const number = ++made;
    const file = { type: 'bash_code_execution_output', file_id: `file_made${number}` };
    const ran = { type: 'bash_code_execution_result', content: [file], return_code: 0, stderr: '', stdout: '' };
    const result = { type: 'bash_code_execution_tool_result', tool_use_id: 't', content: ran };
    const container = { id: `container_made${number}`, expires_at: '2030-01-01T00:00:00Z' };
    const text = { type: 'text', text: 'hello' };
    const head = {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model: body['model'],
      stop_sequence: null,
      container,
      usage: { input_tokens: 10, output_tokens: 5 },
    };
    if (body['stream'] !== true) {
      return Response.json({ ...head, content: [result, text], stop_reason: 'end_turn' });
    }
    const events = [
      { type: 'message_start', message: { ...head, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: result },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ];
    const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });
  }

  const chat = (body: Record<string, unknown>): Response => {
    const message = {
      role: 'assistant',
      content: null,
      refusal: null,
      audio: { id: `audio_made${++made}`, expires_at: 1, data: '', transcript: 'hi' },
    };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: body['model'], choices });
  };
  const generate = (): Response => {
    const candidates = [{ content: { role: 'model', parts: [{ text: 'hello' }] }, finishReason: 'STOP' }];
    return Response.json({ candidates, usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 } });
  };

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === 'DELETE') return Response.json({ id: pathname.split('/').at(-1), deleted: true });
      if (request.method !== 'POST') return Response.json({ object: 'list', data: [] });
      const body = (await request.json()) as Record<string, unknown>;
      bodies.push(body);
      if (pathname.includes('count_tokens') || pathname.includes('input_tokens'))
        return Response.json({ input_tokens: 3 });
      if (pathname.endsWith('/responses')) return responses(body);
      if (pathname.endsWith('/messages')) return messages(body);
      if (pathname.endsWith('/chat/completions')) return chat(body);
      return generate();
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, bodies, release, stop: () => void server.stop(true) };
}
