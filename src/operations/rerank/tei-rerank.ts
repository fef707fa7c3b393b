/**
 * Text Embeddings Inference, rerank API: documents are `texts`, and the reply is the bare list of places and scores.
 * https://huggingface.co/docs/text-embeddings-inference/quick_tour (read 2026-11-16).
 */

import { textRerank } from './text-rerank.ts';

export const teiRerank = textRerank({
  name: 'tei-rerank',
  documents: 'texts',
  namesDocuments: false,
  takesImages: false,
  passes: ['truncate', 'raw_scores'],
});
