/** Reads a whole chat completion, of the original service or a compatible one, into the neutral reply. */

import { defined, isFilled, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Citation, Converted, Extras, Part, Seal, TextPart, TokenLogprob } from '../../../conversation/parts.ts';
import type { Candidate, TextReply } from '../../../conversation/text-reply.ts';
import { unknownUsage } from '../../../conversation/usage.ts';
import type { ReadContext } from '../../codec.ts';
import { readFields } from '../../fields/carried-fields.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { readAnnotation, readSources } from '../citations.ts';
import { replyTable } from '../fields.ts';
import { readLogprobs } from '../logprobs.ts';
import { readReasoning, sealFrom } from '../reasoning.ts';
import { besideUsage, readUsage } from '../usage.ts';
import { callIdPrefix, formatName, readCallSignature, readFinish, replyIdPrefix } from '../wire.ts';
import { readLinkedMedia, readPart } from './parts.ts';

const replyFields = readFields(replyTable);

export function readReply(tree: unknown, context: ReadContext): Converted<TextReply> {
  if (!isObject(tree) || !Array.isArray(tree.choices)) throw new SyntaxError('A chat reply has `choices`.');
  if (isFilled(tree.error)) throw new SyntaxError('A chat reply has no `error`.');
  const losses = new LossList();
  reportUnread(tree, replyTable, losses);
  const sources = readSources(tree);
  const choices = tree.choices.filter(isObject);
  const value: TextReply = {
    ...readHead(tree, context),
    candidates: choices.map((choice, index) => readChoice(choice, index, index === 0 ? sources : [], context, losses)),
    usage: readUsage(tree.usage, besideUsage(tree)) ?? unknownUsage,
    ...defined('extras', extrasOf(formatName, unknownFields(tree))),
  };
  return { value, losses: losses.all };
}

/** What whole replies and chunks begin with. */
export function readHead(
  tree: Tree,
  context: ReadContext,
): { id: string; model: string; createdAtMs: number; serviceTier?: string } {
  const { id, model, created } = tree;
  return {
    id: typeof id === 'string' && id !== '' ? id : context.newId(replyIdPrefix),
    model: typeof model === 'string' && model !== '' ? model : context.origin.model,
    createdAtMs: typeof created === 'number' && created > 0 ? created * 1000 : context.nowMs,
    ...defined('serviceTier', typeof tree.service_tier === 'string' ? tree.service_tier : undefined),
  };
}

/** The fields of a reply, or of a stream's first chunk, that have no neutral name. */
export function unknownFields(tree: Tree): Record<string, unknown> | undefined {
  let fields: Record<string, unknown> | undefined;
  for (const name in tree) {
    if (replyFields.has(name) || tree[name] === null || tree[name] === undefined) continue;
    fields ??= {};
    fields[name] = tree[name];
  }
  return fields;
}

export function extrasOf(format: string, fields: Record<string, unknown> | undefined): Extras | undefined {
  return fields === undefined ? undefined : { format, fields };
}

function readChoice(
  choice: Tree,
  index: number,
  sources: readonly Citation[],
  context: ReadContext,
  losses: LossList,
): Candidate {
  const path = `choices[${index}]`;
  const message: Tree = isObject(choice.message) ? choice.message : {};
  const seal = sealFrom(context.origin);
  const parts = readReasoning(message, seal, seal);
  parts.push(...readSaid(message, choice.logprobs, sources, path, losses));
  if (typeof message.refusal === 'string' && message.refusal !== '') {
    parts.push({ type: 'refusal', text: message.refusal });
  }
  readMedia(message, path, parts, losses);
  readCalls(message, path, context, parts, losses);
  const calls = parts.some((part) => part.type === 'tool-call');
  const refusal = parts.some((part) => part.type === 'refusal');
  return { parts, finish: readFinish(choice.finish_reason, { calls, refusal }) };
}

