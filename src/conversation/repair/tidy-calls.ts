/** A quick check that calls and results need no repair, as in nearly every request. */

import type { Message } from '../parts.ts';
import { CallIds } from './call-ids.ts';
import type { ConversationRules } from './rules.ts';

export function hasTidyCalls(messages: readonly Message[], { callId, pairsCalls = false }: ConversationRules): boolean {
  const ids = new CallIds(callId);
  return pairsCalls ? arePaired(messages, ids) : messages.every((message) => hasFittingIds(message, ids));
}

function hasFittingIds({ role, parts }: Message, ids: CallIds): boolean {
  for (const part of parts) {
    if (part.type === 'tool-call' && role === 'assistant' && !ids.fits(part.id)) return false;
    if (part.type === 'tool-result' && role !== 'assistant' && !ids.fits(part.callId)) return false;
  }
  return true;
}

/** Each call has an id of its own, and its result comes before anything else does. */
function arePaired(messages: readonly Message[], ids: CallIds): boolean {
  const unanswered = new Set<string>();
  for (const { role, parts } of messages) {
    const isAssistant = role === 'assistant';
    if (unanswered.size > 0 && (isAssistant || parts.length === 0)) return false;
    for (const part of parts) {
      if (isAssistant) {
        if (part.type !== 'tool-call') continue;
        if (!ids.fits(part.id) || ids.isTaken(part.id)) return false;
        unanswered.add(ids.take(part.id));
      } else if (part.type === 'tool-result' ? !unanswered.delete(part.callId) : unanswered.size > 0) {
        return false;
      }
    }
  }
  return unanswered.size === 0;
}
