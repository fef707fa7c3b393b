/** Citations in the chat format: annotations beside the text, and the bare list of URLs that search services add. */

import { defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Citation } from '../../conversation/parts.ts';
import { formatName } from './wire.ts';

/** `offset` is where the part begins in the whole text, which is what the wire counts from. */
export function readAnnotation(annotation: unknown, offset: number): Citation | undefined {
  if (!isObject(annotation)) return undefined;
  const cited = annotation.url_citation;
  if (!isObject(cited) || typeof cited.url !== 'string') return { native: { format: formatName, value: annotation } };
  return {
    url: cited.url,
    ...defined('title', typeof cited.title === 'string' ? cited.title : undefined),
    ...defined('quote', typeof cited.content === 'string' ? cited.content : undefined),
    ...defined('start', place(cited.start_index, offset)),
    ...defined('end', place(cited.end_index, offset)),
  };
}

function place(value: unknown, offset: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= offset ? value - offset : undefined;
}

/** The sources of a whole reply, which name no place in the text. */
export function readSources(reply: Tree): Citation[] {
  if (!Array.isArray(reply.citations)) return [];
  const titles = new Map<string, string>();
  for (const result of Array.isArray(reply.search_results) ? reply.search_results : []) {
    if (!isObject(result) || typeof result.url !== 'string' || typeof result.title !== 'string') continue;
    titles.set(result.url, result.title);
  }
  return reply.citations.flatMap((entry: unknown) => {
    const url = isObject(entry) ? entry.url : entry;
    return typeof url === 'string' ? [{ url, ...defined('title', titles.get(url)) }] : [];
  });
}

/** Undefined where the format does not support it: it cites URLs only. */
export function writeCitation(citation: Citation, offset: number, length: number): object | undefined {
  if (citation.native?.format === formatName && isObject(citation.native.value)) return citation.native.value;
  const { url } = citation;
  if (url === undefined || !URL.canParse(url)) return undefined;
  return {
    type: 'url_citation',
    url_citation: {
      url,
      title: citation.title ?? url,
      start_index: offset + (citation.start ?? 0),
      end_index: offset + (citation.end ?? length),
      ...(citation.quote === undefined ? {} : { content: citation.quote }),
    },
  };
}
