/**
 * Finds turns of which a target would get nothing at all. The question itself must not be lost: no model can answer it. In
 * an earlier turn, and in a result of a tool, a note says what was there, since an empty text would read as silence.
 */

import type { LossList } from '../loss-list.ts';
import { nativeName } from '../native-name.ts';
import type { MediaPart, Message, Part, TextPart } from '../parts.ts';
import { isBlank } from '../repair/blank-text.ts';

interface Target {
  readonly format: string;
  holdsMedia(part: MediaPart): boolean;
}

/** What the lost question was made of. */
export class LostQuestion {
  readonly kind: string;

  constructor(kind: string) {
    this.kind = kind;
  }
}

/** The same list where no turn is emptied, which is nearly every one. */
export function withoutEmptiedTurns(
  messages: readonly Message[],
  target: Target,
  losses: LossList,
): readonly Message[] | LostQuestion {
  let changed: Message[] | undefined;
  const asked = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined || isSaid(message)) continue;
    const noted = withNotes(message, index, target, losses);
    if (noted === message) continue;
    changed ??= [...messages];
    changed[index] = noted;
  }
  if (changed === undefined) return messages;
  const question = messages.slice(asked).filter(({ role }) => role !== 'instruction');
  const kinds = question.map((message) => emptiedKind(message.parts, target));
  const kind = kinds.find((each) => each !== undefined);
  const isLost = kind !== undefined && question.every((message, at) => kinds[at] !== undefined || isSilent(message));
  return isLost ? new LostQuestion(kind) : changed;
}

/** Every result, or else the turn, begins with a text, as nearly every one does. */
function isSaid({ role, parts }: Message): boolean {
  if (role === 'instruction' || role === 'assistant') return true;
  for (const part of parts) {
    const first = part.type === 'tool-result' ? part.parts[0] : part;
    if (first?.type !== 'text' || isBlank(first.text)) return false;
  }
  return true;
}

function withNotes(message: Message, index: number, target: Target, losses: LossList): Message {
  const kind = emptiedKind(message.parts, target);
  if (kind !== undefined) {
    losses.add(`messages[${index}] ${kind}`, 'is not supported by the target; a note takes its place');
    return { ...message, parts: [note('message', kind)] };
  }
  if (message.parts[0]?.type !== 'tool-result' && !message.parts.some(({ type }) => type === 'tool-result'))
    return message;
  let changed = false;
  const parts = message.parts.map((part): Part => {
    const inside = part.type === 'tool-result' ? emptiedKind(part.parts, target) : undefined;
    if (part.type !== 'tool-result' || inside === undefined) return part;
    changed = true;
    losses.add(`messages[${index}] tool result ${inside}`, 'is not supported by the target; a note takes its place');
    return { ...part, parts: [note('result', inside)] };
  });
  return changed ? { ...message, parts } : message;
}

/** The kind of what is lost, where the target can hold none of the parts. */
function emptiedKind(parts: readonly Part[], target: Target): string | undefined {
  let kind: string | undefined;
  for (const part of parts) {
    if (isKept(part, target)) return undefined;
    if (part.type === 'media') kind ??= part.media;
    else if (part.type === 'native') kind ??= nativeName(part.value) ?? 'part';
  }
  return kind;
}

function isKept(part: Part, target: Target): boolean {
  switch (part.type) {
    case 'text':
      return !isBlank(part.text);
    case 'media':
      return target.holdsMedia(part);
    case 'native':
      return part.format === target.format || part.instead !== undefined;
    default:
      return true;
  }
}

function isSilent({ parts }: Message): boolean {
  return parts.every((part) => part.type === 'text' && isBlank(part.text));
}

function note(place: 'message' | 'result', kind: string): TextPart {
  return { type: 'text', text: `(This ${place} holds ${article(kind)}, which cannot be shown here.)` };
}

function article(kind: string): string {
  if (kind === 'audio') return 'audio';
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
