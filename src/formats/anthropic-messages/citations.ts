/** Citations of the messages format: each belongs to a whole text block and gives the location of its source. */

import { isObject } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { Citation } from '../../conversation/parts.ts';
import { formatName } from './wire.ts';

export function readCitation(value: unknown): Citation | undefined {
  if (!isObject(value)) return undefined;
  const url = value.type === 'search_result_location' ? address(value.source) : text(value.url);
  const title = text(value.title) ?? text(value.document_title);
  const quote = text(value.cited_text);
  return {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(quote !== undefined && { quote }),
    native: { format: formatName, value },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A search result's source is any text; only a URL can be followed. */
function address(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//.test(value) ? value : undefined;
}

export function readCitations(value: unknown): { readonly citations?: readonly Citation[] } {
  if (!Array.isArray(value) || value.length === 0) return {};
  const citations = value.flatMap((entry) => readCitation(entry) ?? []);
  return citations.length === 0 ? {} : { citations };
}

/** `encrypted_index` authenticates results of the provider's own search; a citation of another origin has none. */
const noProof = '';

/** Undefined, and reported, where the format does not support it. */
export function writeCitation(citation: Citation, losses: LossList): object | undefined {
  const { native, url, title, quote } = citation;
  if (native?.format === formatName && isObject(native.value)) return native.value;
  if (url === undefined) {
    losses.add(`citation ${title ?? ''}`.trimEnd(), 'has no URL, and the format supports no other foreign citation');
    return undefined;
  }
  if (citation.start !== undefined || citation.end !== undefined) {
    losses.add(`citation ${url}`, 'covers a range of the text, and the format cites whole texts only');
  }
  return {
    type: 'web_search_result_location',
    cited_text: quote ?? '',
    url,
    title: title ?? url,
    encrypted_index: noProof,
  };
}

/** A provider refuses citations that it did not make, so those are not sent back to it. */
export function isProven(citation: object): boolean {
  return !('encrypted_index' in citation) || citation.encrypted_index !== noProof;
}
