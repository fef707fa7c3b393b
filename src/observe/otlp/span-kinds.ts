/** Attributes that the spans of many requests share, one frozen object for each kind of request: it is encoded once, not for each span. */

import type { TracedCall } from '../../relay/attempts/request-trace.ts';
import type { Lane } from '../../relay/lanes/lane.ts';
import type { Target } from '../../routing/catalogue.ts';
import { sharedAttemptAttributes, sharedRequestAttributes } from './gen-ai-attributes.ts';
import type { Attributes } from './records.ts';

/** Names of models and URLs may come from callers: beyond this many kinds of one owner, attributes are made each time. */
const kindsMax = 50;

interface RequestKind {
  readonly endpoint: string;
  readonly model: string;
  readonly stream: boolean;
  readonly target: Target | undefined;
  readonly lane: Lane['kind'] | undefined;
  readonly attributes: Attributes;
}

interface AttemptKind {
  readonly operation: string;
  readonly stream: boolean;
  readonly keyId: string;
  readonly lane: Lane['kind'];
  readonly format: string;
  readonly url: string;
  readonly attributes: Attributes;
}

/** By the caller of a token and by the target: what is known of them goes with them. */
const ofCallers = new WeakMap<TracedCall['caller'], RequestKind[]>();
const ofTargets = new WeakMap<Target, AttemptKind[]>();

type RequestNames = Pick<RequestKind, 'endpoint' | 'model' | 'stream'>;

export function requestKind(
  caller: TracedCall['caller'],
  { endpoint, model, stream }: RequestNames,
  target: Target | undefined,
  lane: Lane['kind'] | undefined,
): Attributes {
  const kinds = ofCallers.get(caller);
  for (const kind of kinds ?? []) {
    if (kind.target === target && kind.model === model && kind.endpoint === endpoint) {
      if (kind.stream === stream && kind.lane === lane) return kind.attributes;
    }
  }
  const { tokenId, tokenName } = caller;
  const own = { endpoint, model, stream, target, lane };
  const attributes = Object.freeze(sharedRequestAttributes({ ...own, tokenId, tokenName }));
  if (kinds === undefined) ofCallers.set(caller, [{ ...own, attributes }]);
  else if (kinds.length < kindsMax) kinds.push({ ...own, attributes });
  return attributes;
}

export function attemptKind(
  target: Target,
  operation: string,
  stream: boolean,
  keyId: string,
  { kind: lane, providerFormat: format, url }: Lane,
): Attributes {
  const kinds = ofTargets.get(target);
  for (const kind of kinds ?? []) {
    if (kind.keyId === keyId && kind.stream === stream && kind.operation === operation) {
      if (kind.lane === lane && kind.format === format && kind.url === url) return kind.attributes;
    }
  }
  const own = { operation, stream, keyId, lane, format, url };
  const attributes = Object.freeze(sharedAttemptAttributes(target, own));
  if (kinds === undefined) ofTargets.set(target, [{ ...own, attributes }]);
  else if (kinds.length < kindsMax) kinds.push({ ...own, attributes });
  return attributes;
}
