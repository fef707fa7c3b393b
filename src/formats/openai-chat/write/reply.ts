/** Writes a whole neutral reply as the chat format's completion object. */

import type { Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted, MediaPart, Part, ToolCallPart } from '../../../conversation/parts.ts';
import type { Candidate, TextReply } from '../../../conversation/text-reply.ts';
import { inputTextOf } from '../../../conversation/tools/freeform-input.ts';
import type { ReplyContext } from '../../codec.ts';
import { writeCitation } from '../citations.ts';
import { writeLogprobs } from '../logprobs.ts';
import {
  finishWord,
  formatName,
  keepsOrder,
  prefixedId,
  replyIdPrefix,
  reportTextSeal,
  usesLegacyFunctions,
  writeCallSeal,
  writeServiceTier,
  writeUsage,
} from '../wire.ts';
import { dataUrl } from './parts.ts';

export function writeReply(reply: TextReply, context: ReplyContext): Converted<Tree> {
  const losses = new LossList();
  const usage = writeUsage(reply.usage);
  const choices = reply.candidates.map((candidate, index) => writeChoice(candidate, index, context, losses));
  const tier = writeServiceTier(reply.serviceTier, losses);
  losses.addForeign(reply.extras, formatName);
  const value = {
    id: prefixedId(reply.id, replyIdPrefix, (prefix) => context.newId(prefix)),
    object: 'chat.completion',
    created: Math.floor(reply.createdAtMs / 1000),
    model: reply.model,
    choices,
    ...(usage === undefined ? {} : { usage }),
    ...tier,
    ...(reply.extras?.format === formatName ? reply.extras.fields : {}),
  };
  return { value, losses: losses.all };
}

function writeChoice(candidate: Candidate, index: number, context: ReplyContext, losses: LossList): object {
  const legacy = usesLegacyFunctions(context.request);
  if (!keepsOrder(candidate.parts)) losses.addOnce('order of parts', 'the format writes calls after the text');
  const tokens = candidate.parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []));
  return {
    index,
    message: writeMessage(candidate.parts, legacy, context, losses),
    logprobs: tokens.length === 0 ? null : writeLogprobs(tokens),
    finish_reason: finishWord(candidate.finish, legacy, losses),
  };
}

function writeMessage(parts: readonly Part[], legacy: boolean, context: ReplyContext, losses: LossList): object {
  const text = joined(parts, 'text');
  const thinking = joined(parts, 'thinking');
  const refusal = joined(parts, 'refusal') ?? null;
  const calls = writeCalls(parts, legacy, context.tools, losses);
  const media = writeMedia(parts, text, context, losses);
  if (parts.some((part) => part.type === 'text' && part.seal !== undefined)) reportTextSeal(losses);
  const silent = refusal === null && calls === undefined && media === undefined;
  return {
    role: 'assistant',
    content: media !== undefined && 'audio' in media ? null : (text ?? (silent ? '' : null)),
    refusal,
    ...(thinking === undefined || thinking === '' ? {} : { reasoning_content: thinking }),
    ...calls,
    annotations: writeCitations(parts, losses),
    ...media,
  };
}

/** Undefined where there is no such part: an empty text and no text are different answers. */
function joined(parts: readonly Part[], type: 'text' | 'thinking' | 'refusal'): string | undefined {
  let result: string | undefined;
  for (const part of parts) if (part.type === type) result = (result ?? '') + part.text;
  return result;
}

/** The dialect before tools supports one call. */
function writeCalls(
  parts: readonly Part[],
  legacy: boolean,
  tools: ReplyContext['tools'],
  losses: LossList,
): Tree | undefined {
  const calls: object[] = [];
  let first: ToolCallPart | undefined;
  for (const part of parts) {
    if (part.type === 'tool-call') {
      if (legacy && first !== undefined) losses.addOnce('further calls', 'the dialect of functions supports one call');
      first ??= part;
      calls.push(writeCall(part, tools));
    } else if (part.type === 'native') losses.add(`${part.format} part`, 'has no place in a reply');
  }
  if (calls.length === 0) return undefined;
  if (!legacy || first === undefined) return { tool_calls: calls };
  return { function_call: { name: first.name, arguments: first.arguments } };
}

function writeCall(call: ToolCallPart, tools: ReplyContext['tools']): object {
  const isFreeform = call.freeform === true || tools?.get(call.name)?.freeform !== undefined;
  if (isFreeform) {
    const input = call.freeform === true ? call.arguments : inputTextOf(call.arguments);
    return { id: call.id, type: 'custom', custom: { name: call.name, input } };
  }
  const called = { name: call.name, arguments: call.arguments };
  return { id: call.id, type: 'function', function: called, ...writeCallSeal(call.seal) };
}

function writeMedia(
  parts: readonly Part[],
  transcript: string | undefined,
  context: ReplyContext,
  losses: LossList,
): Tree | undefined {
  const images: object[] = [];
  let audio: object | undefined;
  for (const part of parts) {
    if (part.type !== 'media') continue;
    const address = addressOf(part);
    if (part.media === 'image' && address !== undefined) {
      images.push({ type: 'image_url', image_url: { url: address }, index: images.length });
    } else if (part.media === 'audio' && part.source.kind === 'base64' && audio === undefined) {
      audio = writeAudio(part.source.data, transcript ?? '', context);
    } else losses.add(part.media, 'has no place in a reply');
  }
  if (images.length === 0 && audio === undefined) return undefined;
  return { ...(images.length > 0 && { images }), ...(audio !== undefined && { audio }) };
}

function addressOf({ source, mediaType }: MediaPart): string | undefined {
  if (source.kind === 'url') return source.url;
  return source.kind === 'base64' ? dataUrl(source.data, mediaType ?? 'image/png') : undefined;
}

/** The recording is not kept for a later turn, so it has already expired. */
function writeAudio(data: string, transcript: string, context: ReplyContext): object {
  return { id: context.newId('audio_'), expires_at: Math.floor(context.nowMs / 1000), data, transcript };
}

/** Offsets count from the start of the joined text, since the format has only one. */
function writeCitations(parts: readonly Part[], losses: LossList): object[] {
  const annotations: object[] = [];
  let offset = 0;
  for (const part of parts) {
    if (part.type !== 'text') continue;
    for (const citation of part.citations ?? []) {
      const annotation = writeCitation(citation, offset, part.text.length);
      if (annotation === undefined) losses.addOnce('citation', 'the format cites URLs only');
      else annotations.push(annotation);
    }
    offset += part.text.length;
  }
  return annotations;
}
