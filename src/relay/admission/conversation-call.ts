/** Makes a call of a conversation request, the same for one that is answered and one that is only explained. */

import type { RequestFacts } from '../../formats/format.ts';
import type { Entry } from './admit-call.ts';
import type { ConversationCall } from './call.ts';
import type { ConversationRequest } from './conversation-request.ts';
import { asksStrict } from './strict-mode.ts';

export function conversationCallOf(request: ConversationRequest, entry: Entry<RequestFacts>): ConversationCall {
  const { caller, body } = request;
  return {
    requestId: request.requestId,
    endpoint: request.endpoint,
    format: request.format,
    caller,
    body,
    bytesIn: body.bytes.length,
    repeatable: true,
    converses: true,
    named: request.named,
    isStrict: () => asksStrict(request),
    facts: entry.facts,
    startedAtMs: request.startedAtMs,
    hasLeft: request.hasLeft,
    keepOpen: request.keepOpen,
    passHeaders: passedHeaders(request),
    admission: entry.admission,
    claim: entry.claim,
    memory: entry.memory,
    affinityKey: entry.affinityKey,
    references: entry.references,
  };
}

function passedHeaders(request: ConversationRequest): Record<string, string> | undefined {
  let passed: Record<string, string> | undefined;
  for (const name of request.format.passHeaders) {
    const value = request.headers.get(name);
    if (value !== null) passed = { ...passed, [name]: value };
  }
  return passed;
}
