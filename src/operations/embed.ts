/** Texts into vectors. */

import type { Extras } from '../conversation/parts.ts';
import type { Consumption } from './consumption.ts';

export interface EmbedRequest {
  readonly model: string;
  /** Each a text, or its tokens where the caller tokenized it. */
  readonly inputs: readonly (string | readonly number[])[];
  readonly dimensions?: number;
  /** How the caller wants each vector written. */
  readonly encoding: 'float' | 'base64';
  /** What the vectors are for: `search_query`, `search_document`, `classification`, `clustering`, `similarity`. */
  readonly purpose?: string;
  readonly title?: string;
  readonly user?: string;
  readonly extras?: Extras;
}

export interface EmbedReply {
  readonly model: string;
  /** One for each input, in their order. */
  readonly vectors: readonly Float32Array[];
  readonly consumption: Consumption;
}
