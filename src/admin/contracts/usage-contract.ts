/** What the console, the command line and the admin interface exchange: the schemas of their input and the shapes of their output. */

import { z } from 'zod';
import type { BudgetPeriod } from '../../access/caller.ts';
import { type BudgetTermsView, budgetsSchema, type EndUserTermsView, endUserTermsSchema } from './budget-contract.ts';
import { budgetPeriods, type TokenRules, termFields, tokenBounds } from './term-fields.ts';

export { budgetPeriods, type TokenRules, termFields, tokenBounds } from './term-fields.ts';

/** What of a conversation must pass moderation: the request, the reply, or both. */
export const moderationMoments = ['before', 'after', 'both'] as const;
export type ModerationMoment = (typeof moderationMoments)[number];

/** Null removes a limit, also one that would come from the defaults; absent leaves it as it is. */
export function tokenChangesSchema({ endpoints, nowMs }: TokenRules) {
  const endpoint = z.string().refine((text) => endpoints.includes(text), {
    error: `must be one of ${endpoints.join(', ')}`,
  });
  const { name, count, list, glob, tools, labels, expiry, modelName, network, budget } = termFields;
  return z.strictObject({
    name: name.optional(),
    disabled: z.boolean('must be true or false').optional(),
    expiresAt: expiry(nowMs),
    models: list(glob, 'model names or patterns'),
    endpoints: list(endpoint, 'endpoint names'),
    addresses: list(network, 'networks'),
    tools,
    rpm: count(tokenBounds.rpmMax),
    tpm: count(tokenBounds.tpmMax),
    concurrency: count(tokenBounds.concurrencyMax),
    budgetUsd: budget,
    budgetPeriod: z.enum(budgetPeriods, `must be one of ${budgetPeriods.join(', ')}`).optional(),
    strict: z.boolean('must be true or false').optional(),
    moderate: z
      .enum(moderationMoments, `must be one of ${moderationMoments.join(', ')}`)
      .nullable()
      .optional(),
    moderationModel: modelName.nullable().optional(),
    labels,
    subTokensMax: count(tokenBounds.subTokensMax),
    budgets: budgetsSchema(nowMs),
    endUsers: endUserTermsSchema(nowMs),
    maySteer: z.boolean('must be true or false').optional(),
    mayExplain: z.boolean('must be true or false').optional(),
  });
}

export function newTokenSchema(rules: TokenRules) {
  return tokenChangesSchema(rules).extend({ name: termFields.name });
}

export type TokenChanges = z.input<ReturnType<typeof tokenChangesSchema>>;
export type CheckedTokenChanges = z.output<ReturnType<typeof tokenChangesSchema>>;
export type NewToken = z.input<ReturnType<typeof newTokenSchema>>;

/** A token as it is shown: everything but its secret. Amounts of money are texts; absent means no limit. */
export interface TokenView {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly state: 'active' | 'disabled' | 'expired' | 'revoked';
  /** Also where it expired or was revoked since. */
  readonly disabled?: boolean;
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  /** The account it belongs to; absent where it has none. */
  readonly ownerId?: string;
  /** The team or project it counts against; absent where it counts against the organization alone. */
  readonly unitId?: string;
  readonly models?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly addresses?: readonly string[];
  /** Tools that providers run. Empty: none; absent: those that the budget allows. */
  readonly tools?: readonly string[];
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrency?: number;
  readonly budget?: BudgetView;
  readonly strict: boolean;
  /** What must pass moderation, and the moderation model where the operator set one. */
  readonly moderate?: ModerationMoment;
  readonly moderationModel?: string;
  /** The operator's routes match groups of tokens by these. */
  readonly labels?: readonly string[];
  /** How many smaller tokens it may have at a time; absent: it may create none. */
  readonly subTokensMax?: number;
  /** They count beside `budget`. */
  readonly budgets?: readonly BudgetTermsView[];
  readonly endUsers?: EndUserTermsView;
  /** May set routing options. */
  readonly maySteer: boolean;
  /** May ask where its request would be routed instead of having it answered. */
  readonly mayExplain: boolean;
}

