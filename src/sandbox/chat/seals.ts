/**
 * The signatures of `sandbox-reasoner`. They prove that a client and everything between returned thoughts and calls unchanged. They
 * prove no origin, since the key is public.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Message, Part, ThinkingPart, ToolCallPart } from '../../conversation/parts.ts';

const key = "the key of Weir's sandbox";
const macBytes = 32;

/** Hidden thoughts are stored in their signature. */
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
  /** Turns with tool calls and no signature. */
  readonly unsigned: number;
}

/** Formats differ in the fields that keep a signature: one on the thoughts or on the calls is enough. */
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
  // One format returns a signature after the id of its item.
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

/** Some formats hold arguments as an object, so their white space is not returned. */
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
