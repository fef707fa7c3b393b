/** What a token can be narrowed to, in the order in which people look for it. */

export const tokenEndpoints = [
  'chat',
  'responses',
  'messages',
  'generate-content',
  'completions',
  'cohere-chat',
  'embeddings',
  'rerank',
  'moderations',
  'images',
  'speech',
  'transcriptions',
  'videos',
  'realtime',
  'models',
  'metrics',
] as const;

export type TokenEndpoint = (typeof tokenEndpoints)[number];
