/** Every wire on which callers ask for embeddings. */

import type { EmbedReply, EmbedRequest } from '../embed.ts';
import type { ClientWire } from '../wire.ts';
import { cohereEmbedClient } from './cohere-embed-client.ts';
import { geminiBatchEmbedContents, geminiEmbedContent } from './gemini-embed-client.ts';
import { openaiEmbeddingsClient } from './openai-embeddings-client.ts';

export const embedClientWires: readonly ClientWire<EmbedRequest, EmbedReply>[] = [
  openaiEmbeddingsClient,
  geminiEmbedContent,
  geminiBatchEmbedContents,
  cohereEmbedClient,
];
