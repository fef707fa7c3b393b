/** What `weir.yaml` may say about the issuers of JSON Web Tokens, and how it becomes their configuration. */

import { z } from 'zod';
import { nanoFromUsd } from '../ledger/money.ts';
import { builtOnce } from '../settings/built-once.ts';
import { type JwtBudget, type JwtIssuerConfig, type JwtRule, signatureAlgorithms } from '../settings/jwt-settings.ts';
import { names } from '../settings/values.ts';
import { endpointNames } from '../snippets/endpoints.ts';
import { type Problem, showFound } from './problem.ts';
import { issuerUrl } from './sign-in-schema.ts';

const filled = (error: string) => z.string({ error }).min(1, { error });
function whole(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

const amountMax = 1_000_000_000_000_000;
const limitAllowed = 'an amount above 0: USD such as 5 or "0.25", or a whole number of requests or tokens';
const claimName = () => filled('the name of a claim');

const budget = builtOnce(() =>
  z
    .strictObject(
      {
        unit: z.enum(['usd', 'requests', 'tokens'], { error: 'usd, requests or tokens' }),
        limit: z.union([z.string(), z.number()], { error: limitAllowed }).optional(),
        limit_claim: claimName().optional(),
        period: z.enum(['day', 'week', 'month', 'total'], { error: 'day, week, month or total' }),
        models: names('a list of model names or patterns').schema.optional(),
      },
      { error: 'a map with unit, limit and period' },
    )
    .refine(({ limit, limit_claim: claim }) => (limit === undefined) !== (claim === undefined), {
      error: 'a budget with either limit or limit_claim',
    })
    .refine(({ unit, limit }) => limit === undefined || amountOf(unit, limit) !== undefined, { error: limitAllowed }),
);

/** Nano-USD, requests or tokens; undefined for what is no amount. */
export function amountOf(unit: JwtBudget['unit'], given: string | number): bigint | undefined {
  if (unit === 'usd') {
    const nano = nanoFromUsd(given);
    return nano === undefined || nano === 0n ? undefined : nano;
  }
  const amount = typeof given === 'number' ? given : /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  return Number.isSafeInteger(amount) && amount > 0 && amount <= amountMax ? BigInt(amount) : undefined;
}

const patternAllowed = 'a text, a number, true or false, or a list of them, with * as wildcard in texts';
const pattern = () =>
  z.union([filled(patternAllowed), z.number(), z.boolean()], { error: patternAllowed }).transform(String);
const patterns = () =>
  z.union([pattern().transform((one) => [one]), z.array(pattern()).min(1)], { error: patternAllowed });

const endpoint = () =>
  z.enum(endpointNames as readonly [string, ...string[]], {
    error: `one of ${endpointNames.join(', ')}`,
  });

const rule = builtOnce(() =>
  z
    .strictObject(
      {
        match: z.record(z.string().min(1), patterns(), { error: 'a map of claims to patterns' }).optional(),
        team: filled('the name or id of a team').optional(),
        team_claim: claimName().optional(),
        project: filled('the name or id of a project').optional(),
        models: names('a list of model names or patterns').schema.optional(),
        models_claim: claimName().optional(),
        endpoints: z.array(endpoint(), { error: 'a list of endpoints' }).min(1).optional(),
        tools: z
          .array(filled('the name or pattern of a tool'), { error: 'a list of tools; empty for none' })
          .optional(),
        budgets: z.array(budget(), { error: 'a list of budgets' }).max(16, { error: 'at most 16 budgets' }).optional(),
        rpm: whole(1, 1_000_000).optional(),
        tpm: whole(1, 1_000_000_000).optional(),
        concurrency: whole(1, 100_000).optional(),
        labels: names('a list of labels').schema.optional(),
      },
      { error: 'a map with match, team, models, budgets and so on' },
    )
    .refine(({ team, team_claim: claim }) => team === undefined || claim === undefined, {
      error: 'a rule with team or team_claim, not both',
    })
    .refine(({ models, models_claim: claim }) => models === undefined || claim === undefined, {
      error: 'a rule with models or models_claim, not both',
    })
    .refine((given) => given.project === undefined || given.team !== undefined || given.team_claim !== undefined, {
      error: 'a project together with its team',
    }),
);

const algorithm = () =>
  z.enum(signatureAlgorithms as readonly [string, ...string[]], {
    error: `one of ${signatureAlgorithms.join(', ')}`,
  });
const audiencesAllowed = 'a list of audiences, of which a JWT must have one in aud';

const issuer = builtOnce(() =>
  z.strictObject(
    {
      issuer: issuerUrl(),
      jwks_url: issuerUrl().optional(),
      audiences: z.array(filled(audiencesAllowed), { error: audiencesAllowed }).min(1, { error: audiencesAllowed }),
      algorithms: z.array(algorithm(), { error: 'a list of algorithms' }).min(1).optional(),
      subject_claim: claimName().optional(),
      rules: z
        .array(rule(), { error: 'a list of rules; one with an empty match admits every JWT of the issuer' })
        .min(1, { error: 'a list of one rule or more' })
        .max(1_000, { error: 'at most 1000 rules' }),
      max_lifetime_s: whole(60, 31_536_000).optional(),
      clock_skew_s: whole(0, 600).optional(),
      subjects_max: whole(1, 1_000_000).optional(),
    },
    { error: 'a map with issuer, audiences, rules and so on' },
  ),
);

const name = () =>
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, { error: 'a name of lower-case letters, digits and dashes' });

