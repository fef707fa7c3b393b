/** A token as the rest of Weir sees it after authentication: the caller, its rights and its limits. */

import type { GatewayError } from '../conversation/gateway-error.ts';
import type { BudgetPeriod, EndUserTerms, LevelTerms, UnitKind } from './organization.ts';

export type { BudgetPeriod } from './organization.ts';

/** Everything the operator can set for a token. Absent means no limit. */
export interface TokenTerms extends LevelTerms {
  readonly name: string;
  readonly expiresAtMs?: number;
  /** Networks in CIDR form, IPv4 or IPv6. */
  readonly addresses?: readonly string[];
  /** Counts beside `budgets`. */
  readonly budget?: { readonly limitNano: bigint; readonly period: BudgetPeriod };
  readonly strict?: boolean;
  readonly moderation?: ModerationTerms;
  /** May set routing options: which providers, in which order, with which fallback models. */
  readonly maySteer?: boolean;
  /** How many smaller tokens it may have at a time; absent: it may create none. */
  readonly subTokensMax?: number;
  /** May request an explanation of the routing instead of a reply. */
  readonly mayExplain?: boolean;
}

/** What any level may have, a token as a level included: its own budget is the first of `budgets` there. */
export type Terms = Omit<TokenTerms, 'name' | 'budget'>;

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

/** From top to bottom. Tokens that created other tokens are levels above them. */
export type LevelKind = UnitKind | 'person' | 'token' | 'user';

/** One level that a request belongs to. Each may have limits; all of them count. */
export interface Level {
  readonly kind: LevelKind;
  /** Of a unit, an account or a token; of an end user `<scope>/<digest>`. */
  readonly id: string;
  readonly name: string;
  readonly terms: Terms;
}

/** The rate limits of one level, under the key by which they are counted. */
export interface LevelLimits {
  readonly key: string;
  readonly kind: LevelKind;
  readonly id: string;
  readonly name: string;
  readonly rpm?: number | undefined;
  readonly tpm?: number | undefined;
  readonly concurrency?: number | undefined;
}

/** The terms of end users that apply to a caller, and the level that has them. */
export interface EndUserRule {
  /** The unit or token whose end users they are: one end user of two tokens below it is one. */
  readonly scopeId: string;
  readonly terms: EndUserTerms;
}

/** The JSON Web Token that a caller sent in the place of a secret. */
export interface JwtFacts {
  readonly issuer: string;
  /** Its `jti`, by which it can be revoked. */
  readonly id: string | undefined;
  /** With the allowed difference of clocks. */
  readonly expiresAtMs: number;
}

/** What the hot path needs of a token, prepared once when the token is loaded into the cache. */
export interface Caller {
  readonly tokenId: string;
  readonly tokenName: string;
  /** The token's own, with what those of its levels make of each (`terms.ts`). */
  readonly terms: TokenTerms;
  /** The team or project that the token belongs to. */
  readonly unitId?: string | undefined;
  readonly jwt?: JwtFacts | undefined;
  /** From the organization to the token, and the end user where one counts. */
  readonly levels: readonly Level[];
  /** The levels that have rate limits, in the same order. */
  readonly limits: readonly LevelLimits[];
  /** Of all levels. */
  readonly labels: readonly string[];
  /** When the token or one that it was created by expires. */
  readonly expiresAtMs?: number | undefined;
  /** Absent where end users have no limits. */
  readonly endUsers?: EndUserRule | undefined;
  readonly strict: boolean;
  /** Every level must allow it. */
  mayUseModel(model: string): boolean;
  mayUseEndpoint(endpoint: string): boolean;
  /** Absent where no level limits it: reading the address costs more than the rest of the check. */
  readonly mayCallFrom?: ((address: string) => boolean) | undefined;
}
