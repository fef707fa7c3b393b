/**
 * What a messages request refers to, and the ids that a reply creates. https://docs.claude.com/en/api/messages (read
 * 2026-11-15).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { type ReferenceRules, referenceFinder } from '../../conversation/references/find-references.ts';
import type { ReferenceKind } from '../../conversation/references/references.ts';

const rules: ReferenceRules = {
  ids: new Map<string, ReferenceKind>([
    ['file_id', 'file'],
    ['container', 'container'],
    ['skill_id', 'skill'],
  ]),
  opaque: new Set(['metadata', 'input', 'input_schema', 'citations', 'output_format']),
  // Of the servers in `mcp_servers`; the same field elsewhere is an image or a document that the provider reads.
  outbound: new Set(['url']),
  means(field, value, path) {
    if (field === 'url') return path[0] === 'mcp_servers';
    // The vendor's own skills are available to every workspace.
    return field !== 'skill_id' || !ownSkill.test(String(value));
  },
};

/** Names such as `pptx`; what a workspace made begins with `skill_`. */
const ownSkill = /^(?!skill_)[a-z-]+$/;

export const references = referenceFinder(rules);

export function madeIn(reply: Tree): readonly string[] {
  const made: string[] = [];
  addContainer(made, reply);
  const { content } = reply;
  if (Array.isArray(content)) for (const block of content) if (isObject(block)) addBlock(made, block);
  return made;
}

/** Of a block, or of an event that says more of the reply. */
export function madeInPart(value: Tree): readonly string[] {
  const made: string[] = [];
  addContainer(made, value);
  if (isObject(value['delta'])) addContainer(made, value['delta']);
  addBlock(made, value);
  return made;
}

/** The container that the provider's tools ran in. */
export function addContainer(made: string[], holder: Tree): void {
  const { container } = holder;
  if (isObject(container) && typeof container['id'] === 'string') made.push(container['id']);
}

/** Files that the provider's tools wrote. */
export function addBlock(made: string[], { type, content }: Tree): void {
  if (typeof type !== 'string' || !type.endsWith('_tool_result') || !isObject(content)) return;
  const outputs = content['content'];
  if (!Array.isArray(outputs)) return;
  for (const output of outputs) {
    if (isObject(output) && typeof output['file_id'] === 'string') made.push(output['file_id']);
  }
}
