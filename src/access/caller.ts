/** A token as the rest of Weir sees it once it was checked: who calls and what they may do. */

import type { GatewayError } from '../conversation/gateway-error.ts';

export type BudgetPeriod = 'total' | 'day' | 'week' | 'month';

/** Everything the operator can say about a token. Absent means no limit. */
export interface TokenTerms {
  readonly name: string;
  readonly expiresAtMs?: number;
  /** Globs over model names (`gpt-*`, `up/*`). */
  readonly models?: readonly string[];
  /** Endpoint names of the route table (`chat`, `models`, …). */
  readonly endpoints?: readonly string[];
  /** Networks in CIDR form, IPv4 or IPv6. */
  readonly addresses?: readonly string[];
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrency?: number;
  readonly budget?: { readonly limitNano: bigint; readonly period: BudgetPeriod };
  readonly strict?: boolean;
  readonly moderation?: ModerationTerms;
  /** By these the operator's routes know a group of tokens (`team-a`, `eu`). */
  readonly labels?: readonly string[];
  /** May say how its requests are routed: which providers, in which order, with which other models. */
  readonly maySteer?: boolean;
  /** May ask where its request would go instead of having it answered. */
  readonly mayExplain?: boolean;
}

/** What must pass moderation: what a request says before it is sent on, what the model answers before it is sent back. */
export interface ModerationTerms {
  readonly before?: boolean;
  readonly after?: boolean;
  /** The model that judges; absent means the one that moderates where callers name none. */
  readonly model?: string;
}

export interface TokenRecord {
  readonly id: string;
  /** The first characters of the token, for people to recognise it: `weir_Ab3x…`. */
  readonly hint: string;
  readonly createdAtMs: number;
  readonly revokedAtMs?: number;
  /** Present where the record was found by the secret that a rotation replaced: that secret works until then. */
  readonly secretValidUntilMs?: number;
  /** The account it belongs to; a token of the operator as such belongs to nobody. */
  readonly ownerId?: string;
  readonly terms: TokenTerms;
}

/** Whether a token may call at all, wherever from. */
export interface TokenStanding {
  /** Why it may not; absent where it may. */
  readonly refusal: GatewayError | undefined;
  readonly expiresAtMs: number | undefined;
}

/** What the hot path needs of a token, made ready once when the token is loaded into the cache. */
export interface Caller {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly terms: TokenTerms;
  readonly strict: boolean;
  mayUseModel(model: string): boolean;
  mayUseEndpoint(endpoint: string): boolean;
  mayCallFrom(address: string): boolean;
}
