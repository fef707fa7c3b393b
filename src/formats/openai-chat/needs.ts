/** What a chat request asks of a model: media in any message, tools, a reply in JSON. Never throws, whatever the body holds. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { type MediaNeed, MediaNeeds, type Needs } from '../../conversation/needs.ts';

/** The original service's parts and the names that compatible ones use for the same. */
const mediaTypes: ReadonlyMap<unknown, MediaNeed> = new Map<unknown, MediaNeed>([
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['input_audio', 'audio'],
  ['audio_url', 'audio'],
  ['video_url', 'video'],
  ['input_video', 'video'],
  ['file', 'file'],
  ['input_file', 'file'],
  ['document_url', 'file'],
]);

export function needsOf(tree: Tree): Needs {
  const media = new MediaNeeds();
  readMedia(tree.messages, media);
  return media.with(mayCallTools(tree), asksForJson(tree.response_format));
}

function readMedia(messages: unknown, media: MediaNeeds): void {
  if (!Array.isArray(messages)) return;
  for (const message of messages) {
    const content: unknown = isObject(message) ? message.content : undefined;
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      // Nearly every part is a text, and comparing is cheaper than a map lookup.
      if (!isObject(part) || part.type === 'text') continue;
      const kind = mediaTypes.get(part.type);
      if (kind === undefined) continue;
      media.add(kind);
      if (media.complete) return;
    }
  }
}

/** `functions` and `function_call` are the dialect of before tools. */
function mayCallTools(tree: Tree): boolean {
  if (!isFilled(tree.tools) && !isFilled(tree.functions)) return false;
  return (tree.tool_choice ?? tree.function_call) !== 'none';
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

export function asksForJson(shape: unknown): boolean {
  return isObject(shape) && (shape.type === 'json_schema' || shape.type === 'json_object');
}
