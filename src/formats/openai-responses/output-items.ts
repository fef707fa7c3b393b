/** The items of an output, as a whole reply and the last events of a stream show them. */

import type { LossList } from '../../conversation/loss-list.ts';
import type { MediaPart, Part, Seal } from '../../conversation/parts.ts';
import { writeSeal } from '../../conversation/seal.ts';
import { writeNative, writeOutputPart } from './write-content.ts';

type NewId = (prefix: string) => string;

export type ItemStatus = 'in_progress' | 'completed';

export function messageItem(id: string, status: ItemStatus, content: readonly object[]): object {
  return { id, type: 'message', status, role: 'assistant', content };
}

export interface Call {
  readonly id: string;
  readonly name: string;
}

export function callItem(id: string, status: ItemStatus, call: Call, args: string): object {
  return { id, type: 'function_call', status, arguments: args, call_id: call.id, name: call.name };
}

/** Thoughts are shown as a summary. No summary at all means that there is nothing to show. */
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

/** The format's way to show a picture is the call that made it. */
export function imageItem(id: string, status: ItemStatus, data: string): object {
  return { id, type: 'image_generation_call', status, result: status === 'completed' ? data : null };
}

/** One item for each part, in their order; undefined where the format cannot show it. */
export function writeItem(part: Part, newId: NewId, losses: LossList): object | undefined {
  switch (part.type) {
    case 'text':
      if (part.seal !== undefined) losses.add('signature of a text', 'has no place in the format');
      return messageItem(newId('msg_'), 'completed', [writeOutputPart(part, 'output', losses)]);
    case 'refusal':
      return messageItem(newId('msg_'), 'completed', [writeOutputPart(part, 'output', losses)]);
    case 'thinking': {
      const said = part.redacted === true ? undefined : part.text;
      return reasoningItem(newId('rs_'), 'completed', said, part.seal);
    }
    case 'tool-call':
      return callItem(newId('fc_'), 'completed', part, part.arguments);
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
  losses.add(`output ${part.media}`, 'has no place in the format');
  return undefined;
}
