/** What the relay is built of: everything a request needs on its way, made once at the start. */

import type { Caller } from '../access/caller.ts';
import type { EndUsers } from '../access/levels/end-users.ts';
import type { Limiter } from '../access/limits.ts';
import type { TokenWatch } from '../access/token-watch.ts';
import type { Format, FormatName } from '../formats/format.ts';
import type { Deadlines } from '../http/deadlines.ts';
import type { Slices } from '../http/json/in-slices.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Price } from '../prices/price.ts';
import type { Authorizer } from '../providers/sign/authorize.ts';
import type { MovedConversations } from '../routing/affinity.ts';
import type { Catalogue, Target } from '../routing/catalogue.ts';
import type { KeyRing } from '../routing/keys.ts';
import type { Retirement } from '../routing/retirement.ts';
import type { ClocksConfig, LimitsConfig, PriceTablesConfig, RoutingConfig } from '../settings/config.ts';
import type { ReplyRoom } from '../upstream/reply-room.ts';
import type { Call } from './admission/call.ts';
import type { NamingRules } from './admission/named-in-request.ts';
import type { Observation } from './admission/observation.ts';
import type { EndedAttempt } from './attempts/ended-attempt.ts';
import type { FollowedReply } from './attempts/followed-reply.ts';
import type { RequestTracing } from './attempts/request-trace.ts';
import type { RetryBudget } from './attempts/retry-budget.ts';
import type { RunningAttempts } from './attempts/running-attempts.ts';
import type { RequestContents } from './contents/request-contents.ts';
import type { IdempotentReplies } from './idempotency/idempotency.ts';
import type { ItemMemo } from './memory/item-memo.ts';
import type { KeptReplies } from './memory/kept-replies.ts';
import type { OwnedIds } from './memory/owned-ids.ts';
import type { SealMemo } from './memory/seal-memo.ts';
import type { OpenGate } from './moderation-gate/gate.ts';
import type { Refusals } from './refusals/refusals.ts';

export interface RelayParts {
  readonly formats: Readonly<Record<FormatName, Format>>;
  readonly authorizer: Authorizer;
  readonly sealMemo: SealMemo;
  readonly itemMemo: ItemMemo;
  readonly catalogue: Catalogue;
  readonly keys: KeyRing;
  readonly retries: RetryBudget;
  readonly moved: MovedConversations;
  readonly routing: Pick<RoutingConfig, 'affinityBytesMin' | 'cacheMarks'>;
  readonly ledger: Ledger;
  readonly refusals: Pick<Refusals, 'record'>;
  readonly limiter: Limiter;
  /** The lowest level of requests that name one. */
  readonly endUsers: EndUsers;
  /** How requests name their end user and tags. */
  readonly naming: NamingRules;
  readonly idempotency: IdempotentReplies;
  readonly keptReplies: KeptReplies;
  readonly ownedIds: OwnedIds;
  readonly contents: RequestContents;
  readonly limits: LimitsConfig;
  /** For large replies that are read whole. */
  readonly replyRoom?: ReplyRoom;
  readonly clocks: ClocksConfig;
  readonly deadlines: Deadlines;
  /** Runs long work on the event loop in slices. */
  readonly slices: Slices;
  readonly running: RunningAttempts;
  /** Aborts what runs for a token that may no longer call. */
  readonly tokens: Pick<TokenWatch, 'confirm' | 'watch'>;
  /** Undefined where neither the token nor the model demands moderation, which is usual. */
  gateFor(caller: Caller, model: string): OpenGate | undefined;
  /** A promise while prices are still being loaded, shortly after the start. */
  pricesReady(): Promise<void> | undefined;
  priceOf(target: Target): Price | undefined;
  /** Does a table of prices list a model of this name? */
  knowsModel(name: string): boolean;
  contextTokensOf(target: Target): number | undefined;
  readonly priceTables: Pick<PriceTablesConfig, 'guesses'>;
  /** The largest reply of its model: as reported to callers, and as reservations count it. */
  outputTokensOf(target: Target): number | undefined;
  outputBoundOf(target: Target): number | undefined;
  /** Undefined where its model is not known to be retired. */
  retirementOf(target: Target): Retirement | undefined;
  /** What of a budget's window is spent and held. */
  budgetOf(scope: string, windowStartMs: number): Promise<{ readonly spentNano: bigint; readonly heldNano: bigint }>;
  /** Counts the tokens of a text where no provider reported them; runs off the event loop. */
  countTokens(text: string): Promise<number>;
  /** Monotonic; for durations and clocks. */
  nowMs(): number;
  /** The time of day; for rows and budget windows. */
  wallMs(): number;
  random(): number;
  /** The prefix and characters that nothing else has. */
  newId(prefix: string): string;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
  observe(observation: Observation): void;
  /** Present while telemetry is on. */
  readonly tracing?: RequestTracing | undefined;
  /** Follows a reply that its provider finishes in the background. Absent: its reservation is charged. */
  follow?(call: Call): FollowedReply;
  /** An attempt that was sent has ended. */
  attempted(ended: EndedAttempt): void;
}
