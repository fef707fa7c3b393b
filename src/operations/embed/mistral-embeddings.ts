/**
 * The dialect that calls the dimensions `output_dimension` and refuses a request with a field it does not know. A wire of its own,
 * since a body that passed untouched would be refused for its `dimensions` or its `user`.
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
