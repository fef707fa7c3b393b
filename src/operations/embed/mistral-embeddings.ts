/**
 * Mistral embeddings API: calls the dimensions `output_dimension` and refuses a request with an unknown field.
 * https://docs.mistral.ai/api (read 2026-11-16). A wire of its own, since a body that passed untouched would be refused
 * for its `dimensions` or its `user`.
 */

import { listWire } from './list-wire.ts';

/** No number is documented; requests of this size stay within the documented tokens of one batch for ordinary chunks. */
const inputsMax = 128;

export const mistralEmbeddings = listWire({
  name: 'mistral-embeddings',
  dimensions: 'output_dimension',
  takesTokens: false,
  firstDialect: false,
  passes: ['metadata'],
  inputsMax,
});
