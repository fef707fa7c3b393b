/**
 * A provider that takes every request at its most expensive reading: it obeys the largest limit anywhere in a body and
 * writes as much. Its invoice lists the work that was ordered, also where the caller left before the end.
 */

import { answerVideo, spoiledReply, writeReply } from './greedy-replies.ts';

export interface InvoiceLine {
  readonly path: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly images: number;
  readonly characters: number;
  readonly seconds: number;
  readonly searches: number;
  readonly videos: number;
}

/** How the provider treats the requests that arrive from now on. */
export interface Conduct {
  /** Keep the head of the reply back until `release` is called. */
  readonly hold?: boolean;
  /** Break a stream off after its last word, before its finish and its usage. */
  readonly cut?: boolean;
  /** Send the words, then keep the finish and the usage back until `release` is called. */
  readonly holdEnd?: boolean;
  /** Do the work, and answer so that it cannot be delivered. */
  readonly spoils?: Spoiling;
  /** Tokens that the input turns out to have where the body refers to something at another place. */
  readonly referencedTokens?: number;
}

/** No reply that can be read, one that breaks off, one that stops growing, one that is too large. */
export const spoilings = ['unreadable', 'cut', 'stuck', 'large'] as const;
export type Spoiling = (typeof spoilings)[number];

export interface Work {
  readonly path: string;
  readonly tree: Readonly<Record<string, unknown>>;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly stream: boolean;
}

export interface GreedyProvider {
  readonly origin: string;
  readonly invoice: InvoiceLine[];
  conduct: Conduct;
  /** Lets everything that is held back continue. */
  release(): void;
  stop(): void;
}

const limitKey =
  /^(max_?(completion|output|new|thinking|length)?_?(tokens|length)?|n_predict|num_predict|max_tokens_to_sample)$/i;
const countKey = /^(n|best_of|candidate_?count|num_return_sequences|num_images|sample_count)$/i;
const referenceKey =
  /^(file_id|file_url|conversation|cachedContent|cached_content|fileUri|file_uri|previous_response_id)$/;

/** The largest number below one of these keys, at any depth. */
export function largest(value: unknown, key: RegExp): number | undefined {
  if (Array.isArray(value)) return greatest(value.map((each) => largest(each, key)));
  if (typeof value !== 'object' || value === null) return undefined;
  return greatest(
    Object.entries(value).map(([name, each]) => {
      const own = key.test(name) && Number.isFinite(Number(each)) ? Number(each) : undefined;
      return greatest([own, largest(each, key)]);
    }),
  );
}

function greatest(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function refersElsewhere(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(refersElsewhere);
  if (typeof value !== 'object' || value === null) return false;
  const isPrompt = (name: string, each: unknown) =>
    name === 'prompt' && typeof each === 'object' && each !== null && 'id' in each;
  return Object.entries(value).some(
    ([name, each]) => referenceKey.test(name) || isPrompt(name, each) || refersElsewhere(each),
  );
}

/** What is written where the body has no limit. */
const unlimitedTokens = 300;

export function startGreedyProvider(): GreedyProvider {
  const invoice: InvoiceLine[] = [];
  let held = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      if (request.method === 'GET') return answerVideo(path) ?? Response.json({ object: 'list', data: [] });
      const bytes = await request.bytes();
      const tree = await treeOf(bytes, request.headers.get('content-type') ?? '');
      const { conduct } = provider;
      const work = workOf(path, tree, conduct);
      invoice.push(lineOf(work));
      if (conduct.hold === true) await held.promise;
      if (conduct.spoils !== undefined) return spoiledReply(work, conduct.spoils, held.promise);
      return writeReply(work, conduct, held.promise);
    },
  });
  const provider: GreedyProvider = {
    origin: `http://127.0.0.1:${server.port}`,
    invoice,
    conduct: {},
    release() {
      held.resolve();
      held = Promise.withResolvers<void>();
    },
    stop: () => void server.stop(true),
  };
  return provider;
}

function workOf(path: string, tree: Work['tree'], { referencedTokens = 0 }: Conduct): Work {
  const writes = path.includes('embed') || path.includes('rerank') || path.includes('moderations') ? 0 : 1;
  const candidates = largest(tree, countKey) ?? 1;
  const outputTokens = writes * candidates * (largest(tree, limitKey) ?? unlimitedTokens);
  const text = JSON.stringify(tree);
  const inputTokens = refersElsewhere(tree) ? referencedTokens : Math.ceil(text.length / 8);
  return { path, tree, inputTokens, outputTokens, stream: tree['stream'] === true || path.includes(':stream') };
}

function lineOf({ path, tree, inputTokens, outputTokens }: Work): InvoiceLine {
  const isOne = (name: string): number => (path.endsWith(name) ? 1 : 0);
  const images = path.includes('/images/') ? (largest(tree, countKey) ?? 1) : 0;
  const speech = isOne('/speech');
  const conversation =
    images + speech + isOne('/transcriptions') + isOne('/rerank') + isOne('/moderations') + isOne('/videos') === 0;
  return {
    path,
    inputTokens: conversation ? inputTokens : 0,
    outputTokens: conversation ? outputTokens : 0,
    images,
    characters: speech * [...String(tree['input'] ?? '')].length,
    seconds: isOne('/transcriptions') * 2,
    searches: isOne('/rerank'),
    videos: isOne('/videos'),
  };
}

async function treeOf(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Work['tree']> {
  if (!contentType.startsWith('multipart/')) return JSON.parse(new TextDecoder().decode(bytes)) as Work['tree'];
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
  const tree: Record<string, unknown> = {};
  for (const [name, value] of form as unknown as Iterable<[string, unknown]>) {
    tree[name] = typeof value === 'string' ? value : 'a file';
  }
  return tree;
}
