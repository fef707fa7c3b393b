/** What a content-generation request asks of a model: media in contents and answers, tools, a reply in JSON. Never throws, whatever the body holds. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { MediaNeeds, type Needs } from '../../conversation/needs.ts';
import { callingModes, enumWord } from './enum-words.ts';
import { listOf, mediaKind, said } from './wire.ts';

export function needsOf(tree: Tree): Needs {
  const media = new MediaNeeds();
  for (const content of listOf(tree.contents)) {
    if (isObject(content)) readParts(content.parts, media);
    if (media.complete) break;
  }
  return media.with(mayCallTools(tree), asksForJson(said(tree, 'generationConfig')));
}

function readParts(parts: unknown, media: MediaNeeds): void {
  for (const part of listOf(parts)) {
    if (!isObject(part) || typeof part.text === 'string') continue;
    readMedia(part, media);
    const answer = said(part, 'functionResponse');
    if (isObject(answer)) for (const inner of listOf(answer.parts)) if (isObject(inner)) readMedia(inner, media);
    if (media.complete) return;
  }
}

function readMedia(part: Tree, media: MediaNeeds): void {
  const file = said(part, 'inlineData') ?? said(part, 'fileData');
  if (!isObject(file)) return;
  const mediaType = said(file, 'mimeType');
  const kind = mediaKind(typeof mediaType === 'string' ? mediaType : undefined);
  media.add(kind === 'document' ? 'file' : kind);
}

const declarationNames: ReadonlySet<string> = new Set(['functionDeclarations', 'function_declarations']);

/** The mode applies to functions only: tools that the provider runs are on wherever they are listed. */
function mayCallTools(tree: Tree): boolean {
  const functionsOff = forbidsFunctions(said(tree, 'toolConfig'));
  for (const tool of listOf(said(tree, 'tools'))) {
    if (!isObject(tool)) continue;
    if (!functionsOff && listOf(said(tool, 'functionDeclarations')).length > 0) return true;
    for (const name in tool) if (tool[name] !== null && !declarationNames.has(name)) return true;
  }
  return false;
}

function forbidsFunctions(config: unknown): boolean {
  const calling = isObject(config) ? said(config, 'functionCallingConfig') : undefined;
  return isObject(calling) && String(enumWord(calling.mode, callingModes)).toUpperCase() === 'NONE';
}

/** A schema asks for JSON by itself, and so does an enum. */
function asksForJson(config: unknown): boolean {
  if (!isObject(config)) return false;
  const mediaType = said(config, 'responseMimeType');
  if (typeof mediaType === 'string' && mediaType !== '' && mediaType !== 'text/plain') return true;
  const schema = said(config, 'responseSchema') ?? said(config, 'responseJsonSchema');
  return (schema ?? said(config, '_responseJsonSchema')) !== undefined;
}
