/** The smallest request of each endpoint, for `weir explain` without a body of one's own. */

export interface Sample {
  path(model: string): string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The path names the model, and the body must not. */
  readonly modelInPath?: boolean;
}

const messages = [{ role: 'user', content: 'Hello' }];
const at = (path: string) => (): string => path;

/** By the names that a token's endpoints are known by. Endpoints that take nothing but uploads are not among them. */
export const samples = {
  chat: { path: at('/v1/chat/completions'), body: { messages } },
  completions: { path: at('/v1/completions'), body: { prompt: 'Hello' } },
  responses: { path: at('/v1/responses'), body: { input: 'Hello' } },
  messages: { path: at('/v1/messages'), body: { max_tokens: 1_024, messages } },
  'cohere-chat': { path: at('/v2/chat'), body: { messages } },
  'generate-content': {
    path: (model) => `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    modelInPath: true,
  },
  embeddings: { path: at('/v1/embeddings'), body: { input: 'Hello' } },
  moderations: { path: at('/v1/moderations'), body: { input: 'Hello' } },
  rerank: { path: at('/v1/rerank'), body: { query: 'Hello', documents: ['Hello', 'Goodbye'] } },
  images: { path: at('/v1/images/generations'), body: { prompt: 'Hello' } },
  speech: { path: at('/v1/audio/speech'), body: { input: 'Hello', voice: 'alloy' } },
  videos: { path: at('/v1/videos'), body: { prompt: 'Hello' } },
} as const satisfies Readonly<Record<string, Sample>>;

export type SampleName = keyof typeof samples;

export function sampleOf(name: string): Sample | undefined {
  return Object.hasOwn(samples, name) ? samples[name as SampleName] : undefined;
}
