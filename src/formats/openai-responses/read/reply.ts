/** Reads a whole responses reply into the neutral one. */

import { GatewayError } from '../../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted, Extras, Origin, Part, Seal, ThinkingPart } from '../../../conversation/parts.ts';
import type { TextReply } from '../../../conversation/text-reply.ts';
import { unknownUsage } from '../../../conversation/usage.ts';
import type { ReadContext } from '../../codec.ts';
import { readFields } from '../../fields/carried-fields.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { faultOf } from '../errors.ts';
import { replyTable } from '../fields.ts';
import { usageOf } from '../usage.ts';
import { formatName, joinSeal, readFinish, text, thinkingText } from '../wire.ts';
import { readContent } from './content.ts';
import { readCall } from './input.ts';
import { nameFinder } from './tools.ts';

export function readReply(tree: unknown, context: ReadContext): Converted<TextReply> {
  if (!isObject(tree) || !Array.isArray(tree['output'])) throw new SyntaxError('A responses reply has `output`.');
  if (tree['status'] === 'failed') throw failure(tree);
  const losses = new LossList();
  reportUnread(tree, replyTable, losses);
  const parts: Part[] = [];
  for (let index = 0; index < tree['output'].length; index++) {
    const item: unknown = tree['output'][index];
    if (isObject(item)) readItem(item, `output[${index}]`, context, parts, losses);
    else losses.add(`output[${index}]`, 'is not an item');
  }
  const calls = parts.some((part) => part.type === 'tool-call');
  const refused = parts.some((part) => part.type === 'refusal');
  const value: TextReply = {
    ...readHead(tree, context),
    candidates: [{ parts, finish: readFinish(tree, tree['status'], calls, refused) }],
    usage: usageOf(tree) ?? unknownUsage,
  };
  return { value, losses: losses.all };
}

interface ReplyHead {
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
  readonly serviceTier?: string;
  readonly extras?: Extras;
}

export function readHead(response: Tree, context: ReadContext): ReplyHead {
  const created = response['created_at'];
  const tier = text(response['service_tier']);
  return {
    id: text(response['id']) ?? context.newId('resp_'),
    model: text(response['model']) ?? context.origin.model,
    createdAtMs: typeof created === 'number' && Number.isFinite(created) ? created * 1000 : context.nowMs,
    ...(tier === undefined ? {} : { serviceTier: tier }),
    ...readExtras(response),
  };
}

const knownFields = readFields(replyTable);

export function readExtras(response: Tree): { readonly extras?: Extras } {
  let fields: Record<string, unknown> | undefined;
  for (const name in response) {
    if (knownFields.has(name) || response[name] === null || name === '__proto__') continue;
    fields ??= {};
    fields[name] = response[name];
  }
  return fields === undefined ? {} : { extras: { format: formatName, fields } };
}

/** A reply can arrive whole with the status `failed`; it is no reply then. */
function failure(tree: Tree): GatewayError {
  const fault = faultOf(tree['error']);
  return new GatewayError('upstream_failed', fault.message || 'The provider reported that the reply failed.', {
    providerType: fault.type,
    providerCode: fault.code,
  });
}

function readItem(item: Tree, path: string, context: ReadContext, parts: Part[], losses: LossList): void {
  switch (item['type']) {
    case 'message':
      addMessage(readContent(item['content'], `${path}.content`, losses), parts);
      return;
    case 'function_call':
    case 'custom_tool_call':
      parts.push(readCall(item, path, losses, nameFinder(context.tools)));
      return;
    case 'reasoning': {
      const thinking = readThinking(item, context.origin);
      if (thinking !== undefined) parts.push(thinking);
      return;
    }
    default:
      parts.push({ type: 'native', format: formatName, value: item });
  }
}

function addMessage([first, ...rest]: readonly Part[], parts: Part[]): void {
  if (first === undefined) return;
  const follows = first.type === 'text' && parts.at(-1)?.type === 'text';
  parts.push(follows ? { ...first, opensMessage: true } : first, ...rest);
}

export function providerSeal(item: Tree, origin: Origin): Seal | undefined {
  const encrypted = text(item['encrypted_content']);
  return encrypted === undefined || encrypted === '' ? undefined : { value: joinSeal(item['id'], encrypted), origin };
}

/** An item with neither text nor seal says only that the model thought; the usage says that too. */
function readThinking(item: Tree, origin: Origin): ThinkingPart | undefined {
  const said = thinkingText(item);
  const seal = providerSeal(item, origin);
  if (seal === undefined) return said === undefined ? undefined : { type: 'thinking', text: said };
  if (said === undefined) return { type: 'thinking', text: '', redacted: true, seal };
  return { type: 'thinking', text: said, seal };
}
