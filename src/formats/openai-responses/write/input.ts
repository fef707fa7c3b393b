/** Writes neutral turns as the items of an input; the parts of an assistant's turn become items of their own, in their order. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type {
  Message,
  Part,
  RefusalPart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../conversation/parts.ts';
import { ownId } from '../../../conversation/references/own-ids.ts';
import { withErrorPrefix } from '../../../conversation/tools/failed-results.ts';
import { callOf, parsed, type Tools } from '../output-items.ts';
import { formatName, splitSeal } from '../wire.ts';
import { writeInputPart, writeNative, writeOutputPart } from './content.ts';

interface InputOptions {
  readonly losses: LossList;
  /** The provider is known to distinguish developer turns from system ones. */
  readonly takesDeveloperRole: boolean;
  readonly tools: Tools;
}

export class InputWriter {
  readonly items: object[] = [];
  /** Sealed thinking is sent along, so more of it is requested. */
  sealed = false;
  readonly #losses: LossList;
  readonly #takesDeveloperRole: boolean;
  readonly #tools: Tools;
  /** Ids of calls of freeform tools, whose results are items of their own kind. */
  readonly #freeform = new Set<string>();
  #cacheMarks = false;
  #madeIds = 0;

  constructor({ losses, takesDeveloperRole, tools }: InputOptions) {
    this.#losses = losses;
    this.#tools = tools;
    this.#takesDeveloperRole = takesDeveloperRole;
  }

  add(message: Message, path: string): void {
    if (message.name !== undefined) this.#losses.add(`${path}.name`, 'is not supported by the format');
    if (message.role === 'assistant') this.#addAssistant(message.parts, path);
    else if (message.role === 'tool') this.#addResults(message.parts, path);
    else this.#addSaid(message, path);
  }

  /** One loss for all marks of a conversation. */
  noteMark(part: { readonly cacheMark?: unknown }): void {
    if (part.cacheMark === undefined || this.#cacheMarks) return;
    this.#cacheMarks = true;
    this.#losses.add('cache marks', 'have no field in the format, which caches by itself');
  }

  #addSaid(message: Message, path: string): void {
    const role = message.role === 'user' ? 'user' : this.#authority(message);
    const content: object[] = [];
    for (let index = 0; index < message.parts.length; index++) {
      const part = message.parts[index];
      if (part === undefined) continue;
      if (part.type === 'tool-result') this.#addResult(part, path);
      else if (part.type === 'native' && isItem(part.value)) {
        const item = writeNative(part, path, this.#losses);
        if (item !== undefined) this.items.push(item);
        if (message.parts.length === 1) return;
      } else {
        if ('cacheMark' in part) this.noteMark(part);
        const written = writeInputPart(part, path, this.#losses);
        if (written !== undefined) content.push(written);
      }
    }
    if (content.length === 0 && message.parts.length > 0) return;
    this.items.push({ type: 'message', role, content: content.length === 0 ? '' : content });
  }

  #authority(message: Message): string {
    return message.authority === 'developer' && this.#takesDeveloperRole ? 'developer' : 'system';
  }

  #addAssistant(parts: readonly Part[], path: string): void {
    if (parts.length === 0) this.items.push({ type: 'message', role: 'assistant', content: '' });
    let said: (TextPart | RefusalPart)[] = [];
    const close = (): void => {
      if (said.length === 0) return;
      const content = said.map((part) => writeOutputPart(part, path, this.#losses));
      this.items.push({ type: 'message', role: 'assistant', content });
      said = [];
    };
    for (const part of parts) {
      if ('cacheMark' in part) this.noteMark(part);
      if (part.type === 'text' || part.type === 'refusal') {
        said.push(part);
        continue;
      }
      close();
      this.#addDone(part, path);
    }
    close();
  }

  /** The assistant's parts beside text. */
  #addDone(part: Exclude<Part, TextPart | RefusalPart>, path: string): void {
    switch (part.type) {
      case 'tool-call':
        this.#addCall(part);
        return;
      case 'thinking':
        this.#addThinking(part, path);
        return;
      case 'native': {
        const item = writeNative(part, path, this.#losses);
        if (item !== undefined) this.items.push(item);
        return;
      }
      case 'tool-result':
        this.#addResult(part, path);
        return;
      case 'media':
        this.#losses.add(`${path} ${part.media}`, 'has no place in an assistant turn');
    }
  }

  #addCall(part: ToolCallPart): void {
    // Nearly every call: building its item from pieces would cost more than the rest.
    if (this.#tools === undefined && part.freeform !== true) {
      this.items.push({ type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments });
      return;
    }
    const { id, name, namespace } = callOf(part.id, part.name, this.#tools);
    const called = { call_id: id, name, ...(namespace !== undefined && { namespace }) };
    if (this.#tools?.get(part.name)?.searches === true) {
      const args = parsed(part.arguments);
      this.items.push({
        type: 'tool_search_call',
        call_id: id,
        execution: 'client',
        status: 'completed',
        arguments: args,
      });
    } else if (part.freeform === true) {
      this.#freeform.add(id);
      this.items.push({ type: 'custom_tool_call', ...called, input: part.arguments });
    } else this.items.push({ type: 'function_call', ...called, arguments: part.arguments });
  }

  #addThinking(part: ThinkingPart, path: string): void {
    if (part.seal === undefined) {
      this.#losses.add(`${path} thinking`, 'is accepted back only with its seal');
      return;
    }
    this.sealed = true;
    const { id, encrypted } = splitSeal(part.seal.value);
    this.items.push({
      type: 'reasoning',
      id: id ?? ownId('rs_', String(++this.#madeIds)),
      summary: part.redacted === true ? [] : [{ type: 'summary_text', text: part.text }],
      encrypted_content: encrypted,
    });
  }

  #addResults(parts: readonly Part[], path: string): void {
    for (const part of parts) {
      if (part.type === 'tool-result') this.#addResult(part, path);
      else if (part.type === 'native') {
        const item = writeNative(part, path, this.#losses);
        if (item !== undefined) this.items.push(item);
      } else this.#losses.add(`${path} ${part.type}`, 'has no place among results');
    }
  }

  #addResult(part: ToolResultPart, path: string): void {
    this.noteMark(part);
    const only = part.parts[0];
    if (only?.type === 'native' && only.format === formatName && isFound(only.value)) {
      this.items.push(only.value);
      return;
    }
    const parts = part.failed ? withErrorPrefix(part.parts) : part.parts;
    const first = parts[0];
    const isFreeform = this.#freeform.size > 0 && this.#freeform.has(part.callId);
    const type = isFreeform ? 'custom_tool_call_output' : 'function_call_output';
    // The empty string means a result without parts, so an empty part is written in a list.
    if (first === undefined || (parts.length === 1 && first.type === 'text' && first.text !== '')) {
      if (first?.type === 'text') this.noteMark(first);
      this.items.push({ type, call_id: part.callId, output: first?.type === 'text' ? first.text : '' });
      return;
    }
    const output: object[] = [];
    for (const piece of parts) {
      if ('cacheMark' in piece) this.noteMark(piece);
      const written = writeInputPart(piece, path, this.#losses);
      if (written !== undefined) output.push(written);
    }
    this.items.push({ type, call_id: part.callId, output: output.length === 0 ? '' : output });
  }
}

/** The result of the client's search is an item, not the content of one. */
function isFound(value: unknown): value is Tree {
  return isObject(value) && value['type'] === 'tool_search_output';
}

/** Items that instruct (more tools, another configuration) come beside messages, not in them. */
function isItem(value: unknown): boolean {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  return type === 'additional_tools' || type === 'configuration_update';
}
