/** Which rounds are shown: the way from the first to the chosen last one, and the versions that a round has beside it. */

import type { Answer, Conversation, Round, Step } from './conversation.ts';

export function shownRounds({ rounds, leafId }: Conversation): readonly Round[] {
  const byId = new Map(rounds.map((round) => [round.id, round]));
  const path: Round[] = [];
  for (let round = byId.get(leafId ?? ''); round !== undefined; round = byId.get(round.parentId ?? '')) {
    // A file that was tampered with could lead in a circle.
    if (path.length > rounds.length) break;
    path.unshift(round);
  }
  return path;
}

export interface Versions {
  readonly ids: readonly string[];
  readonly index: number;
}

export function versionsOf({ rounds }: Conversation, round: Round): Versions {
  const ids = rounds.filter(({ parentId }) => parentId === round.parentId).map(({ id }) => id);
  return { ids, index: ids.indexOf(round.id) };
}

/** Shows another version, and what was said last after it. */
export function showVersion(conversation: Conversation, roundId: string): Conversation {
  let leafId = roundId;
  for (let guard = 0; guard < conversation.rounds.length; guard++) {
    const next = conversation.rounds.findLast(({ parentId }) => parentId === leafId);
    if (next === undefined) break;
    leafId = next.id;
  }
  return { ...conversation, leafId };
}

export function withRound(conversation: Conversation, round: Round): Conversation {
  return { ...conversation, rounds: [...conversation.rounds, round], leafId: round.id };
}

/** Replaces one step, or adds it behind the last. */
export function withStep(
  conversation: Conversation,
  place: { readonly roundId: string; readonly lane: number; readonly step: number },
  step: Step,
): Conversation {
  const answerWith = (answer: Answer): Answer => {
    const steps = [...answer.steps];
    steps[place.step] = step;
    return { ...answer, steps };
  };
  return {
    ...conversation,
    rounds: conversation.rounds.map((round) =>
      round.id === place.roundId
        ? {
            ...round,
            answers: round.answers.map((answer, lane) => (lane === place.lane ? answerWith(answer) : answer)),
          }
        : round,
    ),
  };
}

/** True while the model waits for what its tools would say. */
export function awaitsResults(answer: Answer): boolean {
  const last = answer.steps.at(-1);
  return last !== undefined && last.calls.length > 0 && last.failure === undefined && last.isStopped !== true;
}
