/** What a model is sent: the branch that is shown, as one lane of it has gone, up to the reply that is wanted. */

import type { Ask, NeutralMessage } from '../formats/format-adapter.ts';
import type { Answer, Round, Step } from './conversation.ts';
import type { CheckedSettings } from './settings/check-settings.ts';

interface AskPlace {
  readonly rounds: readonly Round[];
  readonly lane: number;
  readonly model: string;
  /** How many steps of the last round's answer are already there. */
  readonly stepsKept: number;
}

export function buildAsk({ rounds, lane, model, stepsKept }: AskPlace, settings: CheckedSettings): Ask {
  const messages = rounds.flatMap((round, index) => {
    const answer = answerOf(round, lane);
    const steps = index === rounds.length - 1 ? answer?.steps.slice(0, stepsKept) : answer?.steps;
    return [userMessage(round), ...(steps ?? []).flatMap(stepMessages)];
  });
  return { model, messages, ...settings };
}

/** A lane that came later goes on from what the first one said. */
function answerOf({ answers }: Round, lane: number): Answer | undefined {
  return answers[lane] ?? answers[0];
}

const userMessage = ({ text, attachments }: Round): NeutralMessage => ({ role: 'user', text, attachments });

function stepMessages(step: Step): NeutralMessage[] {
  const { text, calls, native } = step;
  // What failed before it said anything never happened.
  if (text === '' && calls.length === 0) return [];
  const answered = calls.filter(({ result }) => result !== undefined);
  // A call without its result would be refused; a reply that was cut has no native parts to send back.
  const isWhole = answered.length === calls.length;
  const said: NeutralMessage = {
    role: 'assistant',
    text,
    calls: answered,
    ...(native !== undefined && isWhole && { native }),
  };
  if (answered.length === 0) return text === '' ? [] : [said];
  const results = answered.map(({ id, name, result }) => ({ callId: id, name, text: result ?? '' }));
  return [said, { role: 'tool', results }];
}
