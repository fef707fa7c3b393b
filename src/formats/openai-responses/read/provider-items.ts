/** Items of tools that the provider ran in earlier turns, in parts that every format has. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { MediaPart, NativePart, TextPart } from '../../../conversation/parts.ts';
import { ranText, returnedText } from '../../../conversation/tools/provider-ran.ts';
import { list, text } from '../wire.ts';

type Instead = NonNullable<NativePart['instead']>;

/** Undefined where nothing of the item can be said in another format. */
export function ranByProvider(item: Tree): Instead | undefined {
  switch (item['type']) {
    case 'mcp_call':
      return mcpCall(item);
    case 'code_interpreter_call':
      return codeCall(item);
    case 'web_search_call':
      return isObject(item['action']) ? [ranText('web_search', item['action'])] : undefined;
    case 'file_search_call':
      return [ranText('file_search', item['queries']), ...resultsOf(item)];
    case 'image_generation_call':
      return imageCall(item);
    default:
      return undefined;
  }
}

function mcpCall(item: Tree): Instead {
  const { output, error } = item;
  const failed = error !== undefined && error !== null;
  const name = `${text(item['name']) ?? 'mcp'} of the server ${text(item['server_label']) ?? ''}`.trimEnd();
  const returned = failed || typeof output === 'string' ? [returnedText(failed ? error : output, failed)] : [];
  return [ranText(name, item['arguments']), ...returned];
}

function codeCall(item: Tree): Instead {
  const outputs = list(item['outputs']).flatMap((output): readonly (TextPart | MediaPart)[] => {
    if (!isObject(output)) return [];
    if (typeof output['logs'] === 'string') return [returnedText(output['logs'])];
    return typeof output['url'] === 'string' ? [returnedText(`an image at ${output['url']}`)] : [];
  });
  return [ranText('code_interpreter', item['code']), ...outputs];
}

function resultsOf(item: Tree): readonly TextPart[] {
  const found = list(item['results']).flatMap((result) =>
    isObject(result) && typeof result['text'] === 'string'
      ? [`${text(result['filename']) ?? ''}\n${result['text']}`]
      : [],
  );
  return found.length === 0 ? [] : [returnedText(found.join('\n\n'))];
}

/** Undefined while the image is not made. */
function imageCall(item: Tree): Instead | undefined {
  const { result } = item;
  if (typeof result !== 'string' || result === '') return undefined;
  const format = text(item['output_format']) ?? 'png';
  return [{ type: 'media', media: 'image', mediaType: `image/${format}`, source: { kind: 'base64', data: result } }];
}
