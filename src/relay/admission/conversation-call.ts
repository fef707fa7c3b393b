/** Makes a call of a request to go on with a conversation, the same for one that is answered and one that is only explained. */

import type { Admission } from '../../access/limits.ts';
import type { References } from '../../conversation/references/references.ts';
import type { RequestFacts } from '../../formats/format.ts';
import { editBody } from '../../http/json/json-body.ts';
import type { Claim } from '../idempotency/idempotency.ts';
import type { CallMemory } from '../memory/continuation.ts';
import type { RelayRequest } from '../relay.ts';
import type { ConversationCall } from './call.ts';

/** What became of the request on its way in. */
export interface Entry {
  readonly facts: RequestFacts;
  readonly admission: Admission;
  readonly claim: Claim | undefined;
  readonly memory: CallMemory | undefined;
  readonly affinityKey: string | undefined;
  readonly references?: References | undefined;
}

export function conversationCallOf(request: RelayRequest, entry: Entry): ConversationCall {
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
    isStrict: () => caller.strict || request.headers.get('x-weir-strict') === 'true',
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

function passedHeaders(request: RelayRequest): Record<string, string> | undefined {
  let passed: Record<string, string> | undefined;
  for (const name of request.format.passHeaders) {
    const value = request.headers.get(name);
    if (value !== null) passed = { ...passed, [name]: value };
  }
  return passed;
}

const wishFields: ReadonlyMap<string, undefined> = new Map([
  ['provider', undefined],
  ['models', undefined],
]);

/** What was meant for Weir goes no further. */
export function withoutWishes(request: RelayRequest): RelayRequest {
  const { body } = request;
  if (!('provider' in body.tree) && !('models' in body.tree)) return request;
  return { ...request, body: editBody(body, wishFields) };
}
