/** Every scripted provider of every operation before one Weir, for suites that ask all of them. */

import type { Row } from '../bench.ts';
import { embeddingRows } from '../embedding-rows.ts';
import { moderationRows } from '../moderation-rows.ts';
import { pictureRows } from '../picture-rows.ts';
import { rerankRows } from '../rerank-rows.ts';
import { speechRows, transcriptRows } from '../sound-rows.ts';

/** Providers are named after what they are here for, since one maker has several wires: `embed-cohere`, `rerank-cohere`. */
export function everyRow(): Readonly<Record<string, Row>> {
  const groups = {
    embed: embeddingRows,
    rerank: rerankRows,
    moderate: moderationRows,
    draw: pictureRows(),
    speak: speechRows,
    hear: transcriptRows,
  };
  const rows = Object.entries(groups).flatMap(([prefix, group]) =>
    Object.entries(group).map(([name, row]) => [`${prefix}-${name}`, row] as const),
  );
  return Object.fromEntries(rows);
}
