/**
 * Authentication, permission and limits: the first step of every endpoint that needs a token, before the body is read.
 */

import type { Authenticator } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { type Carrier, type HeaderReader, readCredential } from '../access/credential.ts';
import { endpointNotAllowed } from '../access/levels/endpoint-refusal.ts';
import { type Admission, type LimitClass, type Limiter, openAdmission } from '../access/limits.ts';
import type { Exchange } from '../http/exchange.ts';
import { mayBeLarge } from '../http/memory/body-memory.ts';
import { explainHeader } from '../relay/explain/explain.ts';
import type { EndpointName } from '../snippets/endpoints.ts';

/** The source of a credential: an exchange, or a socket whose credential is checked again. */
export interface EntryHead {
  readonly request: { readonly headers: HeaderReader };
  readonly query: string;
  address(): string;
  /** Set by `admit` as it finds them out, for the record of a refusal. */
  tokenId?: string;
  endpoint?: string;
}

/** An endpoint's requirements. Every call must declare what it counts as. */
export interface EntryRule {
  /** Its name in a token's list of allowed endpoints. */
  readonly endpoint: EndpointName;
  /** Every token may call it, also one whose list leaves the endpoint out. */
  readonly always?: true;
  readonly carriers: readonly Carrier[];
  /** `elsewhere` is for a socket: each request on it is counted when it begins. */
  readonly counted: LimitClass | 'elsewhere';
  /** Once its body is read, a request reserves its model tokens before anything is done for it. */
  readonly reserves?: true;
}

export interface Entry {
  readonly caller: Caller;
  /** Ended with `leave`, exactly once, whatever happens. */
  readonly admission: Admission;
}

export type Admit = (head: EntryHead, rule: EntryRule, requestId: string) => Entry | Promise<Entry>;

/** No unnecessary await: for a cached token and limits in memory this is synchronous. */
export function createAdmit(authenticator: Authenticator, limiter: Pick<Limiter, 'enter' | 'enterOnReserve'>): Admit {
  const enter = (
    caller: Caller,
    head: EntryHead,
    { endpoint, counted, always, reserves }: EntryRule,
    requestId: string,
  ): Entry | Promise<Entry> => {
    head.tokenId = caller.tokenId;
    if (always !== true && !caller.mayUseEndpoint(endpoint)) {
      throw endpointNotAllowed(caller, endpoint);
    }
    if (counted === 'elsewhere') return { caller, admission: openAdmission };
    const kind = isExplanation(caller, head) ? 'reads' : counted;
    if (
      reserves === true &&
      kind === 'requests' &&
      limiter.enterOnReserve !== undefined &&
      mayEnterLater(caller, head)
    ) {
      const late = limiter.enterOnReserve(caller, requestId);
      if (late !== undefined) return { caller, admission: late };
    }
    const admission = limiter.enter(caller, 0, requestId, kind);
    return admission instanceof Promise
      ? admission.then((entered) => ({ caller, admission: entered }))
      : { caller, admission };
  };
  return (head, rule, requestId) => {
    head.endpoint = rule.endpoint;
    const credential = readCredential(head.request.headers, head.query, rule.carriers);
    const caller = authenticator.authenticate(credential, () => head.address());
    return caller instanceof Promise
      ? caller.then((known) => enter(known, head, rule, requestId))
      : enter(caller, head, rule, requestId);
  };
}

/** Limits of an end user are entered after those of the token, and only by a request that these admitted. */
const mayEnterLater = ({ endUsers }: Caller, { request }: EntryHead): boolean =>
  endUsers === undefined && !mayBeLarge(request.headers);

/** An explanation calls no provider. */
function isExplanation({ terms }: Caller, { request }: EntryHead): boolean {
  if (terms.mayExplain !== true) return false;
  const said = request.headers.get(explainHeader);
  return said === '1' || said === 'true';
}

/** For a socket, whose head is a copy: the exchange that fails must name its caller. */
export function nameCaller(exchange: Exchange, { tokenId = '', endpoint = '' }: EntryHead): void {
  exchange.tokenId = tokenId;
  exchange.endpoint = endpoint;
}

/** Runs work whose admission ends with its reply. */
export async function withEntry<Result>(
  entering: Entry | Promise<Entry>,
  work: (caller: Caller) => Result | Promise<Result>,
): Promise<Result> {
  const { caller, admission } = await entering;
  try {
    return await work(caller);
  } finally {
    admission.leave(0);
  }
}
