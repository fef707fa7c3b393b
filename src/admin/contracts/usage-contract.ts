/** What the console, the command line and the admin interface exchange: the schemas of their input and the shapes of their output. */

import { z } from 'zod';
import { isNetwork } from '../../access/address.ts';
import type { BudgetPeriod } from '../../access/caller.ts';
import { nanoFromUsd } from '../../ledger/money.ts';

export const budgetPeriods = ['total', 'day', 'week', 'month'] as const satisfies readonly BudgetPeriod[];

/** What of a conversation must pass moderation: the request, the reply, or both. */
export const moderationMoments = ['before', 'after', 'both'] as const;
export type ModerationMoment = (typeof moderationMoments)[number];

export const tokenBounds = {
  nameLengthMax: 100,
  listEntriesMax: 200,
  globLengthMax: 200,
  labelsMax: 16,
  labelLengthMax: 64,
  rpmMax: 1_000_000_000,
  tpmMax: 1_000_000_000_000,
  concurrencyMax: 1_000_000,
  subTokensMax: 10_000,
  overlapMsMax: 30 * 24 * 60 * 60 * 1_000,
} as const;

export interface TokenRules {
  /** Names of the route table. */
  readonly endpoints: readonly string[];
  readonly nowMs: () => number;
}

/** Control characters, broken surrogates, line separators, and marks that turn the direction of a line around. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const name = z
  .string('must be text')
  .trim()
  .refine((text) => text.length > 0 && [...text].length <= tokenBounds.nameLengthMax, {
    error: `must have 1 to ${tokenBounds.nameLengthMax} characters`,
  })
  .refine((text) => !unprintable.test(text), { error: 'must not contain control characters' });

const count = (most: number) => {
  const error = `must be a whole number from 1 to ${most}, or null for no limit`;
  return z.number(error).int(error).min(1, error).max(most, error).nullable().optional();
};

/** An empty list is refused: one reader could take it as no access, another as full access. */
const list = (entry: z.ZodType<string>, of: string) =>
  z
    .array(entry, `must be a list of ${of}, or null for all`)
    .min(1, 'must not be empty; leave it out, or give null, to allow all')
    .max(tokenBounds.listEntriesMax, `must have at most ${tokenBounds.listEntriesMax} entries`)
    .nullable()
    .optional();

const glob = z
  .string('must be a model name or a pattern such as gpt-*')
  .regex(/^[\x21-\x7e]+$/, 'must be a model name or a pattern such as gpt-*')
  .max(tokenBounds.globLengthMax, `must have at most ${tokenBounds.globLengthMax} characters`);

const modelName = z
  .string('must be the name of a model')
  .regex(/^[\x21-\x7e]+$/, 'must be the name of a model')
  .max(tokenBounds.globLengthMax, `must have at most ${tokenBounds.globLengthMax} characters`);

const labelRule = `must be letters, digits, _, . or -, at most ${tokenBounds.labelLengthMax} of them`;
const labels = z
  .array(
    z
      .string(labelRule)
      .regex(/^[\w.-]+$/, labelRule)
      .max(tokenBounds.labelLengthMax, labelRule),
    'must be a list of labels, or null for none',
  )
  .min(1, 'must not be empty; leave it out, or give null, for none')
  .max(tokenBounds.labelsMax, `must have at most ${tokenBounds.labelsMax} entries`)
  .transform((given) => [...new Set(given)])
  .nullable()
  .optional();

const network = z
  .string('must be a network such as 10.0.0.0/8 or 2001:db8::/32')
  .refine(isNetwork, { error: 'must be a network such as 10.0.0.0/8 or 2001:db8::/32' });

const isoDate = z.iso.date();
const isoInstant = z.iso.datetime({ offset: true });

const expiry = (nowMs: () => number) =>
  z
    .string('must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z, or null for never')
    .transform((text, context) => {
      const atMs =
        isoDate.safeParse(text).success || isoInstant.safeParse(text).success ? Date.parse(text) : Number.NaN;
      if (Number.isNaN(atMs)) {
        context.addIssue('must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z (a time needs its zone)');
      } else if (atMs <= nowMs()) {
        context.addIssue('must be in the future');
      }
      return atMs;
    })
    .nullable()
    .optional();

const budgetError = 'must be an amount above 0 such as 5 or "0.25", with at most 9 decimals, or null for none';
const budget = z
  .union([z.string(), z.number()], budgetError)
  .transform((usd, context) => {
    const nano = nanoFromUsd(usd);
    if (nano === undefined || nano <= 0n) context.addIssue(budgetError);
    return nano ?? 0n;
  })
  .nullable()
  .optional();

/** The same rules hold for the terms of teams, projects and people. */
export const termFields = { name, count, list, glob, labels, network, expiry };

/** Null removes a limit, also one that would come from the defaults; absent leaves it as it is. */
export function tokenChangesSchema({ endpoints, nowMs }: TokenRules) {
  const endpoint = z.string().refine((text) => endpoints.includes(text), {
    error: `must be one of ${endpoints.join(', ')}`,
  });
  return z.strictObject({
    name: name.optional(),
    disabled: z.boolean('must be true or false').optional(),
    expiresAt: expiry(nowMs),
    models: list(glob, 'model names or patterns'),
    endpoints: list(endpoint, 'endpoint names'),
    addresses: list(network, 'networks'),
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
    maySteer: z.boolean('must be true or false').optional(),
    mayExplain: z.boolean('must be true or false').optional(),
  });
}

export function newTokenSchema(rules: TokenRules) {
  return tokenChangesSchema(rules).extend({ name });
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
  /** The provider's key that it was made with. */
  readonly keyId?: string;
  /** The price that it was charged by; absent where none is known. */
  readonly priceVersion?: string;
  /** It was charged by another provider's price of the same model, which `priceVersion` names. */
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
}
