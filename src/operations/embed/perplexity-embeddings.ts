/**
 * Perplexity embeddings API: vectors come as the base64 of signed bytes unless another encoding is named, which this wire never does.
 * https://docs.perplexity.ai/docs/embeddings/standard-embeddings (read 2026-11-16).
 */

import { listWire } from './list-wire.ts';
import { readBytes } from './vectors.ts';

/** No number was found; requests of this size are small everywhere. */
const inputsMax = 128;

export const perplexityEmbeddings = listWire({
  name: 'perplexity-embeddings',
  dimensions: 'dimensions',
  takesTokens: false,
  firstDialect: false,
  passes: [],
  inputsMax,
  vector: readBytes,
});