/** The text, with what the wire says about it beside it. */
function readSaid(
  message: Tree,
  logprobs: unknown,
  sources: readonly Citation[],
  path: string,
  losses: LossList,
): Part[] {
  const { content } = message;
  const parts: Part[] = [];
  if (typeof content === 'string' && content !== '') parts.push({ type: 'text', text: content });
  for (const [index, entry] of (Array.isArray(content) ? content : []).entries()) {
    const part = readPart(entry);
    if (part === undefined) losses.add(`${path}.message.content[${index}]`, 'is not a part');
    else parts.push(part);
  }
  const tokens = isObject(logprobs) ? readLogprobs(logprobs.content) : undefined;
  if (isObject(logprobs) && readLogprobs(logprobs.refusal) !== undefined) {
    losses.add(`${path}.logprobs.refusal`, 'has no neutral field');
  }
  const annotations = Array.isArray(message.annotations) ? message.annotations : [];
  const citations = [...annotations.flatMap((one) => readAnnotation(one, 0) ?? []), ...sources];
  const at = parts.findIndex((part) => part.type === 'text');
  const text = parts[at];
  if (text?.type === 'text') parts[at] = annotated(text, citations, tokens);
  else {
    if (citations.length > 0) losses.add(`${path}.message.annotations`, 'there is no text that they belong to');
    if (tokens !== undefined) losses.add(`${path}.logprobs`, 'there is no text that they belong to');
  }
  return parts;
}

function annotated(
  text: TextPart,
  citations: readonly Citation[],
  logprobs: readonly TokenLogprob[] | undefined,
): TextPart {
  return { ...text, ...(citations.length > 0 && { citations }), ...defined('logprobs', logprobs) };
}

/** An audio reply is also written as text, since the transcript is all that a client of text gets. */
function readMedia(message: Tree, path: string, parts: Part[], losses: LossList): void {
  for (const [index, image] of (Array.isArray(message.images) ? message.images : []).entries()) {
    const part = isObject(image) ? readLinkedMedia('image', image.image_url, {}) : undefined;
    if (part === undefined) losses.add(`${path}.message.images[${index}]`, 'is not an image');
    else parts.push(part);
  }
  const { audio } = message;
  if (!isObject(audio)) return;
  if (typeof audio.transcript === 'string' && audio.transcript !== '') {
    parts.push({ type: 'text', text: audio.transcript });
  }
  if (typeof audio.data === 'string') {
    parts.push({ type: 'media', media: 'audio', source: { kind: 'base64', data: audio.data } });
  }
  losses.add(`${path}.message.audio.id`, 'names a recording that only its provider keeps');
}

function readCalls(message: Tree, path: string, context: ReadContext, parts: Part[], losses: LossList): void {
  const sealOf = sealFrom(context.origin);
  for (const [index, call] of (Array.isArray(message.tool_calls) ? message.tool_calls : []).entries()) {
    const part = readCall(call, context, sealOf);
    if (part === undefined) losses.add(`${path}.message.tool_calls[${index}]`, 'is not a call');
    else parts.push(part);
  }
  if (isObject(message.function_call)) {
    const { name, arguments: given } = message.function_call;
    parts.push({
      type: 'tool-call',
      id: context.newId(callIdPrefix),
      name: typeof name === 'string' ? name : '',
      arguments: argumentsText(given),
    });
  }
}

function readCall(call: unknown, context: ReadContext, sealOf: (opaque: string) => Seal): Part | undefined {
  if (!isObject(call)) return undefined;
  const id = typeof call.id === 'string' && call.id !== '' ? call.id : context.newId(callIdPrefix);
  if (!isObject(call.function)) {
    if (!isObject(call.custom)) return undefined;
    const name = typeof call.custom.name === 'string' ? call.custom.name : '';
    return { type: 'tool-call', id, name, arguments: argumentsText(call.custom.input), freeform: true };
  }
  const signature = readCallSignature(call);
  return {
    type: 'tool-call',
    id,
    name: typeof call.function.name === 'string' ? call.function.name : '',
    arguments: argumentsText(call.function.arguments),
    ...(signature === undefined ? {} : { seal: sealOf(signature) }),
  };
}

/** Some services answer with the object itself instead of its text. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}
