/** What must hold of a content-generation request before anything is spent. Unknown fields pass unchecked. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { askedBounds, outputFacts } from '../asked-bounds.ts';
import type { NamedRequest } from '../codec.ts';
import { ImagesIn } from '../fields/images-in.ts';
import { toolTokens } from '../fields/tool-tokens.ts';
import type { RequestFacts, Tree } from '../format.ts';
import { hostedTools, inputFacts, searchReads } from '../unbounded-input.ts';
import { isOwnTool } from './fields.ts';
import { listOf, mediaKind, said, snakeName } from './wire.ts';

const candidatesMax = 128;
const outputTokensCeiling = 100_000_000;
/** A file given by URI may be an hour of video; no model reads more than this at once. */
const fileTokensMax = 1_048_576;
/** Audio, video and pages at their most compressed still need this many characters of base64 for one token. */
const charactersPerMediaToken = 4;

const unnamed: NamedRequest = { model: '', stream: false };

export function check(tree: Tree, bodyBytes: number, named: NamedRequest = unnamed): RequestFacts {
  if (named.model === '') throw missing('model', 'Name the model in the path: `models/{model}:generateContent`.');
  checkContents(tree);
  const instruction = said(tree, 'systemInstruction');
  if (instruction !== undefined && typeof instruction !== 'string' && !isObject(instruction)) {
    throw invalid(spelled(tree, 'systemInstruction'), 'must be a content with parts');
  }
  const tools = said(tree, 'tools');
  if (tools !== undefined && !Array.isArray(tools) && !isObject(tools)) throw invalid('tools', 'must be an array');
  const toolConfig = said(tree, 'toolConfig');
  if (toolConfig !== undefined && !isObject(toolConfig)) {
    throw invalid(spelled(tree, 'toolConfig'), 'must be an object');
  }
  const asked = askedBounds(tree);
  const hosted = hostedTools(listOf(tools), isOwnTool, isSearch);
  const { inputTokensMax, unbounded, images } = inputBound(tree, bodyBytes);
  return {
    model: named.model,
    stream: named.stream,
    ...outputFacts(asked, checkConfig(tree)),
    inputTokensMax: inputTokensMax + toolTokens(tools),
    ...(images > 0 && { images }),
    ...inputFacts(
      unbounded ?? asked.reference ?? hosted?.path,
      hosted === undefined ? 1 : searchReads,
      hosted?.searchesMax,
    ),
    ...(refusesPriority(said(tree, 'serviceTier')) && !asked.speeds && { neverPriority: true }),
  };
}

function refusesPriority(tier: unknown): boolean {
  return typeof tier === 'string' && /^(?:standard|flex)$/i.test(tier);
}

/** Google Search, or enterprise web search. */
function isSearch(tool: Tree): boolean {
  return Object.keys(tool).some((name) => /^(?:google_?search|enterprise_?web_?search)/i.test(name));
}

/** One content may replace a list of one, as on the original wire; a bare text may not. */
function checkContents(tree: Tree): void {
  const contents = tree.contents;
  if (contents === undefined || contents === null) {
    throw missing('contents', 'Send the conversation as an array of contents with parts.');
  }
  if (!isObject(contents) && (!Array.isArray(contents) || contents.length === 0)) {
    throw invalid('contents', 'must be a non-empty array');
  }
  for (const [index, content] of listOf(contents).entries()) {
    if (!isObject(content)) throw invalid(`contents[${index}]`, 'must be an object with parts');
    if (content.role !== undefined && content.role !== null && typeof content.role !== 'string') {
      throw invalid(`contents[${index}].role`, 'must be a string');
    }
    checkParts(content.parts, `contents[${index}].parts`);
  }
}

function checkParts(parts: unknown, name: string): void {
  if (parts === undefined || parts === null) throw missing(name, 'Each content has parts.');
  if (!isObject(parts) && (!Array.isArray(parts) || parts.length === 0)) {
    throw invalid(name, 'must be a non-empty array');
  }
  for (const [index, part] of listOf(parts).entries()) {
    if (!isObject(part)) throw invalid(`${name}[${index}]`, 'must be an object');
    if (part.text !== undefined && part.text !== null && typeof part.text !== 'string') {
      throw invalid(`${name}[${index}].text`, 'must be a string');
    }
  }
}

