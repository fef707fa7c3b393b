/** Citations of the format: chunks of sources, and which bytes of the answer each supports. */

import { defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { Citation } from '../../conversation/parts.ts';
import { textOf } from './read/parts.ts';
import { formatName } from './wire.ts';

/** A citation and the part whose text it supports, as the wire numbers parts. */
interface PlacedCitation {
  readonly part: number | undefined;
  readonly citation: Citation;
}

/** The wire counts UTF-8 bytes, the neutral form UTF-16 units. `textAt` gives the text of a part of the wire. */
export function readCitations(
  candidate: Tree,
  textAt: (part: number | undefined) => string | undefined,
): PlacedCitation[] {
  const placed: PlacedCitation[] = [];
  readGrounding(candidate.groundingMetadata, textAt, placed);
  const metadata = candidate.citationMetadata;
  const sources = isObject(metadata) ? (metadata.citationSources ?? metadata.citations) : undefined;
  for (const source of Array.isArray(sources) ? sources : []) {
    if (!isObject(source)) continue;
    const citation: Citation = {
      ...defined('url', textOf(source.uri)),
      ...defined('title', textOf(source.title)),
      ...unitsOf(source, textAt(undefined)),
      native: { format: formatName, value: source },
    };
    placed.push({ part: undefined, citation });
  }
  return placed;
}

function readGrounding(
  metadata: unknown,
  textAt: (part: number | undefined) => string | undefined,
  placed: PlacedCitation[],
): void {
  if (!isObject(metadata) || !Array.isArray(metadata.groundingChunks)) return;
  const sources = metadata.groundingChunks.map(sourceOf);
  const supports = Array.isArray(metadata.groundingSupports) ? metadata.groundingSupports : [];
  for (const support of supports) {
    if (!isObject(support) || !Array.isArray(support.groundingChunkIndices)) continue;
    const segment = isObject(support.segment) ? support.segment : {};
    const part = typeof segment.partIndex === 'number' ? segment.partIndex : undefined;
    const units = unitsOf(segment, textAt(part));
    for (const index of support.groundingChunkIndices) {
      const source = typeof index === 'number' ? sources[index] : undefined;
      if (source !== undefined) placed.push({ part, citation: { ...source, ...units } });
    }
  }
  if (supports.length > 0) return;
  for (const source of sources) if (source !== undefined) placed.push({ part: undefined, citation: source });
}

/** The source is under the name of its kind: the web, a store of documents, a map. */
function sourceOf(chunk: unknown): Citation | undefined {
  if (!isObject(chunk)) return undefined;
  const source = chunk.web ?? chunk.retrievedContext ?? chunk.maps;
  if (!isObject(source)) return undefined;
  return {
    ...defined('url', textOf(source.uri)),
    ...defined('title', textOf(source.title)),
    ...defined('quote', textOf(source.text)),
  };
}

function unitsOf(segment: Tree, text: string | undefined): { readonly start?: number; readonly end?: number } {
  const { startIndex, endIndex } = segment;
  if (typeof endIndex !== 'number' || text === undefined) return {};
  // A start of zero is left out on this wire.
  return {
    start: unitsBefore(text, typeof startIndex === 'number' ? startIndex : 0),
    end: unitsBefore(text, endIndex),
  };
}

function unitsBefore(text: string, bytes: number): number {
  if (bytes <= 0) return 0;
  return Buffer.from(text).subarray(0, bytes).toString().length;
}

export interface CitedText {
  /** The part's number among the parts of the written content. */
  readonly part: number;
  readonly text: string;
  readonly citations: readonly Citation[];
}

/** Citations of our own wire go back as they came; others become chunks and supports. */
export function writeCitations(cited: readonly CitedText[], losses: LossList): Tree {
  const sources: unknown[] = [];
  const chunks = new Map<string, { readonly index: number; readonly chunk: Tree }>();
  const supports: Tree[] = [];
  for (const { part, text, citations } of cited) {
    for (const citation of citations) {
      if (citation.native?.format === formatName) {
        sources.push(citation.native.value);
        continue;
      }
      if (citation.url !== undefined && citation.quote !== undefined) {
        losses.add('citation quotes', 'the format names the page, not the words on it');
      }
      const key = JSON.stringify([citation.url, citation.title, citation.url === undefined && citation.quote]);
      const known = chunks.get(key) ?? { index: chunks.size, chunk: chunkOf(citation) };
      chunks.set(key, known);
      supports.push({ segment: segmentOf(citation, part, text), groundingChunkIndices: [known.index] });
    }
  }
  const groundingChunks = [...chunks.values()].map(({ chunk }) => chunk);
  return {
    ...(sources.length > 0 && { citationMetadata: { citationSources: sources } }),
    ...(groundingChunks.length > 0 && { groundingMetadata: { groundingChunks, groundingSupports: supports } }),
  };
}

/** A source without a URL is in a store of documents. */
function chunkOf({ url, title, quote }: Citation): Tree {
  if (url !== undefined) return { web: { uri: url, ...defined('title', title) } };
  return { retrievedContext: { ...defined('title', title), ...defined('text', quote) } };
}

function segmentOf({ start = 0, end }: Citation, part: number, text: string): Tree {
  const last = end ?? text.length;
  return {
    ...(part > 0 && { partIndex: part }),
    startIndex: Buffer.byteLength(text.slice(0, start)),
    endIndex: Buffer.byteLength(text.slice(0, last)),
    text: text.slice(start, last),
  };
}
