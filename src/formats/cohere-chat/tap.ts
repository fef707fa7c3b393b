/** Reads replies of Cohere's chat format while they pass: usage, finish, faults and the text so far. */

import { isObject } from '../../conversation/json-tree.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import type { FrameVerdict, ProviderFault, StreamTap, WholeReply } from '../format.ts';
import { readUsage } from './wire.ts';

export class CohereTap implements StreamTap {
  usage: Usage = unknownUsage;
  usageIsFinal = false;
  finished = false;
  fault: ProviderFault | undefined;
  readonly written = new WrittenText();

  read(data: string): FrameVerdict {
    if (data === '[DONE]') return 'end';
    const event: unknown = JSON.parse(data);
    if (!isObject(event)) throw new SyntaxError('An event of a chat stream is a JSON object.');
    const { delta } = event;
    if (!isObject(delta)) return 'pass';
    if (event['type'] !== 'message-end') {
      if (isObject(delta['message'])) this.written.add(writtenText(delta['message']));
      return 'pass';
    }
    if (delta['finish_reason'] === 'ERROR' && typeof delta['error'] === 'string' && delta['error'] !== '') {
      this.fault = { message: delta['error'], type: undefined, code: undefined, param: undefined };
      return 'fault';
    }
    this.finished = true;
    this.usage = readUsage(delta['usage']) ?? this.usage;
    this.usageIsFinal = this.usage !== unknownUsage;
    return 'end';
  }
}

/** In a stream the fields hold one piece each, in a whole reply lists of them. */
function writtenText(message: Record<string, unknown>): string {
  let text = typeof message['tool_plan'] === 'string' ? message['tool_plan'] : '';
  for (const content of listOf(message['content'])) {
    for (const name of ['text', 'thinking']) if (typeof content[name] === 'string') text += content[name];
  }
  for (const call of listOf(message['tool_calls'])) {
    const called = call['function'];
    if (!isObject(called)) continue;
    for (const name of ['name', 'arguments']) if (typeof called[name] === 'string') text += called[name];
  }
  return text;
}

function listOf(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : [];
}

export function measureReply(tree: unknown): WholeReply {
  if (!isObject(tree) || !isObject(tree['message'])) throw new SyntaxError('A chat reply has a `message`.');
  const written = new WrittenText();
  const usage = readUsage(tree['usage']);
  if (usage !== undefined) return { usage, written };
  written.add(writtenText(tree['message']));
  return { usage: unknownUsage, written };
}
