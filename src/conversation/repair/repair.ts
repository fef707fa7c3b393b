/**
 * Repairs a conversation for a target that is stricter than its source. What needs no repair stays the same object;
 * nothing is cloned, and the work is linear in the number of parts.
 */

import { LossList } from '../loss-list.ts';
import type { Converted, Message, Origin } from '../parts.ts';
import type { TextRequest } from '../text-request.ts';
import { saysSomething, withoutBlankText } from './blank-text.ts';
import { isPlainlySaid, saidInstead } from './instead.ts';
import { mapKept } from './map-kept.ts';
import { withModelMediaAfter } from './model-media.ts';
import { withMediaAfterResults } from './result-media.ts';
import type { ConversationRules } from './rules.ts';
import { isUnsealed, withoutForeignSeals } from './seals.ts';
import { withFittingCalls } from './tool-calls.ts';
import { alternating, startingWithUser, withJoinedUsers, withOneInstruction } from './turns.ts';

export function repair(request: TextRequest, rules: ConversationRules, target: Origin): Converted<TextRequest> {
  const losses = new LossList();
  let messages = withFittingMessages(request.messages, rules, target, losses);
  // Merged first, so that calls spread over adjacent turns are one turn when their results are looked for. Pairing puts
  // results where they belong, and what answers no call keeps its place.
  const order = rules.pairsCalls === true ? 'as-said' : 'results-first';
  if (rules.alternates === true) messages = alternating(messages, losses, order);
  if (rules.callId !== undefined || rules.pairsCalls === true) messages = withFittingCalls(messages, rules, losses);
  if (rules.resultsAreText === true) messages = withMediaAfterResults(messages);
  if (rules.modelMediaFollow === true) messages = withModelMediaAfter(messages);
  if (rules.alternates === true) messages = alternating(messages, losses, 'results-first');
  if (rules.joinsUsers === true) messages = withJoinedUsers(messages, losses);
  if (rules.oneInstruction === true) messages = withOneInstruction(messages, losses);
  if (rules.userFirst === true) messages = startingWithUser(messages, losses);
  return { value: messages === request.messages ? request : { ...request, messages }, losses: losses.all };
}

/** All repairs that need one message only, while its number is still the client's. */
function withFittingMessages(
  messages: readonly Message[],
  rules: ConversationRules,
  target: Origin,
  losses: LossList,
): readonly Message[] {
  let begun = false;
  return mapKept(messages, (message, index) => {
    const said = isPlainlySaid(message) ? message : saidInstead(message, index, target.format, losses);
    if (said === undefined) return undefined;
    let repaired = said;
    if (!isUnsealed(message)) repaired = withoutForeignSeals(repaired, index, target, losses);
    if (rules.rejectsBlankText === true && !saysSomething(repaired))
      repaired = withoutBlankText(repaired, index, losses);
    if (repaired.parts.length === 0 && (repaired !== said || rules.rejectsBlankText === true)) {
      losses.add(`messages[${index}]`, 'holds nothing that the target supports, and an empty turn is rejected');
      return undefined;
    }
    if (repaired.role !== 'instruction') begun = true;
    else if (begun && rules.instructionsFirst === true) return userTurnOf(repaired, index, losses);
    return repaired;
  });
}

function userTurnOf({ parts, name }: Message, index: number, losses: LossList): Message {
  losses.add(
    `messages[${index}] instruction`,
    "the target accepts instructions before the conversation only; it became the user's turn",
  );
  return { role: 'user', parts, ...(name !== undefined && { name }) };
}
