/** Puts instructions from the middle of a conversation into the user's turns, for servers that take them at its beginning only. */

import type { LossList } from '../conversation/loss-list.ts';

/** How a format distinguishes its turns and joins them. */
export interface Folding<Turn> {
  /** `results` are a tool's, which must follow its call at once. */
  kindOf(turn: Turn): 'instruction' | 'user' | 'results' | 'other';
  /** The user's turn with the instructions before or after what it says; without one they are a turn of their own. */
  merged(instructions: readonly Turn[], turn: Turn | undefined, place: 'before' | 'after'): Turn;
}

/** Every instruction stays as near to its place as it can, so that the beginning of the conversation is the same in every request. */
export function foldInstructions<Turn>(
  turns: readonly Turn[],
  { kindOf, merged }: Folding<Turn>,
  losses: LossList,
): Turn[] {
  const folded: Turn[] = [];
  let held: Turn[] = [];
  const release = (): void => {
    if (held.length === 0) return;
    const last = folded.at(-1);
    if (last !== undefined && kindOf(last) === 'user') folded[folded.length - 1] = merged(held, last, 'after');
    else folded.push(merged(held, undefined, 'after'));
    held = [];
  };
  for (const turn of turns) {
    switch (kindOf(turn)) {
      case 'instruction':
        held.push(turn);
        losses.addOnce(
          'later instructions',
          "the target takes instructions before the conversation only; they became part of the user's turns",
        );
        break;
      case 'user':
        folded.push(held.length === 0 ? turn : merged(held, turn, 'before'));
        held = [];
        break;
      case 'results':
        folded.push(turn);
        break;
      default:
        release();
        folded.push(turn);
    }
  }
  release();
  return folded;
}
