/** Removes signatures of another provider, which only their origin can read, and thinking that consists of nothing else. */

import type { LossList } from '../loss-list.ts';
import type { Message, Origin, Part, Seal } from '../parts.ts';
import { sealFits } from '../seals/seal.ts';
import { mapKept } from './map-kept.ts';

/** Nothing in it is sealed or hidden, which is the case for nearly every message. */
export function isUnsealed({ parts }: Message): boolean {
  for (const part of parts) {
    if (part.type === 'thinking') return false;
    if ((part.type === 'text' || part.type === 'tool-call') && part.seal !== undefined) return false;
  }
  return true;
}

export function withoutForeignSeals(message: Message, index: number, target: Origin, losses: LossList): Message {
  const parts = mapKept(message.parts, (part) => {
    if (part.type === 'thinking') return repairThinking(part, index, target, losses);
    if ((part.type !== 'text' && part.type !== 'tool-call') || part.seal === undefined) return part;
    if (sealFits(part.seal, target)) return part;
    losses.add(`messages[${index}] ${part.type} signature`, foreign);
    return withoutSeal(part);
  });
  return parts === message.parts ? message : { ...message, parts };
}

const foreign = 'was made by another provider or model, which alone can read it';

function repairThinking(part: Part & { type: 'thinking' }, index: number, target: Origin, losses: LossList) {
  const fits = part.seal !== undefined && sealFits(part.seal, target);
  if (fits) return part;
  if (part.redacted === true) {
    losses.add(
      `messages[${index}] redacted thinking`,
      part.seal === undefined ? 'has no signature that carries it' : foreign,
    );
    return undefined;
  }
  if (part.seal === undefined) return part;
  losses.add(`messages[${index}] thinking signature`, foreign);
  // Hidden thoughts have no words of their own: without the seal nothing is left.
  return part.text === '' ? undefined : withoutSeal(part);
}

function withoutSeal<Sealed extends Part & { seal?: Seal }>(part: Sealed): Sealed {
  const { seal: _, ...rest } = part;
  return rest as Sealed;
}
