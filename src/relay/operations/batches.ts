/** More inputs than a provider takes at once: sent in several requests, one after the other, and joined in their order. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Converted, Loss } from '../../conversation/parts.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { Reply } from '../../http/reply.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { OperationTypes, Splitting } from '../../operations/types.ts';
import type { OperationName } from '../../operations/wire.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Call } from '../admission/call.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { attemptAll, emptyTrail, type Trail } from '../attempts/try-candidates.ts';
import type { RelayParts } from '../relay-parts.ts';
import { type OperationReplyParts, respond, takeReply, withFetchedImages, writeKept } from './answer.ts';
import type { Asked, OperationLane } from './operation-lane.ts';

type Parts = RelayParts & OperationReplyParts;

interface Batches<Name extends OperationName> {
  readonly asked: Asked<Name>;
  readonly splitting: Splitting<OperationTypes[Name]['request'], OperationTypes[Name]['reply']>;
  /** How many inputs every candidate takes at once. */
  readonly inputsMax: number;
  laneFor(asked: Asked<Name>, target: Target): OperationLane<Name> | Promise<OperationLane<Name>>;
}

export async function answerInBatches<Name extends OperationName>(
  parts: Parts,
  call: Call,
  targets: readonly Target[],
  trail: Trail,
  { asked, splitting, inputsMax, laneFor }: Batches<Name>,
): Promise<Reply> {
  const requests = splitting.split(asked.request, inputsMax);
  const whole = { request: asked.request, most: call.facts.most ?? {} };
  const replies: OperationTypes[Name]['reply'][] = [];
  const lost: Loss[] = [];
  for (const [index, request] of requests.entries()) {
    const part: Asked<Name> = { ...asked, request, forwardable: false };
    const isLast = index === requests.length - 1;
    if (index > 0 && call.hasLeft()) throw new GatewayError('client_left', 'The client left.');
    const carry = async (attempt: Attempt<OperationLane<Name>>, upstream: UpstreamReply) => {
      const { value: reply, losses } = await takeReply(parts, attempt, upstream);
      replies.push(reply);
      lost.push(...losses);
      if (isLast) {
        // Only now every image has its final index.
        const joined = await withFetchedImages(parts, attempt, { value: splitting.join(replies), losses: lost });
        return await finish(parts, attempt, joined, reply.consumption);
      }
      const { sum, done } = attempt.settlePart(reply.consumption);
      own.before = sum;
      if (done !== undefined) await done;
      return undefined;
    };
    // A batch is a request of its own to the provider, with its own reservation and its own attempts.
    const own: Trail = { ...emptyTrail(), attemptsBefore: trail.attempts, before: trail.before };
    const ownCall = callFor(call, splitting.most(whole, request));
    try {
      const answer = await attemptAll(parts, ownCall, targets, own, (target) => laneFor(part, target), carry);
      if (answer !== undefined) return answer;
    } finally {
      trail.attempts += own.attempts;
      trail.target = own.target;
      trail.lane = own.lane;
      trail.before = own.before;
      if (own.settled === true) trail.settled = true;
    }
  }
  throw new Error('A request without inputs was let through.');
}

function callFor(call: Call, most: Consumption): Call {
  const { input, output } = most.tokens ?? unknownUsage;
  const facts = { most, inputTokensMax: input.total ?? 0, outputTokensMax: output.total ?? 0 };
  return { ...call, facts: { ...call.facts, ...facts } };
}

async function finish<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  joined: Converted<OperationTypes[Name]['reply']>,
  consumption: Consumption,
): Promise<Reply> {
  const { call } = attempt;
  const { reply, losses } = await writeKept(parts, attempt, joined);
  const costNano = await attempt.settle({
    status: 200,
    code: '',
    usage: unknownUsage,
    units: consumption,
    written: new WrittenText(),
    firstEventMs: parts.nowMs() - call.startedAtMs,
    bytesOut: reply.body.length,
    losses,
    served: true,
  });
  return respond(attempt, reply.contentType, reply.body, losses, costNano);
}
