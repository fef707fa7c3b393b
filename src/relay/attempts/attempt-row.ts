/** The usage row of a request, as the attempt that ended it knows it. */

import type { Usage } from '../../conversation/usage.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { addUse } from '../../operations/splittings.ts';
import type { Price } from '../../prices/price.ts';
import { jointVersion } from '../../prices/price-source.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { ProviderKey } from '../../settings/config.ts';
import type { Call } from '../admission/call.ts';
import { type Lane, laneText } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { AttemptOutcome, EarlierUse } from './attempt-outcome.ts';

/** The attempt that ended the request. */
interface AttemptFacts {
  readonly call: Call;
  readonly target: Target;
  readonly key: ProviderKey;
  readonly lane: Lane;
  /** How many attempts the request made, this one included. */
  readonly ordinal: number;
  /** What earlier exchanges of the same request used; it is charged already. */
  readonly before: EarlierUse | undefined;
}

/** What the request cost, earlier exchanges for it included. */
interface Charge {
  readonly usage: Usage;
  readonly costNano: bigint;
  readonly estimated: boolean;
}

export function attemptRow(
  parts: Pick<RelayParts, 'ledger' | 'nowMs' | 'wallMs'>,
  { call, target, key, lane, ordinal, before }: AttemptFacts,
  price: Price | undefined,
  ending: AttemptOutcome,
  { usage, costNano, estimated }: Charge,
): UsageRow {
  const totalMs = Math.round(parts.nowMs() - call.startedAtMs);
  return {
    requestId: call.requestId,
    atMs: parts.wallMs() - totalMs,
    tokenId: call.caller.tokenId,
    endpoint: call.endpoint,
    model: call.facts.model,
    provider: target.provider.name,
    upstreamModel: target.model,
    stream: call.facts.stream,
    attempts: ordinal,
    status: ending.status,
    code: ending.code,
    usage,
    costNano,
    estimated,
    priceVersion: jointVersion(before?.priceVersion, price?.version ?? ''),
    firstEventMs: ending.firstEventMs === undefined ? undefined : Math.round(ending.firstEventMs),
    totalMs,
    bytesIn: call.bytesIn,
    bytesOut: ending.bytesOut,
    priceName: price && parts.ledger.nameOf(price),
    units: unitsOf(ending, before, price),
    way: laneText(lane, call.format.name, ending.losses),
    endUser: call.endUser,
    tags: call.tags,
    keyId: key.id,
  };
}

/** What all exchanges used beside tokens. A served request without a price counts as one use, whatever its reply says. */
function unitsOf(
  { units: given, served }: AttemptOutcome,
  before: EarlierUse | undefined,
  price: Price | undefined,
): Consumption | undefined {
  const units = given !== undefined && served && price === undefined ? { requests: 1, ...given } : given;
  return units === undefined || before === undefined ? units : addUse(before.units, units);
}
