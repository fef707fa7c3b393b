/** Four rerank wires take plain texts and differ in a few names only: the differences are data, this is what they share. */

import { defined } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { RankedDocument, RerankReply, RerankRequest } from '../rerank.ts';
import type { ProviderWire, WrittenRequest } from '../wire.ts';
import { documentText } from './document-text.ts';
import { rerankFamily } from './rerank.ts';
import { measureRanking, readRanking } from './rerank-replies.ts';

interface RerankDialect {
  readonly name: string;
  /** The field for the documents, where it is not `documents`. */
  readonly documents?: string;
  /** The field for how many results to give back; without one all of them come, and the gateway leaves out what is too much. */
  readonly limit?: string;
  /** The field for how much of a document is looked at, where there is one. */
  readonly tokensPerDocument?: string;
  /** A field says that documents need not be returned. */
  readonly namesDocuments: boolean;
  /** Images may be ranked too, as objects. */
  readonly takesImages: boolean;
  /** Fields of the family's callers that this dialect takes under the same name. */
  readonly passes: readonly string[];
}

export function textRerank(dialect: RerankDialect): ProviderWire<RerankRequest, RerankReply> {
  return {
    operation: 'rerank',
    name: dialect.name,
    writeRequest: (request, model) => writeRequest(dialect, request, model),
    readReply: readRanking,
    measure: measureRanking,
  };
}

function writeRequest(dialect: RerankDialect, request: RerankRequest, model: string): Converted<WrittenRequest> {
  const losses = new LossList();
  const { fields = {}, format } = request.extras ?? {};
  const passed = format === rerankFamily ? dialect.passes : [];
  for (const name of Object.keys(fields)) {
    if (!passed.includes(name)) losses.add(name, 'is known to its own wire only');
  }
  if (request.tokensPerDocumentMax !== undefined && dialect.tokensPerDocument === undefined) {
    losses.add('max_tokens_per_doc', 'is not supported by this provider');
  }
  const tree = {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => passed.includes(name))),
    model,
    query: request.query,
    [dialect.documents ?? 'documents']: request.documents.map((document) =>
      isImage(dialect, document) ? document : documentText(document, request),
    ),
    ...(dialect.limit === undefined ? {} : defined(dialect.limit, request.topN)),
    ...(dialect.tokensPerDocument === undefined
      ? {}
      : defined(dialect.tokensPerDocument, request.tokensPerDocumentMax)),
    ...(dialect.namesDocuments ? { return_documents: false } : {}),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function isImage(dialect: RerankDialect, document: RankedDocument): boolean {
  if (!dialect.takesImages || typeof document === 'string') return false;
  return typeof document['image'] === 'string' && document['text'] === undefined;
}
