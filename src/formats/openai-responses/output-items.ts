/** The items of an output, as a whole reply and the last events of a stream show them. */

import type { LossList } from '../../conversation/loss-list.ts';
import type { MediaPart, Part, Seal, ToolCallPart } from '../../conversation/parts.ts';
import { writeSeal } from '../../conversation/seals/seal.ts';
import type { ToolDeclaration } from '../../conversation/text-request.ts';
import { inputTextOf } from '../../conversation/tools/freeform-input.ts';
import { writeNative, writeOutputPart } from './write/content.ts';

type NewId = (prefix: string) => string;

export type ItemStatus = 'in_progress' | 'completed';

export function messageItem(id: string, status: ItemStatus, content: readonly object[]): object {
  return { id, type: 'message', status, role: 'assistant', content };
}

export type Tools = ReadonlyMap<string, ToolDeclaration> | undefined;

/** A call of a tool as its caller declared it. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string;
}

export function callOf(id: string, name: string, tools: Tools): Call {
  const namespace = tools?.get(name)?.namespace;
  return namespace === undefined ? { id, name } : { id, name: namespace.toolName, namespace: namespace.name };
}

export function callItem(id: string, status: ItemStatus, call: Call, args: string): object {
  const { id: callId, name, namespace } = call;
  const item = { id, type: 'function_call', status, arguments: args, call_id: callId, name };
  return namespace === undefined ? item : { ...item, namespace };
}

export function customCallItem(id: string, status: ItemStatus, call: Call, input: string): object {
  const { id: callId, name, namespace } = call;
  const item = { id, type: 'custom_tool_call', status, call_id: callId, input, name };
  return namespace === undefined ? item : { ...item, namespace };
}

/** The arguments of a search are no text in this format. */
export function searchCallItem(id: string, status: ItemStatus, callId: string, args: string): object {
  return { id, type: 'tool_search_call', status, call_id: callId, execution: 'client', arguments: parsed(args) };
}

export function parsed(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

function writeCall(part: ToolCallPart, newId: NewId, tools: Tools): object {
  const call = callOf(part.id, part.name, tools);
  if (tools?.get(part.name)?.searches === true) {
    return searchCallItem(newId('tsc_'), 'completed', part.id, part.arguments);
  }
  if (part.freeform === true) return customCallItem(newId('ctc_'), 'completed', call, part.arguments);
  if (tools?.get(part.name)?.freeform !== undefined) {
    return customCallItem(newId('ctc_'), 'completed', call, inputTextOf(part.arguments));
  }
  return callItem(newId('fc_'), 'completed', call, part.arguments);
}

/** Thinking is shown as a summary. No summary at all means that there is nothing to show. */
export function reasoningItem(
  id: string,
  status: ItemStatus,
  said: string | undefined,
  seal: Seal | undefined,
): object {
  return {
    id,
    type: 'reasoning',
    status,
    summary: said === undefined ? [] : [{ type: 'summary_text', text: said }],
    ...(seal === undefined ? {} : { encrypted_content: writeSeal(seal) }),
  };
}

/** The format shows an image as the call that made it. */
export function imageItem(id: string, status: ItemStatus, data: string): object {
  return { id, type: 'image_generation_call', status, result: status === 'completed' ? data : null };
}

/** One item for each part, in their order; undefined where the format does not support it. */
export function writeItem(part: Part, newId: NewId, tools: Tools, losses: LossList): object | undefined {
  switch (part.type) {
    case 'text':
      if (part.seal !== undefined) losses.add('signature of a text', 'is not supported by the format');
      return messageItem(newId('msg_'), 'completed', [writeOutputPart(part, 'output', losses)]);
    case 'refusal':
      return messageItem(newId('msg_'), 'completed', [writeOutputPart(part, 'output', losses)]);
    case 'thinking': {
      const said = part.redacted === true ? undefined : part.text;
      return reasoningItem(newId('rs_'), 'completed', said, part.seal);
    }
    case 'tool-call':
      return writeCall(part, newId, tools);
    case 'media':
      return writeImage(part, newId, losses);
    case 'native':
      return writeNative(part, 'output', losses);
    case 'tool-result':
      losses.add('output tool result', 'has no place in a reply');
      return undefined;
  }
}

function writeImage(part: MediaPart, newId: NewId, losses: LossList): object | undefined {
  if (part.media === 'image' && part.source.kind === 'base64')
    return imageItem(newId('ig_'), 'completed', part.source.data);
  losses.add(`output ${part.media}`, 'is not supported by the format');
  return undefined;
}
