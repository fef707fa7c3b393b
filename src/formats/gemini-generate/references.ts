/**
 * What a generate request refers to: caches, uploaded files, stores and corpora.
 * https://ai.google.dev/api/generate-content (read 2026-11-15).
 */

import { type ReferenceRules, referenceFinder } from '../../conversation/references/find-references.ts';
import type { ReferenceKind } from '../../conversation/references/references.ts';

/** Both spellings that the service reads. */
const spellings = (fields: readonly string[]): readonly string[] =>
  fields.flatMap((field) => [field, field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);
const kinds = (fields: readonly string[], kind: ReferenceKind): [string, ReferenceKind][] =>
  spellings(fields).map((field) => [field, kind]);

const fileUris: ReadonlySet<string> = new Set(spellings(['fileUri']));
const servers: ReadonlySet<string | number> = new Set(spellings(['mcpServers', 'externalApi']));

const rules: ReferenceRules = {
  ids: new Map([
    ...kinds(['cachedContent'], 'cache'),
    ...kinds(['fileUri'], 'file'),
    ...kinds(['fileSearchStoreNames', 'ragCorpus', 'ragFileIds', 'datastore', 'dataStore', 'engine'], 'vector store'),
  ]),
  opaque: new Set(
    spellings([
      'args',
      'response',
      'parameters',
      'parametersJsonSchema',
      'responseSchema',
      'responseJsonSchema',
      'labels',
    ]),
  ),
  outbound: new Set(['url', 'endpoint']),
  means(field, value, path) {
    if (fileUris.has(field)) return typeof value === 'string' && isKept(value);
    if (field === 'url' || field === 'endpoint') return path.some((part) => servers.has(part));
    return true;
  },
};

/** Is it a file that the operator's account keeps, and not a page of the public web? */
function isKept(uri: string): boolean {
  if (!/^https?:/i.test(uri)) return true;
  const host = URL.parse(uri)?.hostname ?? '';
  return /(^|\.)(googleapis\.com|storage\.cloud\.google\.com|drive\.google\.com|docs\.google\.com)$/.test(host);
}

export const references = referenceFinder(rules);
