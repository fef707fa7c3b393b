/** Every endpoint by the name that tokens, request rows and the console use, with its smallest request. */

/** The smallest request of an endpoint, for explanations. Endpoints that take only uploads or sockets have none. */
export interface EndpointSample {
  readonly operation: string;
  /** With `{model}` where the path names the model; the body must not then. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Endpoint {
  readonly sample?: EndpointSample;
  /** It answers without a model, so that no request row names it. */
  readonly modelless?: boolean;
}

const messages = [{ role: 'user', content: 'Hello' }];

const endpoints = {
  chat: { sample: { operation: 'converse', path: '/v1/chat/completions', body: { messages } } },
  responses: { sample: { operation: 'converse', path: '/v1/responses', body: { input: 'Hello' } } },
  messages: { sample: { operation: 'converse', path: '/v1/messages', body: { max_tokens: 1_024, messages } } },
  'generate-content': {
    sample: {
      operation: 'converse',
      path: '/v1beta/models/{model}:generateContent',
      body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    },
  },
  completions: { sample: { operation: 'converse', path: '/v1/completions', body: { prompt: 'Hello' } } },
  'cohere-chat': { sample: { operation: 'converse', path: '/v2/chat', body: { messages } } },
  embeddings: { sample: { operation: 'embed', path: '/v1/embeddings', body: { input: 'Hello' } } },
  rerank: {
    sample: { operation: 'rerank', path: '/v1/rerank', body: { query: 'Hello', documents: ['Hello', 'Goodbye'] } },
  },
  moderations: { sample: { operation: 'moderate', path: '/v1/moderations', body: { input: 'Hello' } } },
  images: { sample: { operation: 'make-image', path: '/v1/images/generations', body: { prompt: 'Hello' } } },
  speech: { sample: { operation: 'speak', path: '/v1/audio/speech', body: { input: 'Hello', voice: 'alloy' } } },
  transcriptions: {},
  videos: { sample: { operation: 'make-video', path: '/v1/videos', body: { prompt: 'Hello' } } },
  realtime: {},
  models: { modelless: true },
  tokens: { modelless: true },
  metrics: { modelless: true },
} as const satisfies Readonly<Record<string, Endpoint>>;

export type EndpointName = keyof typeof endpoints;

const entries: readonly (readonly [EndpointName, Endpoint])[] = Object.entries(endpoints) as [EndpointName, Endpoint][];

/** In the order in which people look for them. */
export const endpointNames: readonly EndpointName[] = entries.map(([name]) => name);

/** The endpoints that request rows name. */
export const requestEndpoints: readonly EndpointName[] = entries.flatMap(([name, { modelless }]) =>
  modelless === true ? [] : [name],
);

export const endpointSamples: ReadonlyMap<string, EndpointSample> = new Map(
  entries.flatMap(([name, { sample }]) => (sample === undefined ? [] : [[name, sample] as const])),
);

/** A sample as a request for this model. */
export function sampleRequest(
  { path, body }: EndpointSample,
  model: string,
  own: Readonly<Record<string, unknown>> = body,
): { readonly path: string; readonly body: Readonly<Record<string, unknown>> } {
  if (!path.includes('{model}')) return { path, body: { ...own, model } };
  return { path: path.replace('{model}', model.split('/').map(encodeURIComponent).join('/')), body: own };
}
