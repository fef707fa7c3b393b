/**
 * A provider of all operations except conversations whose every text, name, type and file tries to run
 * as code on the page that shows it.
 */

export interface HostileUpstream {
  readonly base: string;
  stop(): void;
}

export interface HostileScript {
  /** Used wherever a provider may write a text. */
  readonly text: string;
  /** Used wherever a provider may write a name. */
  readonly name: string;
  /** A whole page or drawing, in the place of a video, an audio file or an image. */
  readonly file: string;
}

/** Begins as a video does: Weir does not store a file that is none at all. */
const filmHead = '\0\0\0\x18ftypmp42\0\0\0\0mp42isom';

const json = (value: object): Response => Response.json(value);
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

export function startHostileUpstream({ text, name, file }: HostileScript): HostileUpstream {
  const orders = new Map<string, string>();
  const replies: Readonly<Record<string, () => Response>> = {
    '/v1/chat/completions': () => events(text),
    '/v1/embeddings': () => json({ object: 'list', data: vectors, model: name, usage }),
    '/v1/rerank': () =>
      json({ id: name, model: name, results: [{ index: 0, relevance_score: 0.9, document: { text } }], meta: {} }),
    '/v1/moderations': () => {
      const scores = { [name]: 0.9, [text]: 0.8, __proto__: 0.1 };
      return json({
        id: name,
        model: name,
        results: [{ flagged: true, categories: { [name]: true }, category_scores: scores }],
      });
    },
    '/v1/images/generations': () =>
      json({ created: 1, output_format: 'svg+xml', data: [{ b64_json: btoa(file), revised_prompt: text }] }),
    '/v1/audio/speech': () => new Response(file, { headers: { 'content-type': 'text/html' } }),
    '/v1/audio/transcriptions': () =>
      json({ text, language: name, duration: 2, segments: [{ id: 0, start: 0, end: 1, text, speaker: name }] }),
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request, self) {
      const { pathname } = new URL(request.url);
      if (pathname === '/v1/realtime') {
        return self.upgrade(request) ? undefined : new Response('no upgrade', { status: 426 });
      }
      if (pathname.startsWith('/v1/videos')) return video(request, pathname);
      await request.arrayBuffer();
      return replies[pathname]?.() ?? json({ object: 'list', data: [] });
    },
    websocket: {
      open: (socket) => void socket.send(JSON.stringify({ type: 'session.created', session: { model: name } })),
      message(socket, message) {
        const { type } = JSON.parse(String(message)) as { type: string };
        const say = (event: object) => void socket.send(JSON.stringify(event));
        if (type === 'session.update') say({ type: 'session.updated', session: {} });
        if (type === 'response.create') for (const event of spoken(text, name)) say(event);
      },
    },
  });

  /** What is ordered with `fail` in its prompt fails; the rest is a drawing that pretends to be a film. */
  async function video(request: Request, pathname: string): Promise<Response> {
    if (request.method === 'POST') {
      const id = `vid_${orders.size}`;
      orders.set(id, String((await request.formData()).get('prompt')));
      return json({ id, object: 'video', status: 'queued' });
    }
    const [, , , id = '', tail] = pathname.split('/');
    if (tail === 'content') return new Response(filmHead + file, { headers: { 'content-type': 'image/svg+xml' } });
    if (orders.get(id)?.includes('fail')) return json({ id, status: 'failed', error: { code: name, message: text } });
    return json({ id, status: 'completed', seconds: '4', size: name });
  }

  return { base: `http://127.0.0.1:${server.port}/v1`, stop: () => void server.stop(true) };
}

const vectors = [0, 1, 2].map((index) => ({ object: 'embedding', index, embedding: [1, index] }));

function events(content: string): Response {
  const chunk = (choices: readonly object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`;
  const body =
    chunk([{ index: 0, delta: { content }, finish_reason: null }]) +
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]) +
    chunk([], { usage });
  return new Response(`${body}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
}

/** A turn of a live conversation: the transcript of the input, the answer, and an error. */
function spoken(text: string, name: string): readonly object[] {
  const item = { id: name, type: 'message', role: 'assistant', content: [] };
  const input = { id: 'input', type: 'message', role: 'user', content: [{ type: 'input_audio', transcript: text }] };
  const live = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return [
    { type: 'conversation.item.added', item: input },
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } },
    { type: 'conversation.item.added', item },
    { type: 'response.output_text.delta', item_id: name, delta: text },
    { type: 'response.done', response: { id: 'resp_1', status: 'completed', output: [item], usage: live } },
    { type: 'error', error: { type: name, code: name, message: text } },
  ];
}
