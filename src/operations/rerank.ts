/** Documents in the order of their relevance to a query. */

import type { Extras } from '../conversation/parts.ts';
import type { Consumption } from './consumption.ts';

/** A text, or an object whose fields the model ranks by. */
export type RankedDocument = string | Readonly<Record<string, unknown>>;

export interface RerankRequest {
  readonly model: string;
  readonly query: string;
  readonly documents: readonly RankedDocument[];
  /** How many results to give back; absent means all. */
  readonly topN?: number;
  readonly returnDocuments: boolean;
  readonly tokensPerDocumentMax?: number;
  /** The fields of an object that it is ranked by, in their order; absent means its text, or all where it has none. */
  readonly rankFields?: readonly string[];
  readonly extras?: Extras;
}

export interface RankedResult {
  /** The document's place in the request. */
  readonly index: number;
  readonly score: number;
}

export interface RerankReply {
  readonly id: string;
  readonly model: string;
  /** The most relevant first. */
  readonly results: readonly RankedResult[];
  readonly consumption: Consumption;
}
