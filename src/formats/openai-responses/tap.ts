/**
 * Reads responses replies while they pass: usage, the end, faults, the text so far and the number of the last event.
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import type { FrameVerdict, ProviderFault, StreamTap, WholeReply } from '../format.ts';
import { faultOf, faultOfEvent } from './errors.ts';
import { addMade, madeIn } from './references.ts';
import { isSearch, usageOf } from './usage.ts';
import { list } from './wire.ts';

export class ResponsesTap implements StreamTap {
  usage: Usage = unknownUsage;
  usageIsFinal = false;
  finished = false;
  readonly written = new WrittenText();
  fault: ProviderFault | undefined;
  sequence: number | undefined;
  made: string[] | undefined;
  /** As text: the announced reply repeats the whole request, and hardly any stream breaks. */
  #announced: string | undefined;
  /** The call whose arguments came in pieces last; a provider that sends none sends them whole. */
  #streamedCall: unknown;
  #searches = 0;

  read(data: string): FrameVerdict {
    // Some providers close with the chat format's marker; the terminal event came before it.
    if (data === '[DONE]') return 'hide';
    const event: unknown = JSON.parse(data);
    if (!isObject(event) || typeof event['type'] !== 'string') throw new SyntaxError('An event has a `type`.');
    const verdict = this.#readEvent(event, event['type']);
    if (event['type'] === 'response.created') {
      this.#announced = data;
      this.#note(event['response']);
    }
    // An event that is hidden from the client leaves its number to the one that replaces it.
    if (verdict !== 'fault') this.#count(event['sequence_number']);
    return verdict;
  }

  get reply(): Tree | undefined {
    if (this.#announced === undefined) return undefined;
    const { response } = JSON.parse(this.#announced) as Tree;
    return isObject(response) ? response : undefined;
  }

  #note(response: unknown): void {
    if (!isObject(response)) return;
    this.made ??= [];
    this.made.push(...madeIn(response));
  }

  #noteItem(item: Tree): void {
    if (isSearch(item)) this.#searches += 1;
    this.made ??= [];
    addMade(this.made, item);
  }

  #count(given: unknown): void {
    this.sequence = typeof given === 'number' ? given : (this.sequence ?? -1) + 1;
  }

  #readEvent(event: Tree, type: string): FrameVerdict {
    const { delta } = event;
    if (typeof delta === 'string') {
      if (type !== 'response.audio.delta') this.written.add(delta);
      if (type === 'response.function_call_arguments.delta') this.#streamedCall = event['item_id'];
      return 'pass';
    }
    switch (type) {
      case 'response.output_item.added':
        if (isObject(event['item']) && typeof event['item']['name'] === 'string')
          this.written.add(event['item']['name']);
        return 'pass';
      case 'response.function_call_arguments.done':
        if (event['item_id'] !== this.#streamedCall && typeof event['arguments'] === 'string') {
          this.written.add(event['arguments']);
        }
        return 'pass';
      case 'response.output_item.done':
        if (isObject(event['item'])) this.#noteItem(event['item']);
        return 'pass';
      case 'response.completed':
      case 'response.incomplete':
        this.#note(event['response']);
        this.#readUsage(event['response']);
        this.finished = true;
        return 'end';
      case 'response.failed':
        this.#readUsage(event['response']);
        this.fault = faultOf(isObject(event['response']) ? event['response']['error'] : undefined);
        return 'fault';
      case 'error':
        this.fault = faultOfEvent(event);
        return 'fault';
      default:
        return 'pass';
    }
  }

  #readUsage(response: unknown): void {
    const usage = isObject(response) ? usageOf(response, this.#searches) : undefined;
    if (usage === undefined) return;
    this.usage = usage;
    this.usageIsFinal = true;
  }
}

export function measureReply(tree: unknown): WholeReply {
  if (!isObject(tree) || !Array.isArray(tree['output'])) throw new SyntaxError('A responses reply has `output`.');
  if (tree['status'] === 'failed') throw new SyntaxError('A responses reply has not failed.');
  const written = new WrittenText();
  const usage = usageOf(tree);
  if (usage !== undefined) return { usage, written };
  for (const item of tree['output']) if (isObject(item)) addItem(item, written);
  return { usage: unknownUsage, written };
}

/** Everything in an item that the model had to write. */
function addItem(item: Tree, written: WrittenText): void {
  for (const name of ['name', 'arguments', 'input', 'code'] as const) {
    const value = item[name];
    if (typeof value === 'string') written.add(value);
  }
  for (const field of ['summary', 'content'] as const) {
    for (const part of list(item[field])) {
      if (!isObject(part)) continue;
      if (typeof part['text'] === 'string') written.add(part['text']);
      if (typeof part['refusal'] === 'string') written.add(part['refusal']);
    }
  }
}
