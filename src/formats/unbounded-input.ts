/**
 * Input that the length of a body does not bound: what is elsewhere (files, conversations, caches), what is compressed
 * (documents, audio, video), and what tools bring in that the provider itself runs. The model's context bounds it, once
 * per read.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';

/** How often a model is assumed to read its context if it calls provider-run tools and nothing limits the calls. */
export const toolReadsAssumed = 4;
/** A search before the answer: the model reads its context for the question, and again with what was found. */
export const searchReads = 2;
const toolUsesCeiling = 1_000;
/** How often a model is assumed to search the web if nothing limits it; further searches are charged as well. */
export const searchesAssumed = 10;

export interface HostedTools {
  /** The first of them, as the caller would name it. */
  readonly path: string;
  /** How often all of them together may be used; undefined where one has no limit. */
  readonly usesMax: number | undefined;
  /** How often those together may be used that search the web; undefined where none does. */
  readonly searchesMax: number | undefined;
}

/** The tools of a request that the provider runs itself; undefined where the caller runs them all. */
export function hostedTools(
  tools: unknown,
  callerRuns: (tool: Tree) => boolean,
  searches: (tool: Tree) => boolean,
  usesField?: string,
): HostedTools | undefined {
  if (!Array.isArray(tools)) return undefined;
  let path: string | undefined;
  let usesMax: number | undefined = 0;
  let searchesMax: number | undefined;
  for (let index = 0; index < tools.length; index++) {
    const tool: unknown = tools[index];
    if (!isObject(tool) || callerRuns(tool)) continue;
    path ??= `tools[${index}]`;
    const uses = usesField === undefined ? undefined : usesOf(tool, usesField, `tools[${index}].${usesField}`);
    usesMax = usesMax === undefined || uses === undefined ? undefined : usesMax + uses;
    if (searches(tool)) searchesMax = (searchesMax ?? 0) + (uses ?? searchesAssumed);
  }
  return path === undefined ? undefined : { path, usesMax, searchesMax };
}

/** Is it a search of the web or of a network in it, by the names that most formats have for it? */
export function isWebSearch({ type }: Tree): boolean {
  return typeof type === 'string' && /web_?search|^x_search/.test(type);
}

/** Does a field that refers to input elsewhere (`AskedBounds.reference`) ask for searches of the web? */
export function asksForSearch(reference: string | undefined): boolean {
  return reference !== undefined && /search|plugins/i.test(reference);
}

function usesOf(tool: Tree, field: string, path: string): number | undefined {
  const value = tool[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= toolUsesCeiling) return value;
  const message = `The field \`${path}\` must be a whole number from 0 to ${toolUsesCeiling}.`;
  throw new GatewayError('field_invalid', message, { param: path });
}

/** `reads`: how often the context may be filled; `searches`: how often the web may be searched. */
export function inputFacts(unbounded: string | undefined, reads: number, searches?: number) {
  return {
    inputUnbounded: unbounded,
    contextReadsMax: reads > 1 ? reads : undefined,
    webSearchesMax: searches,
  };
}
