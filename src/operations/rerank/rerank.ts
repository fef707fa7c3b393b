/** The plain rerank wire of compatible servers: texts or objects in, `results` out. */

import { defined } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { RerankReply, RerankRequest } from '../rerank.ts';
import type { ProviderWire, WrittenRequest } from '../wire.ts';
import { measureRanking, readRanking } from './rerank-replies.ts';

/** Fields of callers that the neutral request does not have are kept under this name. */
export const rerankFamily = 'rerank';

export const rerank: ProviderWire<RerankRequest, RerankReply> = {
  operation: 'rerank',
  name: rerankFamily,
  writeRequest,
  readReply: readRanking,
  measure: measureRanking,
};

/** Documents are given back from the request, so no server needs to send them. */
function writeRequest(request: RerankRequest, model: string): Converted<WrittenRequest> {
  const losses = new LossList();
  losses.addForeign(request.extras, rerankFamily);
  const tree = {
    ...(request.extras?.format === rerankFamily ? request.extras.fields : {}),
    model,
    query: request.query,
    documents: request.documents,
    ...defined('top_n', request.topN),
    ...defined('rank_fields', request.rankFields),
    ...defined('max_tokens_per_doc', request.tokensPerDocumentMax),
    return_documents: false,
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}
