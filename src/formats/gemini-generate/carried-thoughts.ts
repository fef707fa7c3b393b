/**
 * Sealed thinking of another format, carried through a client of this one. Clients keep the signature of a call and
 * drop thinking, so all of it is put into the signature of the call that it led to.
 */

import type { Origin, Part, Seal, ThinkingPart, ToolCallPart } from '../../conversation/parts.ts';
import { writeSeal } from '../../conversation/seals/seal.ts';
import { formatName } from './wire.ts';

export type SealedThought = ThinkingPart & { readonly seal: Seal };

/** Thinking of this format's own providers keeps its own signature. */
export function isCarried(part: Part): part is SealedThought {
  return part.type === 'thinking' && part.seal !== undefined && part.seal.origin.format !== formatName;
}

const mark = 'thoughts:';

/** Undefined where there is nothing to carry. All thinking of one reply has one origin. */
export function writeThoughts(thoughts: readonly SealedThought[]): string | undefined {
  const [first] = thoughts;
  if (first === undefined) return undefined;
  const content = thoughts.map(({ text, redacted, seal }) => [text, redacted === true, seal.value]);
  return writeSeal({ value: mark + JSON.stringify(content), origin: first.seal.origin });
}

/**
 * Puts the thinking that calls carry back among the parts of a turn. Returns the same parts where no call carries any.
 */
export function withCarriedThoughts(parts: Part[]): Part[] {
  if (!parts.some(carriesThoughts)) return parts;
  const known = new Set(parts.flatMap((part) => (part.type === 'thinking' && part.seal ? [part.seal.value] : [])));
  const placed: Part[] = [];
  let called = false;
  for (const part of parts) {
    if (carriesThoughts(part)) {
      const thoughts = readThoughts(part.seal).filter(({ seal }) => !known.has(seal.value));
      const rest = withoutEchoed(placed, thoughts);
      // The thinking before the first call opened the turn.
      if (called) placed.push(...rest);
      else placed.unshift(...rest);
      placed.push(withoutSeal(part));
    } else placed.push(part);
    called ||= part.type === 'tool-call';
  }
  return placed;
}

/**
 * Thinking that the client kept as plain text is replaced by the sealed part; the parts that it did not keep are
 * returned.
 */
function withoutEchoed(placed: Part[], thoughts: readonly SealedThought[]): readonly SealedThought[] {
  const isEcho = (words: string) => (part: Part) =>
    part.type === 'thinking' && part.seal === undefined && part.text === words && words !== '';
  // Some clients join adjacent thinking into one text.
  const all = placed.findLastIndex(isEcho(thoughts.map(({ text }) => text).join('')));
  if (all !== -1) {
    placed.splice(all, 1, ...thoughts);
    return [];
  }
  return thoughts.filter((thought) => {
    const at = placed.findLastIndex(isEcho(thought.text));
    if (at !== -1) placed[at] = thought;
    return at === -1;
  });
}

type CarryingCall = ToolCallPart & { readonly seal: Seal };

function carriesThoughts(part: Part): part is CarryingCall {
  return part.type === 'tool-call' && part.seal?.value.startsWith(mark) === true;
}

function withoutSeal({ seal: _, ...call }: CarryingCall): ToolCallPart {
  return call;
}

function readThoughts({ value, origin }: Seal): SealedThought[] {
  try {
    const content: unknown = JSON.parse(value.slice(mark.length));
    return Array.isArray(content) ? content.flatMap((entry) => readThought(entry, origin)) : [];
  } catch {
    // A truncated signature carries nothing.
    return [];
  }
}

function readThought(entry: unknown, origin: Origin): SealedThought[] {
  if (!Array.isArray(entry)) return [];
  const [text, redacted, value] = entry as unknown[];
  if (typeof text !== 'string' || typeof value !== 'string') return [];
  return [{ type: 'thinking', text, ...(redacted === true && { redacted }), seal: { value, origin } }];
}
