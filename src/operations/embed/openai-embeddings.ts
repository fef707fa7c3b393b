/** The embeddings wire of the chat family, which most servers speak. */

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
