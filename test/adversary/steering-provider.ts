/**
 * A provider that does what any field says: wherever a body has the name of its expensive model, that model serves, is
 * named in the reply and is on the invoice.
 */

export interface SteeredLine {
  readonly path: string;
  readonly model: string;
  /** The body as it arrived. */
  readonly text: string;
}

export interface SteeringProvider {
  readonly origin: string;
  readonly invoice: SteeredLine[];
  stop(): void;
}

export const cheap = 'cheap-one';
export const expensive = 'expensive-one';
/** Of input and of output, in every reply. */
export const tokensEach = 10;

export function startSteeringProvider(): SteeringProvider {
  const invoice: SteeredLine[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const path = new URL(request.url).pathname;
      if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
      const text = await request.text();
      const model = text.includes(expensive) || path.includes(expensive) ? expensive : cheap;
      invoice.push({ path, model, text });
      return Response.json(replyOf(path, model));
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, invoice, stop: () => void server.stop(true) };
}

function replyOf(path: string, model: string): object {
  const head = { id: crypto.randomUUID(), model };
  const total = 2 * tokensEach;
  const chatUsage = { prompt_tokens: tokensEach, completion_tokens: tokensEach, total_tokens: total };
  const usage = { input_tokens: tokensEach, output_tokens: tokensEach };
  if (path.includes('enerateContent')) {
    const counts = { promptTokenCount: tokensEach, candidatesTokenCount: tokensEach, totalTokenCount: total };
    const content = { role: 'model', parts: [{ text: 'so' }] };
    return {
      candidates: [{ index: 0, content, finishReason: 'STOP' }],
      modelVersion: model,
      usageMetadata: counts,
    };
  }
  if (path.endsWith('/messages')) {
    const content = [{ type: 'text', text: 'so' }];
    return {
      ...head,
      type: 'message',
      role: 'assistant',
      content,
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage,
    };
  }
  if (path.endsWith('/responses')) {
    const content = [{ type: 'output_text', text: 'so', annotations: [], logprobs: [] }];
    const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content };
    const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
    const counts = { ...usage, ...details, total_tokens: total };
    return { ...head, object: 'response', created_at: 1, status: 'completed', output: [item], usage: counts };
  }
  if (path.endsWith('/embeddings')) {
    const data = [{ object: 'embedding', index: 0, embedding: [1, 0] }];
    return { object: 'list', data, model, usage: { prompt_tokens: 2 * tokensEach, total_tokens: total } };
  }
  if (path.endsWith('/chat/completions')) {
    const message = { role: 'assistant', content: 'so', refusal: null };
    const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }];
    return { ...head, object: 'chat.completion', created: 1, choices, usage: chatUsage };
  }
  const choices = [{ index: 0, text: 'so', finish_reason: 'stop', logprobs: null }];
  return { ...head, object: 'text_completion', created: 1, choices, usage: chatUsage };
}
