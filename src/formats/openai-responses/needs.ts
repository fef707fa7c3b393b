/** What a responses request asks of a model: media in messages and results, tools, a reply in JSON. Never throws, whatever the body holds. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { type MediaNeed, MediaNeeds, type Needs } from '../../conversation/needs.ts';

const mediaTypes: ReadonlyMap<unknown, MediaNeed> = new Map<unknown, MediaNeed>([
  ['input_image', 'image'],
  ['computer_screenshot', 'image'],
  ['input_audio', 'audio'],
  ['input_video', 'video'],
  ['input_file', 'file'],
]);

export function needsOf(tree: Tree): Needs {
  const { input, text } = tree;
  const media = new MediaNeeds();
  const broughtTools = readItems(input, media);
  const tools = (broughtTools || isFilled(tree.tools)) && tree.tool_choice !== 'none';
  const format = isObject(text) && isObject(text.format) ? text.format.type : undefined;
  return media.with(tools, format === 'json_schema' || format === 'json_object');
}

/** True where an item brings tools along. */
function readItems(input: unknown, media: MediaNeeds): boolean {
  if (!Array.isArray(input)) return false;
  let broughtTools = false;
  for (const item of input) {
    if (!isObject(item)) continue;
    if (item.type === 'additional_tools' && isFilled(item.tools)) broughtTools = true;
    if (media.complete) {
      if (broughtTools) return true;
      continue;
    }
    readParts(item.content, media);
    // A result is a text, a list of parts, or the one part that is a screenshot.
    readParts(item.output, media);
  }
  return broughtTools;
}

function readParts(value: unknown, media: MediaNeeds): void {
  if (typeof value === 'string') return;
  if (!Array.isArray(value)) {
    readPart(value, media);
    return;
  }
  for (const part of value) {
    readPart(part, media);
    if (media.complete) return;
  }
}

function readPart(part: unknown, media: MediaNeeds): void {
  // Nearly every part is a text, and comparing is cheaper than a map lookup.
  if (!isObject(part) || part.type === 'input_text' || part.type === 'output_text') return;
  const kind = mediaTypes.get(part.type);
  if (kind !== undefined) media.add(kind);
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}
