/**
 * The signatures of the model that thinks. They prove that a client and everything between gave back what was said,
 * unchanged; they prove nothing about who said it, since the key stands here for everybody to read.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Message, Part, ThinkingPart, ToolCallPart } from '../../conversation/parts.ts';

const key = "the key of Weir's sandbox";
const macBytes = 32;

/** Thoughts that are not shown travel inside their own signature. */
export function sealThought(text: string, hidden: boolean): string {
  const carried = Buffer.from(hidden ? text : '');
  return Buffer.concat([thoughtMac(text), carried]).toString('base64');
}

export function sealCall(call: Pick<ToolCallPart, 'name' | 'arguments'>): string {
  return callMac(call).toString('base64');
}

export interface SealCheck {
  readonly verified: number;
  readonly mismatched: number;
  /** Turns with tool calls that carry no signature at all. */
  readonly unsigned: number;
}

/** Which fields of a turn keep a signature differs between formats: one on the thoughts or on the calls is enough. */
export function checkSeals(messages: readonly Message[]): SealCheck {
  const found = { verified: 0, mismatched: 0, unsigned: 0 };
  for (const { role, parts } of messages) {
    if (role !== 'assistant') continue;
    const sealed = parts.filter(isSealed);
    for (const part of sealed) {
      if (isIntact(part)) found.verified++;
      else found.mismatched++;
    }
    if (sealed.length === 0 && parts.some((part) => part.type === 'tool-call')) found.unsigned++;
  }
  return found;
}

type Sealed = (ThinkingPart | ToolCallPart) & { readonly seal: NonNullable<ThinkingPart['seal']> };

function isSealed(part: Part): part is Sealed {
  return (part.type === 'thinking' || part.type === 'tool-call') && part.seal !== undefined;
}

function isIntact(part: Sealed): boolean {
  // One format gives a signature back behind the id of the item that carried it.
  const value = part.seal.value.slice(part.seal.value.lastIndexOf('#') + 1);
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length < macBytes) return false;
  const expected =
    part.type === 'tool-call' ? callMac(part) : thoughtMac(part.text || bytes.subarray(macBytes).toString('utf8'));
  return timingSafeEqual(bytes.subarray(0, macBytes), expected);
}

function thoughtMac(text: string): Buffer {
  return mac('thought', text);
}

/** Some formats hold arguments as an object, so that only their meaning comes back, not their spaces. */
function callMac(call: Pick<ToolCallPart, 'name' | 'arguments'>): Buffer {
  return mac('call', `${call.name}\n${normalized(call.arguments)}`);
}

function normalized(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function mac(kind: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${kind}\n${text}`).digest();
}
