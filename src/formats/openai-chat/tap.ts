/** Reads chat replies while they pass: usage, finish, faults and the text so far. */

import { isFilled, isObject } from '../../conversation/json-tree.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import type {
  ByteRange,
  FrameVerdict,
  ProviderFault,
  StreamTap,
  TapOptions,
  ThoughtCollector,
  WholeReply,
} from '../format.ts';
import { faultOf } from './errors.ts';
import { nullUsageIn } from './stream/null-usage.ts';
import { repeatedChunks } from './stream/repeated-chunks.ts';
import { besideUsage, citesPages, readUsage } from './usage.ts';

export class ChatTap implements StreamTap {
  readonly #hidesUsage: boolean;
  readonly #usageInside: string | undefined;
  readonly #thoughts: ThoughtCollector | undefined;
  readonly #chunks = repeatedChunks();
  usage: Usage = unknownUsage;
  usageIsFinal = false;
  finished = false;
  readonly written = new WrittenText();
  fault: ProviderFault | undefined;
  /** Created with the first id: most replies have no audio. */
  made: string[] | undefined;
  /** The reply cites pages of the web. */
  #cites = false;

  constructor(options: TapOptions) {
    this.#hidesUsage = options.hidesUsage;
    this.#usageInside = options.usageInside;
    this.#thoughts = options.thoughts;
  }

  read(data: string): FrameVerdict {
    if (data === '[DONE]') {
      this.finished = true;
      this.usageIsFinal = this.usage !== unknownUsage;
      return 'end';
    }
    const chunk: unknown = this.#chunks.parse(data);
    if (!isObject(chunk)) throw new SyntaxError('A chat chunk is a JSON object.');
    const choices = chunk['choices'];
    const several = Array.isArray(choices) ? choices.length : 0;
    // Some services send the error beside a last, empty choice.
    if (chunk['error'] !== undefined && chunk['error'] !== null) {
      this.fault = faultOf(chunk['error']);
      return 'fault';
    }
    for (let index = 0; index < several; index++) this.#readChoice((choices as unknown[])[index]);
    const reported = chunk['usage'] ?? this.#insideUsage(chunk);
    // Once usage was requested, every chunk before the report carries a null, and the client did not ask for it.
    const verdict = this.#hidesUsage && chunk['usage'] === null ? 'cut' : 'pass';
    if (reported === undefined || reported === null) return verdict;
    // The last report wins: providers that send several send running totals.
    this.usage =
      readUsage(reported, { tier: chunk['service_tier'], cites: this.#cites, model: chunk['model'] }) ?? this.usage;
    // A report beside a choice is one of many (`continuous_usage_stats`); the last one comes alone, after the finish.
    this.usageIsFinal = several === 0 && this.finished && this.usage !== unknownUsage;
    return this.#hidesUsage && several === 0 ? 'hide' : verdict;
  }

  cutIn(raw: Uint8Array): ByteRange | undefined {
    return nullUsageIn(raw);
  }

  #insideUsage(chunk: Record<string, unknown>): unknown {
    if (this.#usageInside === undefined) return undefined;
    const holder = chunk[this.#usageInside];
    return isObject(holder) ? holder['usage'] : undefined;
  }

  #readChoice(choice: unknown): void {
    if (!isObject(choice)) return;
    if (choice['finish_reason'] !== undefined && choice['finish_reason'] !== null) this.finished = true;
    this.#thoughts?.add(choice);
    this.written.add(this.textOf(choice));
  }

  protected textOf(choice: Record<string, unknown>): string {
    const delta = choice['delta'];
    if (!isObject(delta)) return '';
    if (isObject(delta['audio'])) this.#note(delta['audio']);
    if (citesPages(delta)) this.#cites = true;
    return writtenText(delta);
  }

  #note({ id }: Record<string, unknown>): void {
    if (typeof id !== 'string' || this.made?.includes(id) === true) return;
    this.made ??= [];
    this.made.push(id);
  }
}

/** Everything in a message or delta that the model had to write, in any of the spellings providers use. */
function writtenText(message: Record<string, unknown>): string {
  const content = message['content'];
  let text = typeof content === 'string' ? content : '';
  for (const name of ['reasoning_content', 'reasoning', 'refusal'] as const) {
    const value = message[name];
    if (typeof value === 'string') text += value;
  }
  if (Array.isArray(content)) for (const part of content) text += partText(part);
  const calls = message['tool_calls'];
  if (Array.isArray(calls)) {
    for (const call of calls) {
      const target: unknown = isObject(call) ? (call['function'] ?? call['custom']) : undefined;
      if (!isObject(target)) continue;
      for (const name of ['name', 'arguments', 'input'] as const) {
        if (typeof target[name] === 'string') text += target[name];
      }
    }
  }
  return text;
}

/** Some services send their thinking as a part of the content, itself a list of parts. */
function partText(part: unknown): string {
  if (!isObject(part)) return '';
  const { text, thinking } = part;
  if (Array.isArray(thinking)) return thinking.map(partText).join('');
  return typeof text === 'string' ? text : typeof thinking === 'string' ? thinking : '';
}

export function measureReply(tree: unknown): WholeReply {
  if (!isObject(tree) || !Array.isArray(tree['choices'])) throw new SyntaxError('A chat reply has `choices`.');
  if (isFilled(tree['error'])) throw new SyntaxError('A chat reply has no `error`.');
  const written = new WrittenText();
  const usage = readUsage(tree['usage'], besideUsage(tree));
  if (usage !== undefined) return { usage, written };
  for (const choice of tree['choices']) {
    if (isObject(choice) && isObject(choice['message'])) written.add(writtenText(choice['message']));
  }
  return { usage: unknownUsage, written };
}