export interface BudgetView {
  readonly limitUsd: string;
  readonly limitNano: string;
  readonly period: BudgetPeriod;
  /** Of the current period; present where one token is shown. */
  readonly spentUsd?: string;
  readonly heldUsd?: string;
  readonly leftUsd?: string;
  /** When the period ends; absent where the budget never resets. */
  readonly resetsAt?: string;
  /** Present where less is left than any request without an output limit reserves. */
  readonly least?: LeastReservationView;
}

/** The least that a conversation without an output limit reserves, and the model for which it is so. */
export interface LeastReservationView {
  readonly usd: string;
  readonly model: string;
}

export interface UsageSumView {
  /** The value of a dimension, or the day as `2030-01-31`. */
  readonly key: string;
  /** What people call it, where that differs: the name of a token or an owner. */
  readonly label: string;
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of what has a price; null where nothing of it has. */
  readonly costUsd: string | null;
  readonly costNano: string | null;
  /** How many of the requests the cost leaves out, because no price is known for what they used. */
  readonly unpriced: number;
}

/**
 * The source of a price: `provider` is the provider's own list of models, `guess` another provider's
 * price of the same model.
 */
export const priceSourceNames = ['operator', 'provider', 'table', 'guess', 'unknown', 'free'] as const;
export type PriceSourceName = (typeof priceSourceNames)[number];

/** A model that was used without a price, by the names that a price is found by. */
export interface UnpricedModelView {
  readonly provider: string;
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly lastAt: string;
  /** What was used beside tokens, by the names that cost lines are made of; absent where nothing was. */
  readonly units?: readonly string[];
}

export interface UsageRowView {
  readonly requestId: string;
  readonly at: string;
  readonly tokenId: string;
  readonly endpoint: string;
  readonly model: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly stream: boolean;
  readonly attempts: number;
  readonly status: number;
  readonly code: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of the input tokens. */
  readonly cacheReadTokens?: number;
  /** Null where no price is known for what was used. */
  readonly costUsd: string | null;
  readonly costNano: string | null;
  readonly estimated: boolean;
  /** The end user whom the request named. */
  readonly endUser?: string;
  readonly tags?: readonly string[];
  /** The provider's key that it was made with. */
  readonly keyId?: string;
  /** The price that it was charged by; absent where none is known. */
  readonly priceVersion?: string;
  /** It was charged by another provider's price of the same model or an incomplete one, which `priceVersion` names. */
  readonly guess?: true;
  readonly firstEventMs?: number;
  readonly totalMs: number;
  /** How many refused requests the row counts, where there were too many for rows of their own. */
  readonly requests?: number;
}

/** One request with everything that was tried for it. */
export interface RequestView {
  readonly requestId: string;
  /** Absent while the request runs. */
  readonly row?: UsageRowView;
  /** In the order in which they were made. */
  readonly attempts: readonly AttemptView[];
  /** The error that the client was sent, where the request was refused. */
  readonly error?: RequestErrorView;
  /** Absent where nothing was sent, and where it was not recorded. */
  readonly way?: WayView;
}

/** How a request was carried. */
export interface WayView {
  readonly lane: 'forward' | 'patch' | 'translate';
  readonly from: string;
  readonly to: string;
  /** Fields of the request that the provider did not get. */
  readonly losses: readonly string[];
  /** Fields of the reply that the client did not get. */
  readonly replyLosses: readonly string[];
}

/** Why an attempt failed, or a request was refused. Messages have at most 1 KB and no secrets. */
export interface RequestErrorView {
  readonly at: string;
  /** The provider's HTTP status, where it sent one. */
  readonly status?: number;
  readonly code: string;
  /** What the provider said; where it said nothing, what happened. */
  readonly message: string;
}

export interface AttemptView {
  readonly id: string;
  readonly at: string;
  readonly provider: string;
  readonly model: string;
  /** Absent where it was made before keys were written down. */
  readonly keyId?: string;
  /** Empty where it served, else why it did not; absent while it is open, and where it was not recorded. */
  readonly verdict?: string;
  /** Absent where it served, and where it was not recorded. */
  readonly error?: RequestErrorView;
  /** These are absent while it is open. */
  readonly settledAt?: string;
  readonly totalMs?: number;
  /** Null where no price is known for what it used. */
  readonly costUsd?: string | null;
  readonly costNano?: string | null;
  readonly estimated: boolean;
  /** A failover of the database had lost it, and it was written again; its budgets were not checked then. */
  readonly recovered?: true;
}
