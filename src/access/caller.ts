/** A token as the rest of Weir sees it after authentication: the caller, its rights and its limits. */

import type { GatewayError } from '../conversation/gateway-error.ts';

export type BudgetPeriod = 'total' | 'day' | 'week' | 'month';

/** Everything the operator can set for a token. Absent means no limit. */
export interface TokenTerms {
  readonly name: string;
  /** Refused until it is enabled again. */
  readonly disabled?: boolean;
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
  /** The operator's routes match groups of tokens by these (`team-a`, `eu`). */
  readonly labels?: readonly string[];
  /** May set routing options: which providers, in which order, with which fallback models. */
  readonly maySteer?: boolean;
  /** May request an explanation of the routing instead of a reply. */
  readonly mayExplain?: boolean;
}

/**
 * What must pass moderation: requests before they are sent to the provider, replies before they are sent to the caller.
 */
export interface ModerationTerms {
  readonly before?: boolean;
  readonly after?: boolean;
  /** The moderation model; absent means the default one. */
  readonly model?: string;
}

export interface TokenRecord {
  readonly id: string;
  /** The first characters of the token, for people to recognize it: `weir_Ab3x…`. */
  readonly hint: string;
  readonly createdAtMs: number;
  readonly revokedAtMs?: number;
  /** Present if the record was found by a secret that a rotation replaced: that secret works until then. */
  readonly secretValidUntilMs?: number;
  /** The account it belongs to; absent for a token of the operator. */
  readonly ownerId?: string;
  /** The team or project it counts against; absent if it counts against the organization alone. */
  readonly unitId?: string;
  /** The token that created it. */
  readonly parentId?: string;
  readonly terms: TokenTerms;
}

/** Whether a token may call at all, from any address. */
export interface TokenStanding {
  /** Why it may not; absent if it may. */
  readonly refusal: GatewayError | undefined;
  readonly expiresAtMs: number | undefined;
}

/** What the hot path needs of a token, prepared once when the token is loaded into the cache. */
export interface Caller {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly terms: TokenTerms;
  readonly strict: boolean;
  mayUseModel(model: string): boolean;
  mayUseEndpoint(endpoint: string): boolean;
  mayCallFrom(address: string): boolean;
}
