/** What a messages request asks of a model: media in turns and results, tools, a reply in JSON. Never throws, whatever the body holds. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { MediaNeeds, type Needs } from '../../conversation/needs.ts';

/** A turn holds results, a result documents, a document blocks; nothing of the format is nested deeper. */
const depthMax = 4;

export function needsOf(tree: Tree): Needs {
  const media = new MediaNeeds();
  if (Array.isArray(tree.messages)) {
    for (const message of tree.messages) {
      if (isObject(message)) readBlocks(message.content, media, 1);
      if (media.complete) break;
    }
  }
  return media.with(mayCallTools(tree), asksForJson(tree));
}

function readBlocks(content: unknown, media: MediaNeeds, depth: number): void {
  if (!Array.isArray(content) || depth > depthMax) return;
  for (const block of content) {
    if (isObject(block)) readBlock(block, media, depth);
    if (media.complete) return;
  }
}

function readBlock(block: Tree, media: MediaNeeds, depth: number): void {
  switch (block.type) {
    case 'text':
      return;
    case 'image':
      media.add('image');
      return;
    case 'container_upload':
      media.add('file');
      return;
    case 'document':
      readDocument(block.source, media, depth);
      return;
    default:
      // Results of tools, whether the client or the provider ran them.
      readBlocks(block.content, media, depth + 1);
  }
}

/** A document that is plain text, or blocks of it, is text to every model. */
function readDocument(source: unknown, media: MediaNeeds, depth: number): void {
  if (!isObject(source)) return;
  if (source.type === 'content') readBlocks(source.content, media, depth + 1);
  else if (source.type !== 'text') media.add('file');
}

function mayCallTools(tree: Tree): boolean {
  if (!Array.isArray(tree.tools) || tree.tools.length === 0) return false;
  return !isObject(tree.tool_choice) || tree.tool_choice.type !== 'none';
}

/** Older libraries still send the field under its older name. */
function asksForJson({ output_config: config, output_format: older }: Tree): boolean {
  const format = (isObject(config) ? config.format : undefined) ?? older;
  return isObject(format) && format.type === 'json_schema';
}
