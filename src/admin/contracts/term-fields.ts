/** What the fields of terms have in common, of tokens and of the levels above them: their bounds, and the rules of single values. */

import { z } from 'zod';
import { isNetwork } from '../../access/address.ts';
import type { BudgetPeriod } from '../../access/caller.ts';
import { nanoFromUsd } from '../../ledger/money.ts';

export const budgetPeriods = ['total', 'day', 'week', 'month'] as const satisfies readonly BudgetPeriod[];

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

const toolRule = 'must be the name of a tool or a pattern such as web_*';
/** Unlike other lists it may be empty, which is none: tools cost beside tokens, so that there is a reason to have none. */
const tools = z
  .array(
    z
      .string(toolRule)
      .regex(/^[\x21-\x7e]+$/, toolRule)
      .max(tokenBounds.globLengthMax, `must have at most ${tokenBounds.globLengthMax} characters`),
    'must be a list of tool names or patterns; empty for none, or null for the default',
  )
  .max(tokenBounds.listEntriesMax, `must have at most ${tokenBounds.listEntriesMax} entries`)
  .nullable()
  .optional();

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

/** The same rules hold for the terms of teams, projects, people and end users. */
export const termFields = { name, count, list, glob, tools, labels, expiry, modelName, network, budget };
