/**
 * What a frame or the settings of a realtime session refer to. https://platform.openai.com/docs/api-reference/realtime
 * (read 2026-11-15).
 */

import { type ReferenceRules, referenceFinder } from '../../conversation/references/find-references.ts';
import type { ReferenceKind } from '../../conversation/references/references.ts';

/** Items of the conversation are not among them: they belong to the connection. */
const rules: ReferenceRules = {
  ids: new Map<string, ReferenceKind>([
    ['prompt', 'prompt'],
    ['file_id', 'file'],
    ['file_ids', 'file'],
    ['vector_store_ids', 'vector store'],
    ['container', 'container'],
  ]),
  opaque: new Set(['metadata', 'parameters', 'headers']),
  outbound: new Set(['server_url', 'connector_id']),
};

export const references = referenceFinder(rules);
