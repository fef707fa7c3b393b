/** What a request for an image, a video or the like names elsewhere: files that a provider keeps. */

import { type ReferenceRules, referenceFinder } from '../conversation/references/find-references.ts';
import type { ReferenceKind, References } from '../conversation/references/references.ts';
import type { WireBody } from './wire.ts';

const rules: ReferenceRules = {
  ids: new Map<string, ReferenceKind>([
    ['file_id', 'file'],
    ['file_ids', 'file'],
    ['container', 'container'],
    ['container_id', 'container'],
    ['vector_store_ids', 'vector store'],
    ['cachedContent', 'cache'],
  ]),
  opaque: new Set(['metadata']),
  outbound: new Set(['server_url', 'connector_id']),
};

const find = referenceFinder(rules);

/** Undefined where nothing is named. */
export function referencesIn(body: WireBody): References | undefined {
  if (body.kind === 'json') return find(body.tree);
  if (body.kind === 'file') return undefined;
  const texts = body.fields.flatMap(({ name, value }) =>
    // `input_reference[file_id]` and `file_ids[]` are spellings of the same fields.
    typeof value === 'string' ? [[/(\w+)(\[\])?\]?$/.exec(name)?.[1] ?? name, value] as const] : [],
  );
  return find({ fields: texts.map(([name, value]) => ({ [name]: value })) });
}
