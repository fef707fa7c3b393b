/** Every wire on which providers rank. */

import type { RerankReply, RerankRequest } from '../rerank.ts';
import type { ProviderWire } from '../wire.ts';
import { cohereRerank } from './cohere-rerank.ts';
import { jinaRerank } from './jina-rerank.ts';
import { rerank } from './rerank.ts';
import { teiRerank } from './tei-rerank.ts';
import { voyageRerank } from './voyage-rerank.ts';

export const rerankProviderWires: readonly ProviderWire<RerankRequest, RerankReply>[] = [
  rerank,
  cohereRerank,
  jinaRerank,
  voyageRerank,
  teiRerank,
];
