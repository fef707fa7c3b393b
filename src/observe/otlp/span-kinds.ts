/** Attributes that the spans of many requests share, one frozen object for each kind of request: it is encoded once, not for each span. */

import type { UsageRow } from '../../ledger/ledger.ts';
import type { TracedAttempt, TracedCall } from '../../relay/attempts/request-trace.ts';
import type { Lane } from '../../relay/lanes/lane.ts';
import type { Target } from '../../routing/catalogue.ts';
import {
  type AttemptKind,
  requestCostState,
  sharedAttemptAttributes,
  sharedRequestAttributes,
} from './gen-ai-attributes.ts';
import type { Attributes } from './records.ts';

/** Names of models and URLs may come from callers: beyond this many kinds of one owner, attributes are made each time. */
const kindsMax = 50;

interface RequestKind {
  readonly endpoint: string;
  readonly model: string;
  readonly stream: boolean;
  readonly status: number;
  readonly attempts: number;
  readonly target: Target | undefined;
  readonly lane: Lane['kind'] | undefined;
  readonly costState: string;
  readonly attributes: Attributes;
}

interface KnownAttemptKind extends AttemptKind {
  readonly attributes: Attributes;
}

/** By the caller of a token and by the target: what is known of them goes with them. */
const ofCallers = new WeakMap<TracedCall['caller'], RequestKind[]>();
const ofTargets = new WeakMap<Target, KnownAttemptKind[]>();

export function requestKind(
  caller: TracedCall['caller'],
  row: UsageRow,
  target: Target | undefined,
  lane: Lane['kind'] | undefined,
): Attributes {
  const { endpoint, model, stream, status, attempts } = row;
  const costState = requestCostState(row);
  const kinds = ofCallers.get(caller);
  for (const kind of kinds ?? []) {
    if (kind.target !== target || kind.model !== model || kind.endpoint !== endpoint) continue;
    if (kind.stream !== stream || kind.lane !== lane || kind.costState !== costState) continue;
    if (kind.status === status && kind.attempts === attempts) return kind.attributes;
  }
  const { tokenId, tokenName } = caller;
  const own = { endpoint, model, stream, status, attempts, target, lane, costState };
  const attributes = Object.freeze(sharedRequestAttributes({ ...own, tokenId, tokenName }));
  if (kinds === undefined) ofCallers.set(caller, [{ ...own, attributes }]);
  else if (kinds.length < kindsMax) kinds.push({ ...own, attributes });
  return attributes;
}

export function attemptKind(
  { target, lane: { kind: lane, providerFormat: format, url }, ordinal }: TracedAttempt,
  operation: string,
  stream: boolean,
  keyId: string,
  end: Pick<AttemptKind, 'status' | 'verdict' | 'costState'>,
): Attributes {
  const { status, verdict, costState } = end;
  const kinds = ofTargets.get(target);
  for (const kind of kinds ?? []) {
    if (kind.keyId !== keyId || kind.stream !== stream || kind.operation !== operation) continue;
    if (kind.lane !== lane || kind.format !== format || kind.url !== url || kind.ordinal !== ordinal) continue;
    if (kind.status === status && kind.verdict === verdict && kind.costState === costState) return kind.attributes;
  }
  const own = { operation, stream, keyId, lane, format, url, ordinal, status, verdict, costState };
  const attributes = Object.freeze(sharedAttemptAttributes(target, own));
  if (kinds === undefined) ofTargets.set(target, [{ ...own, attributes }]);
  else if (kinds.length < kindsMax) kinds.push({ ...own, attributes });
  return attributes;
}
