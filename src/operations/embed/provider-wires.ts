/** Every wire on which providers make embeddings. */

import type { EmbedReply, EmbedRequest } from '../embed.ts';
import type { ProviderWire } from '../wire.ts';
import { cohereEmbed } from './cohere-embed.ts';
import { geminiEmbed } from './gemini-embed.ts';
import { jinaEmbeddings } from './jina-embeddings.ts';
import { mistralEmbeddings } from './mistral-embeddings.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { perplexityEmbeddings } from './perplexity-embeddings.ts';
import { voyageEmbeddings } from './voyage-embeddings.ts';

export const embedProviderWires: readonly ProviderWire<EmbedRequest, EmbedReply>[] = [
  openaiEmbeddings,
  geminiEmbed,
  cohereEmbed,
  jinaEmbeddings,
  voyageEmbeddings,
  mistralEmbeddings,
  perplexityEmbeddings,
];
