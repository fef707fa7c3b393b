/**
 * A provider of all operations except conversations: it counts its work in its own units, which is the invoice that the
 * ledger is compared with.
 */

export interface OperationEntry {
  readonly path: string;
  readonly model: string;
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly images: number;
  readonly seconds: number;
  readonly characters: number;
  readonly searches: number;
  readonly tokens: number;
  outcome: 'open' | 'completed' | 'left';
}

type Units = Partial<Pick<OperationEntry, 'images' | 'seconds' | 'characters' | 'searches' | 'tokens'>>;

export interface OperationsUpstream {
  readonly base: string;
  readonly entries: OperationEntry[];
  reset(): void;
  /** All that was done of one unit. */
  total(unit: keyof Units): number;
  stop(): Promise<void>;
}

interface Asked {
  readonly model: string;
  readonly tree: Readonly<Record<string, unknown>>;
}

interface Done {
  readonly units: Units;
  readonly reply: (entry: OperationEntry) => Response | Promise<Response>;
}

const png = Buffer.from('iVBORw0KGgo', 'base64').toString('base64');
export const audioPieces = 40;

/** How many tokens a text is to this provider: its words. */
export const tokensOf = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

const work: Readonly<Record<string, (asked: Asked) => Done>> = {
  '/v1/embeddings': ({ model, tree }) => {
    const inputs = [tree['input']].flat().map(String);
    const tokens = inputs.reduce((sum, text) => sum + tokensOf(text), 0);
    const data = inputs.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, index] }));
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    return { units: { tokens }, reply: () => Response.json({ object: 'list', data, model, usage }) };
  },
  '/v1/moderations': ({ model, tree }) => {
    const { input } = tree;
    const count = Array.isArray(input) && typeof input[0] === 'string' ? input.length : 1;
    const results = Array.from({ length: count }, () => ({ flagged: false, categories: {}, category_scores: {} }));
    return { units: {}, reply: () => Response.json({ id: 'modr-1', model, results }) };
  },
  '/v1/rerank': ({ model, tree }) => {
    const documents = Array.isArray(tree['documents']) ? tree['documents'] : [];
    const searches = Math.ceil(documents.length / 100);
    const results = documents.map((_, index) => ({ index, relevance_score: 1 - index / 1_000 }));
    const meta = { billed_units: { search_units: searches } };
    return { units: { searches }, reply: () => Response.json({ id: 'r', model, results, meta }) };
  },
  '/v1/images/generations': (asked) => images(asked),
  '/v1/images/edits': (asked) => images(asked),
  '/v1/audio/speech': ({ model, tree }) => ({
    units: { characters: [...String(tree['input'])].length },
    reply: (entry) => audio(entry, model.startsWith('slow') ? 50 : 0),
  }),
  '/v1/audio/transcriptions': ({ tree }) => {
    const seconds = Number(tree['prompt'] ?? 0);
    const usage = { type: 'duration', seconds };
    return { units: { seconds }, reply: () => Response.json({ text: 'so it was said', usage }) };
  },
};

/** A model that returns images by URL takes the URL from the prompt. */
function images({ model, tree }: Asked): Done {
  const count = Number(tree['n'] ?? 1);
  const one = model === 'by-address' ? { url: String(tree['prompt']) } : { b64_json: png };
  const data = Array.from({ length: count }, () => one);
  return { units: { images: count }, reply: () => Response.json({ created: 1, data }) };
}

/** Bytes that come little by little, so that a client or a process can leave or die in the middle. */
function audio(entry: OperationEntry, paceMs: number): Response {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent > 0 && paceMs > 0) await Bun.sleep(paceMs);
        if (sent++ < audioPieces) return controller.enqueue(new Uint8Array(1_000).fill(sent));
        entry.outcome = 'completed';
        controller.close();
      },
      cancel() {
        entry.outcome = 'left';
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'audio/mpeg' } });
}

async function askedBy(body: Uint8Array<ArrayBuffer>, contentType: string): Promise<Asked> {
  if (!contentType.startsWith('multipart/')) {
    const tree = JSON.parse(new TextDecoder().decode(body)) as Asked['tree'];
    return { model: String(tree['model']), tree };
  }
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
  const tree = Object.fromEntries(form as unknown as Iterable<[string, unknown]>);
  return { model: String(tree['model']), tree };
}

export function startOperationsUpstream(): OperationsUpstream {
  const entries: OperationEntry[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    maxRequestBodySize: 512 * 1_024 * 1_024,
    async fetch(request) {
      // A key that was refused is looked into by the list of models, which this provider does not have.
      if (request.method === 'GET') return new Response('not here', { status: 404 });
      const path = new URL(request.url).pathname;
      const contentType = request.headers.get('content-type') ?? '';
      const body = new Uint8Array(await request.arrayBuffer());
      const asked = await askedBy(body, contentType);
      const done = work[path]?.(asked);
      const status = Number(/^fails-(\d{3})$/.exec(asked.model)?.[1] ?? (done === undefined ? 404 : 200));
      const units = status === 200 ? done?.units : {};
      const none = { images: 0, seconds: 0, characters: 0, searches: 0, tokens: 0 };
      const entry: OperationEntry = { path, model: asked.model, contentType, body, ...none, ...units, outcome: 'open' };
      entries.push(entry);
      if (status !== 200 || done === undefined) return Response.json({ error: { message: 'scripted' } }, { status });
      const reply = await done.reply(entry);
      if (!path.endsWith('/speech')) entry.outcome = 'completed';
      return reply;
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}/v1`,
    entries,
    reset: () => void entries.splice(0),
    total: (unit) => entries.reduce((sum, entry) => sum + entry[unit], 0),
    stop: () => server.stop(true),
  };
}
