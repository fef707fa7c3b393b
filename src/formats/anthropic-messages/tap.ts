/** Reads replies of the messages format while they pass: usage, the end, faults and the text so far. */

import { isObject } from '../../conversation/json-tree.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import type { FrameVerdict, ProviderFault, StreamTap, WholeReply } from '../format.ts';
import { faultOf } from './errors.ts';
import { addBlock, addContainer } from './references.ts';
import { repeatedFrames } from './stream/repeated-frames.ts';
import { largerUsage, readUsage } from './usage.ts';

export class MessagesTap implements StreamTap {
  readonly #frames = repeatedFrames();
  usage: Usage = unknownUsage;
  usageIsFinal = false;
  finished = false;
  readonly written = new WrittenText();
  fault: ProviderFault | undefined;
  /** Created with the first id: most replies have none. */
  made: string[] | undefined;

  read(data: string, event?: string): FrameVerdict {
    // Hosts that serve several formats send the chat format's `[DONE]` after the end.
    if (this.finished) return 'pass';
    const frame: unknown = this.#frames.parse(data);
    if (!isObject(frame)) throw new SyntaxError('An event of the messages format is a JSON object.');
    switch (frame.type) {
      case 'content_block_delta':
        if (isObject(frame.delta)) this.written.add(deltaText(frame.delta));
        return 'pass';
      case 'message_start':
        if (isObject(frame.message)) this.#begin(frame.message);
        return 'pass';
      case 'content_block_start':
        if (isObject(frame.content_block)) this.#open(frame.content_block);
        return 'pass';
      case 'message_delta':
        this.#report(frame.usage);
        if (isObject(frame.delta)) this.#noteContainer(frame.delta);
        return 'pass';
      case 'message_stop':
        this.finished = true;
        return 'end';
      case 'error':
        this.fault = faultOf(frame.error);
        return 'fault';
      default:
        if (event !== 'error') return 'pass';
        this.fault = faultOf(frame.error ?? frame);
        return 'fault';
    }
  }

  #begin(message: Record<string, unknown>): void {
    this.#reportStart(message.usage, message.model);
    this.#noteContainer(message);
  }

  /** The input is exact from the start; the output is a placeholder, since nothing was written yet. */
  #reportStart(value: unknown, model: unknown): void {
    const usage = readUsage(value, model);
    if (usage !== undefined) this.usage = largerUsage(this.usage, { ...usage, output: {} });
  }

  #open(block: Record<string, unknown>): void {
    this.written.add(blockText(block));
    if (!isObject(block.content)) return;
    this.made ??= [];
    addBlock(this.made, block);
  }

  #noteContainer(holder: Record<string, unknown>): void {
    if (!isObject(holder.container)) return;
    this.made ??= [];
    addContainer(this.made, holder);
  }

  #report(value: unknown): void {
    const usage = readUsage(value);
    if (usage === undefined) return;
    this.usage = largerUsage(this.usage, usage);
    if (usage.output.total !== undefined) this.usageIsFinal = true;
  }
}

function deltaText(delta: Record<string, unknown>): string {
  const text = delta.text ?? delta.partial_json ?? delta.thinking;
  return typeof text === 'string' ? text : '';
}

/** What a model wrote into a block: a call's name and arguments count as well as its text. */
function blockText(block: Record<string, unknown>): string {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? block.text : '';
    case 'thinking':
      return typeof block.thinking === 'string' ? block.thinking : '';
    case 'tool_use':
    case 'server_tool_use': {
      const name = typeof block.name === 'string' ? block.name : '';
      const bare = !isObject(block.input) || Object.keys(block.input).length === 0;
      return bare ? name : name + JSON.stringify(block.input);
    }
    default:
      return '';
  }
}

export function measureReply(tree: unknown): WholeReply {
  if (!isObject(tree) || !Array.isArray(tree.content)) throw new SyntaxError('A reply of the format has `content`.');
  const written = new WrittenText();
  const usage = readUsage(tree.usage, tree.model);
  if (usage?.output.total !== undefined) return { usage, written };
  for (const block of tree.content) if (isObject(block)) written.add(blockText(block));
  return { usage: usage ?? unknownUsage, written };
}
