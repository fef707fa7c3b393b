/** Every scripted provider of every operation before one Weir, for suites that call all of them. */

import { speechRows, transcriptRows } from '../../../contract/operations/audio-rows.ts';
import type { Row } from '../../../contract/operations/bench.ts';
import { embeddingRows } from '../../../contract/operations/embedding-rows.ts';
import { imageRows } from '../../../contract/operations/image-rows.ts';
import { moderationRows } from '../../../contract/operations/moderation-rows.ts';
import { rerankRows } from '../../../contract/operations/rerank-rows.ts';

/**
 * Providers are named after their operation here, since one vendor has several wires: `embed-cohere`, `rerank-cohere`.
 */
export function everyRow(): Readonly<Record<string, Row>> {
  const groups = {
    embed: embeddingRows,
    rerank: rerankRows,
    moderate: moderationRows,
    draw: imageRows(),
    speak: speechRows,
    hear: transcriptRows,
  };
  const rows = Object.entries(groups).flatMap(([prefix, group]) =>
    Object.entries(group).map(([name, row]) => [`${prefix}-${name}`, row] as const),
  );
  return Object.fromEntries(rows);
}
