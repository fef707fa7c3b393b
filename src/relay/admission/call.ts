/** One admitted request on its way through the relay, and what the relay needs to know of it. */

import type { Caller } from '../../access/caller.ts';
import type { Admission } from '../../access/limits.ts';
import type { Loss } from '../../conversation/parts.ts';
import type { References } from '../../conversation/references/references.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { NamedRequest } from '../../formats/codec.ts';
import type { Format, RequestFacts, Tree } from '../../formats/format.ts';
import type { JsonBody } from '../../http/json/json-body.ts';
import type { MostUse } from '../../operations/consumption.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { FollowedReply } from '../attempts/followed-reply.ts';
import type { RequestTrace } from '../attempts/request-trace.ts';
import type { Claim } from '../idempotency/idempotency.ts';
import type { EarlierTurns } from '../lanes/earlier-turns.ts';
import type { CountedTool, FurtherModel } from '../vetting/ordered.ts';

/** What limits and money need to know of any request. */
export interface CallFacts extends RequestFacts {
  /** The most that it can use of units other than tokens. */
  readonly most?: MostUse;
  /** Models that the body names beside the one that it asks for. */
  readonly further?: readonly FurtherModel[];
  /** Tools of the provider that are billed by the call. */
  readonly tools?: readonly CountedTool[];
}

/** One admitted request, whatever it asks for. */
export interface Call {
  readonly requestId: string;
  readonly endpoint: string;
  /** Whose envelope and events the client reads. */
  readonly format: Format;
  readonly caller: Caller;
  readonly bytesIn: number;
  /** Losses are refused instead of reported. */
  isStrict(): boolean;
  /** The client reads what a streamed reply loses in a comment of the stream. */
  tellsLosses?(): boolean;
  readonly facts: CallFacts;
  /** May a request of unknown outcome be retried at another target? Never where each attempt is expensive. */
  readonly repeatable: boolean;
  /** A conversation, which may be retried at the same target as well. */
  readonly converses?: boolean;
  readonly startedAtMs: number;
  /** The operator does not charge what may or may not have been accepted. */
  readonly freeIfUnknown?: boolean;
  /** Once sent it runs to its end, even if the client disconnects or the token is revoked. */
  readonly runsToEnd?: boolean;
  hasLeft(): boolean;
  /** Request headers that the format wants passed on, where there are any. */
  readonly passHeaders: Readonly<Record<string, string>> | undefined;
  readonly admission: Admission;
  /** Present where the request carried an idempotency key. */
  readonly claim: Claim | undefined;
  /** What ties it to earlier requests of its conversation, where that decided the first target. */
  readonly affinityKey?: string | undefined;
  /** Present in formats whose requests can continue from earlier replies. */
  readonly memory: CallMemory | undefined;
  /** Present where the provider finishes the reply in the background. */
  readonly followed?: FollowedReply | undefined;
  /** The end user whom it names. */
  readonly endUser?: string | undefined;
  /** Of the request, for its row. */
  readonly tags?: readonly string[] | undefined;
  /** Present while telemetry is on; admission adds it. */
  trace?: RequestTrace | undefined;
  /** Ids and servers that it refers to, where it refers to any. */
  readonly references?: References | undefined;
  /** The call as this target gets it; absent where every target gets the same. Throws where it may not be made there. */
  readonly at?: ((target: Target) => Call) | undefined;
}

/** What a call has to do with remembered replies: the one it continues from, and its own. */
export interface CallMemory {
  /** What was said up to the earlier reply; undefined where only a provider knows it, empty where there is none. */
  readonly earlierItems: readonly unknown[] | undefined;
  /** Fields that put the earlier turns into the request for this target; undefined where the target remembers them. */
  turnsFor(target: Target): EarlierTurns | undefined;
  /** The key that the earlier reply was made with: another key may belong to an account that cannot see it. */
  keyIdFor(target: Target): string | undefined;
  /** The client's request as the reply echoes it. */
  echoFor(target: Target): Tree;
  /** Remembers a whole reply. Undefined where nothing is written. */
  keep(target: Target, keyId: string, reply: Tree, replyBytes: number, usage: Usage): Promise<void> | undefined;
  /** The reply that a stream's last event carries. */
  replyIn(lastEvent: string): Tree | undefined;
}

/** A conversation request. */
export interface ConversationCall extends Call {
  readonly body: JsonBody;
  /** What the path said, in formats whose body names neither the model nor whether to stream. */
  readonly named: NamedRequest | undefined;
  /** Parts of the body that were left out for this target. */
  readonly losses?: readonly Loss[];
  readonly at?: ((this: ConversationCall, target: Target) => ConversationCall) | undefined;
}
