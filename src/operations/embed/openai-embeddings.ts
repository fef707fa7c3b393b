/**
 * OpenAI embeddings API (`/v1/embeddings`), which most servers have.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { listFamily, listWire } from './list-wire.ts';

/** The official service's own bound, which compatible servers share or exceed. */
export const embeddingInputsMax = 2048;

export const openaiEmbeddings = listWire({
  name: listFamily,
  dimensions: 'dimensions',
  takesTokens: true,
  firstDialect: true,
  passes: [],
  inputsMax: embeddingInputsMax,
});