export const jwtIssuersSchema = builtOnce(() =>
  z
    .record(
      name(),
      z.preprocess((value) => value ?? {}, issuer()),
      { error: 'a map of issuers' },
    )
    .nullish(),
);

export type FileJwtIssuers = Readonly<Record<string, z.output<ReturnType<typeof issuer>>>>;

/** `path` begins with the name of the issuer. */
export function jwtKeysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.includes('budgets')) return Object.keys(budget().shape);
  return path[1] === 'rules' ? Object.keys(rule().shape) : Object.keys(issuer().shape);
}

/** Every issuer of the file, and what is wrong with them beyond the shape. */
export function readJwtIssuers(
  issuers: FileJwtIssuers,
  source: string,
): { readonly list: readonly JwtIssuerConfig[]; readonly problems: readonly Problem[] } {
  const list: JwtIssuerConfig[] = [];
  const problems: Problem[] = [];
  for (const [issuerName, entry] of Object.entries(issuers)) {
    const twin = list.find((other) => other.issuer === entry.issuer);
    if (twin !== undefined) {
      const allowed = `an issuer that no other entry has; ${twin.name} has this one`;
      problems.push({ key: `jwt.issuers.${issuerName}.issuer`, source, found: showFound(entry.issuer), allowed });
    }
    list.push(issuerConfig(issuerName, entry));
  }
  return { list, problems };
}

const issuerConfig = (issuerName: string, entry: FileJwtIssuers[string]): JwtIssuerConfig => ({
  name: issuerName,
  issuer: entry.issuer,
  jwksUrl: entry.jwks_url,
  audiences: entry.audiences,
  algorithms: entry.algorithms ?? signatureAlgorithms,
  subjectClaim: entry.subject_claim ?? 'sub',
  rules: entry.rules.map(ruleConfig),
  maxLifetimeS: entry.max_lifetime_s ?? 86_400,
  clockSkewS: entry.clock_skew_s ?? 60,
  subjectsMax: entry.subjects_max ?? 10_000,
});

function ruleConfig(given: z.output<ReturnType<typeof rule>>): JwtRule {
  const { match = {}, team_claim: teamClaim, models_claim: modelsClaim, budgets, ...rest } = given;
  return {
    ...rest,
    match,
    ...(teamClaim !== undefined && { team: { claim: teamClaim } }),
    ...(modelsClaim !== undefined && { models: { claim: modelsClaim } }),
    ...(budgets !== undefined && { budgets: budgets.map(budgetConfig) }),
  };
}

function budgetConfig({
  unit,
  limit = '',
  limit_claim: claim,
  period,
  models,
}: z.output<ReturnType<typeof budget>>): JwtBudget {
  return {
    unit,
    limit: claim === undefined ? (amountOf(unit, limit) ?? 0n) : { claim },
    period,
    ...(models !== undefined && { models }),
  };
}
