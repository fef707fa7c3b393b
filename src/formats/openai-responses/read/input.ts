/**
 * Reads the items of an input into turns: consecutive items of the assistant are one turn, and so are consecutive
 * results.
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type {
  Message,
  NativePart,
  Part,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../conversation/parts.ts';
import { readCompacted } from '../compaction/compacted-item.ts';
import { formatName, readClientSeal, saysNothing, text, thinkingText } from '../wire.ts';
import { readContent } from './content.ts';
import { ranByProvider } from './provider-items.ts';
import { additionalTools, type DeclaredTools, isSearchItem, type NameFinder } from './tools.ts';

type Role = Message['role'];

export function readInput(value: unknown, tools: DeclaredTools, losses: LossList): Message[] {
  if (typeof value === 'string') return [{ role: 'user', parts: value === '' ? [] : [{ type: 'text', text: value }] }];
  const turns = new Turns();
  if (!Array.isArray(value)) {
    if (value !== undefined && value !== null) losses.add('input', 'is neither a text nor a list of items');
    return turns.messages;
  }
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index];
    if (isObject(item)) readItem(item, `input[${index}]`, turns, tools, losses);
    else losses.add(`input[${index}]`, 'is not an item');
  }
  return turns.messages;
}

class Turns {
  readonly messages: Message[] = [];
  #open: { readonly role: Role; readonly parts: Part[] } | undefined;

  /** Joins consecutive items of one side. */
  join(role: 'assistant' | 'tool', parts: readonly Part[]): void {
    if (this.#open?.role !== role) {
      this.#open = { role, parts: [] };
      this.messages.push(this.#open);
    }
    for (const part of parts) this.#open.parts.push(part);
  }

  add(message: Message): void {
    this.#open = undefined;
    this.messages.push(message);
  }
}

function readItem(item: Tree, path: string, turns: Turns, tools: DeclaredTools, losses: LossList): void {
  switch (item['type']) {
    case undefined:
    case 'message':
      readMessage(item, path, turns, losses);
      break;
    case 'function_call':
    case 'custom_tool_call':
      turns.join('assistant', [readCall(item, path, losses, tools.nameOf)]);
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
      turns.join('tool', [readResult(item, path, losses)]);
      break;
    case 'reasoning': {
      if (saysNothing(item)) {
        losses.add(`${path} reasoning`, 'says nothing');
        break;
      }
      const thinking = readThinking(item);
      if (thinking !== undefined) turns.join('assistant', [thinking]);
      break;
    }
    case 'compaction_trigger':
      // Read with the request: it asks for a compaction instead of an answer.
      break;
    case 'compaction':
    case 'compaction_summary': {
      const compacted = readCompacted(item);
      if (compacted === undefined) readNative(item, turns);
      else turns.add(compacted);
      break;
    }
    default:
      if (isSearchItem(item, 'tool_search_call')) turns.join('assistant', [readSearch(item, tools)]);
      else if (isSearchItem(item, 'tool_search_output')) turns.join('tool', [readFound(item, tools)]);
      else readNative(item, turns);
      break;
  }
}

function readSearch(item: Tree, tools: DeclaredTools): ToolCallPart {
  const id = text(item['call_id']) ?? '';
  return { type: 'tool-call', id, name: tools.searchName, arguments: JSON.stringify(item['arguments'] ?? {}) };
}

/** The tools themselves are declared; the result tells their names. */
function readFound(item: Tree, tools: DeclaredTools): ToolResultPart {
  const found: NativePart = {
    type: 'native',
    format: formatName,
    value: item,
    instead: [{ type: 'text', text: tools.foundIn(item) }],
  };
  return { type: 'tool-result', callId: text(item['call_id']) ?? '', parts: [found], failed: false };
}

function readMessage(item: Tree, path: string, turns: Turns, losses: LossList): void {
  const parts = readContent(item['content'], `${path}.content`, losses);
  switch (item['role']) {
    case 'system':
    case 'developer':
      turns.add({ role: 'instruction', parts, authority: item['role'] });
      break;
    case 'assistant':
      turns.join('assistant', parts);
      break;
    case 'user':
      turns.add({ role: 'user', parts });
      break;
    default:
      losses.add(`${path}.role`, 'has no neutral role; read as the user');
      turns.add({ role: 'user', parts });
      break;
  }
}

/** The caller of a tool is reported only if it was not the model itself. */
function reportCaller({ caller }: Tree, path: string, losses: LossList): void {
  if (isObject(caller) && caller['type'] !== 'direct') losses.add(`${path}.caller`, 'has no neutral name');
}

/** `nameOf` finds the unique name of a tool by its namespace, which may be absent, and its name there. */
export function readCall(item: Tree, path: string, losses: LossList, nameOf: NameFinder): ToolCallPart {
  const { namespace } = item;
  reportCaller(item, path, losses);
  const name = text(item['name']) ?? '';
  const isGrouped = typeof namespace === 'string' && namespace !== '';
  const unique = isGrouped ? nameOf(namespace, name) : name;
  if (unique === undefined) losses.add(`${path}.namespace`, 'holds no tool that was declared');
  const isFreeform = item['type'] === 'custom_tool_call';
  return {
    type: 'tool-call',
    id: text(item['call_id']) ?? text(item['id']) ?? '',
    name: unique ?? name,
    arguments: text(item[isFreeform ? 'input' : 'arguments']) ?? '',
    ...(isFreeform && { freeform: true }),
  };
}

function readResult(item: Tree, path: string, losses: LossList): ToolResultPart {
  reportCaller(item, path, losses);
  const name = text(item['name']);
  const parts: ToolResultPart['parts'][number][] = [];
  for (const part of readContent(item['output'], `${path}.output`, losses)) {
    if (part.type === 'text' || part.type === 'media' || part.type === 'native') parts.push(part);
    else losses.add(`${path}.output`, 'holds a part that a result cannot have');
  }
  return {
    type: 'tool-result',
    callId: text(item['call_id']) ?? '',
    ...(name === undefined ? {} : { name }),
    parts,
    failed: false,
  };
}

/** Thinking with a seal and no text at all was hidden by its provider; an empty text is shown as it is. */
function readThinking(item: Tree): ThinkingPart | undefined {
  const said = thinkingText(item);
  const seal = readClientSeal(item);
  if (seal === undefined) return said === undefined ? undefined : { type: 'thinking', text: said };
  return said === undefined
    ? { type: 'thinking', text: '', redacted: true, seal }
    : { type: 'thinking', text: said, seal };
}

const instructionItems: ReadonlySet<unknown> = new Set([additionalTools, 'configuration_update']);

/**
 * Items that only this format has keep their place: those that the model received are results, the others are the
 * model's.
 */
function readNative(item: Tree, turns: Turns): void {
  const type = text(item['type']) ?? '';
  // The tools that such an item brings are declared like any other.
  const instead = type === additionalTools ? [] : ranByProvider(item);
  const part: NativePart = { type: 'native', format: formatName, value: item, ...defined('instead', instead) };
  if (instructionItems.has(type)) turns.add({ role: 'instruction', parts: [part] });
  else turns.join(type.endsWith('_output') || type === 'mcp_approval_response' ? 'tool' : 'assistant', [part]);
}
