/** More inputs than a provider takes at once: sent in several requests, one after the other, and joined in their order. */

import { WrittenText } from '../../conversation/written-text.ts';
import type { OperationTypes, Splitting } from '../../operations/types.ts';
import type { OperationName } from '../../operations/wire.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Attempt, Before } from '../attempt.ts';
import type { Call, RelayParts } from '../call.ts';
import { attemptAll, type Trail } from '../candidates.ts';
import { unreadable } from '../whole-reply.ts';
import { making, type OperationReplyParts, readWire, reported, respond } from './answer.ts';
import type { Asked, OperationLane } from './operation-lane.ts';
import { tokensOf } from './raw-reply.ts';

type Parts = RelayParts & OperationReplyParts;

export interface Batches<Name extends OperationName> {
  readonly asked: Asked<Name>;
  readonly splitting: Splitting<OperationTypes[Name]['request'], OperationTypes[Name]['reply']>;
  /** How many inputs every candidate takes at once. */
  readonly inputsMax: number;
  laneTo(asked: Asked<Name>, target: Target): OperationLane<Name>;
}

export async function answerInBatches<Name extends OperationName>(
  parts: Parts,
  call: Call,
  targets: readonly Target[],
  trail: Trail,
  { asked, splitting, inputsMax, laneTo }: Batches<Name>,
): Promise<Response> {
  type Reply = OperationTypes[Name]['reply'];
  const requests = splitting.split(asked.request, inputsMax);
  const replies: Reply[] = [];
  let before: Before | undefined;
  for (const [index, request] of requests.entries()) {
    const part: Asked<Name> = { ...asked, request, forwardable: false };
    const isLast = index === requests.length - 1;
    const carry = async (attempt: Attempt<OperationLane<Name>>, upstream: UpstreamReply) => {
      const reply = await readPart(parts, attempt, upstream);
      replies.push(reply);
      const consumption = reported(reply.consumption, attempt);
      const usage = tokensOf(consumption);
      if (!isLast) {
        const { sum, done } = attempt.settlePart(usage, consumption, before);
        if (done !== undefined) await done;
        before = sum;
        return undefined;
      }
      return await finish(parts, attempt, splitting.join(replies), { usage, consumption, before });
    };
    // A batch is a request of its own to the provider, with a trail of its own.
    const own: Trail = isLast ? trail : { attempts: 0, target: undefined, verdicts: [] };
    const answer = await attemptAll(parts, call, targets, own, (target) => laneTo(part, target), carry);
    if (answer !== undefined) return answer;
    trail.attempts += own.attempts;
  }
  throw new Error('A request without inputs was let through.');
}

async function readPart<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  upstream: UpstreamReply,
): Promise<OperationTypes[Name]['reply']> {
  try {
    const reply = await readWire(parts, upstream, upstream.header('content-type') ?? '', attempt.lane.url);
    return attempt.lane.wire.readReply(reply, attempt.lane.asked.request, making(parts)).value;
  } catch (cause) {
    throw unreadable(attempt, cause);
  }
}

async function finish<Name extends OperationName>(
  parts: Parts,
  attempt: Attempt<OperationLane<Name>>,
  joined: OperationTypes[Name]['reply'],
  used: {
    readonly usage: ReturnType<typeof tokensOf>;
    readonly consumption: ReturnType<typeof reported>;
    readonly before: Before | undefined;
  },
): Promise<Response> {
  const { lane, call } = attempt;
  const { reply, losses } = lane.write(joined, [], making(parts));
  const costNano = await attempt.settle({
    status: 200,
    code: '',
    usage: used.usage,
    units: used.consumption,
    before: used.before,
    written: new WrittenText(),
    firstEventMs: parts.nowMs() - call.startedAtMs,
    bytesOut: reply.body.length,
    served: true,
  });
  return respond(attempt, reply.contentType, reply.body, losses, costNano + (used.before?.costNano ?? 0n));
}
