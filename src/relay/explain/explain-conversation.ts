/** Explains a request to go on with a conversation: what it goes on from is looked up as for a real one, and everything else stays as it is. */

import { openAdmission } from '../../access/limits.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { RequestFacts } from '../../formats/format.ts';
import type { RelayParts } from '../admission/call.ts';
import { conversationCallOf, withoutWishes } from '../admission/conversation-call.ts';
import { findRoute, type RouteRequest } from '../admission/route-call.ts';
import { chooseLane } from '../lanes/choose-lane.ts';
import { openMemory } from '../memory/continuation.ts';
import type { RelayRequest } from '../relay.ts';
import { explain, explainHeader } from './explain.ts';

export async function explainConversation(
  parts: RelayParts,
  given: RelayRequest,
  asked: RequestFacts,
  routing: RouteRequest,
): Promise<Response> {
  // The events of a socket have no place for an explanation, and its head counts for all that comes over it.
  if (given.connection !== undefined) {
    const message = `Nothing is explained over a WebSocket: send a POST with \`${explainHeader}\`.`;
    throw new GatewayError('header_invalid', message, { param: explainHeader });
  }
  const route = findRoute(parts, routing);
  const request = route.wishes === undefined ? given : withoutWishes(given);
  const { format, caller, body, named, connection } = request;
  const source = { format, tokenId: caller.tokenId, body, named, connection };
  const memory = format.memory && (await openMemory(parts.keptReplies, format.memory, source));
  const targets = memory === undefined || route.targets.length === 0 ? route.targets : memory.ableOf(route.targets);
  const forgetful = route.targets
    .filter((target) => !targets.includes(target))
    .map((target) => ({ target, why: 'does not have the reply that the request goes on from' }));
  const call = conversationCallOf(request, {
    facts: memory === undefined ? asked : memory.factsOf(asked),
    admission: openAdmission,
    claim: undefined,
    memory,
    affinityKey: route.affinityKey,
  });
  return explain(parts, {
    requestId: request.requestId,
    routing,
    route: { ...route, targets, excluded: [...route.excluded, ...forgetful] },
    facts: call.facts,
    laneTo: (target) => chooseLane(parts, call, target, memory?.turnsFor(target)),
  });
}