const numbers = ['temperature', 'topP', 'topK', 'presencePenalty', 'frequencyPenalty', 'seed'] as const;

function checkConfig(tree: Tree): { readonly candidates: number; readonly outputTokens: number | undefined } {
  const config = said(tree, 'generationConfig');
  if (config === undefined) return { candidates: 1, outputTokens: undefined };
  const path = spelled(tree, 'generationConfig');
  if (!isObject(config)) throw invalid(path, 'must be an object');
  for (const name of numbers) {
    const value = said(config, name) ?? 0;
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw invalid(`${path}.${spelled(config, name)}`, 'must be a number');
    }
  }
  const temperature = config.temperature;
  if (typeof temperature === 'number' && temperature < 0) throw invalid(`${path}.temperature`, 'must not be negative');
  const stops = said(config, 'stopSequences');
  if (stops !== undefined && !Array.isArray(stops)) {
    throw invalid(`${path}.${spelled(config, 'stopSequences')}`, 'must be an array of texts');
  }
  return {
    candidates: whole(config, 'candidateCount', candidatesMax, path) ?? 1,
    outputTokens: whole(config, 'maxOutputTokens', outputTokensCeiling, path),
  };
}

function whole(config: Tree, name: string, most: number, path: string): number | undefined {
  const value = said(config, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > most) {
    throw invalid(`${path}.${spelled(config, name)}`, `must be a whole number from 1 to ${most}`);
  }
  return value;
}

/** A token is at least one byte of the body, so the body's length is a ceiling; media count by their kind instead. */
function inputBound(
  tree: Tree,
  bodyBytes: number,
): { readonly inputTokensMax: number; readonly unbounded: string | undefined; readonly images: number } {
  const images = new ImagesIn();
  let bound = bodyBytes;
  let unbounded: string | undefined;
  const contents = [...listOf(tree.contents), said(tree, 'systemInstruction')];
  for (let index = 0; index < contents.length; index++) {
    const content = contents[index];
    if (!isObject(content)) continue;
    for (const part of listOf(content.parts)) {
      if (!isObject(part)) continue;
      bound += mediaSurplus(part, images, `contents[${index}].parts`);
      if (isUnbounded(part)) unbounded ??= `contents[${index}].parts`;
    }
  }
  return { inputTokensMax: Math.max(bound + images.surplus, 1), unbounded, images: images.count };
}

/** The media type of a file given by URI proves nothing; audio, video and pages are compressed. */
function isUnbounded(part: Tree): boolean {
  if (isObject(said(part, 'fileData'))) return true;
  const inline = said(part, 'inlineData');
  if (isObject(inline) && kindOf(inline) !== 'image') return true;
  const response = said(part, 'functionResponse');
  return isObject(response) && listOf(response.parts).some((inner) => isObject(inner) && isUnbounded(inner));
}

/** By how much a part's tokens may differ from its bytes. */
function mediaSurplus(part: Tree, images: ImagesIn, path: string): number {
  const inline = said(part, 'inlineData');
  if (isObject(inline) && typeof inline.data === 'string') {
    const size = inline.data.length;
    if (kindOf(inline) !== 'image') return Math.ceil(size / charactersPerMediaToken) - size;
    images.add('image/*', inline.data, path);
    return 0;
  }
  const file = said(part, 'fileData');
  if (isObject(file)) return fileTokensMax;
  const response = said(part, 'functionResponse');
  let surplus = 0;
  if (isObject(response)) {
    for (const inner of listOf(response.parts)) if (isObject(inner)) surplus += mediaSurplus(inner, images, path);
  }
  return surplus;
}

function kindOf(file: Tree): string {
  const mediaType = said(file, 'mimeType');
  return mediaKind(typeof mediaType === 'string' ? mediaType : undefined);
}

/** The field's name as this client wrote it. */
function spelled(tree: Tree, name: string): string {
  return tree[name] === undefined || tree[name] === null ? snakeName(name) : name;
}

function missing(param: string, hint: string): GatewayError {
  return new GatewayError('field_missing', `The field \`${param}\` is missing. ${hint}`, { param });
}

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `The field \`${param}\` ${rule}.`, { param });
}
