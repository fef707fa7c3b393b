/** A request body for each operation, with models of the sandbox: each one works as it is written. */

type Body = Readonly<Record<string, unknown>>;

const messages = [{ role: 'user', content: 'Hello' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const content = { parts: [{ text: 'Hello' }] };
const conversation = { model: 'sandbox-chat', messages };
const generation = { contents };
const documents = ['Bread stays fresh in a linen bag.', 'The train leaves at noon.'];
const rerank = { model: 'sandbox-rerank', query: 'How do I keep bread fresh?', documents };
const image = { model: 'sandbox-image', prompt: 'A red boat on the sea', size: '512x512' };
const video = { model: 'sandbox-video', prompt: 'A red boat on the sea', size: '640x360' };
const recording = { model: 'sandbox-transcribe', file: 'audio.wav' };
const session = { type: 'realtime', model: 'sandbox-realtime' };

/** By the operation's id; those of the content-generation format name their model in the path. */
const bodies: Readonly<Record<string, Body>> = {
  chat: conversation,
  createSubToken: { name: 'CI job', expires_in: 3_600, models: ['sandbox-*'], budget_usd: '0.50' },
  completions: { model: 'sandbox-chat', prompt: 'Hello', max_tokens: 64 },
  cohereChat: conversation,
  responses: { model: 'sandbox-chat', input: 'Hello' },
  countResponsesInput: { model: 'sandbox-chat', input: 'Hello' },
  compactResponses: { model: 'sandbox-chat', input: 'Hello' },
  messages: { model: 'sandbox-chat', max_tokens: 256, messages },
  countMessages: conversation,
  generateContent: generation,
  streamGenerateContent: generation,
  countTokens: generation,
  embedContent: { content },
  batchEmbedContents: { requests: [{ model: 'models/sandbox-embed', content }] },
  embeddings: { model: 'sandbox-embed', input: 'Hello' },
  cohereEmbed: {
    model: 'sandbox-embed',
    texts: ['Hello'],
    input_type: 'search_document',
    embedding_types: ['float'],
  },
  moderations: { model: 'sandbox-moderate', input: 'Hello' },
  rerank,
  rerankTwo: rerank,
  makeImage: image,
  editImage: { model: 'sandbox-image', prompt: 'Make the sky red', image: 'image.png' },
  speak: { model: 'sandbox-speak', input: 'Hello', voice: 'alloy', response_format: 'mp3' },
  transcribe: recording,
  translate: recording,
  orderVideo: { ...video, duration: 2 },
  orderOfficialVideo: { ...video, seconds: '2' },
  clientSecret: { session },
  realtimeSession: session,
};

/** The same action is described at several paths. */
export const exampleOf = (operationId: string): Body | undefined =>
  bodies[operationId] ?? bodies[operationId.replace(/(?:Stable|Short)$/, '')];

/** The model of a path that names one. */
export const pathModelOf = (path: string): string =>
  /:(?:batch)?embed/i.test(path) ? 'sandbox-embed' : 'sandbox-chat';
