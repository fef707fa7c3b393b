/** The explanation of a request’s route. */

import { z } from 'zod';
import type {
  ExplainedBudget,
  ExplainedCandidate,
  ExplainedExclusion,
  ExplainedFact,
  ExplainedLimits,
  Explanation,
} from '../../../relay/explain/explanation.ts';
import { priceSourceNames } from '../../contracts/usage-contract.ts';
import { reply } from '../schema-names.ts';

const limitLeft = z.strictObject({ limit: z.number(), left: z.number() });

const explainedFact = reply<ExplainedFact>()(
  'ExplainedFact',
  z.strictObject({
    field: z.string().describe('As `profiles` in `weir.yaml` spell it.'),
    value: z.unknown(),
    from: z
      .string()
      .describe(
        'The family, the preset, the provider’s list, the price table, the operator, or a refusal and its time.',
      ),
  }),
);

const explainedCandidate = reply<ExplainedCandidate>()(
  'ExplainedCandidate',
  z.strictObject({
    provider: z.string(),
    model: z.string().describe('The name that the model has there.'),
    tier: z.number(),
    weight: z.number(),
    region: z.string().nullable(),
    state: z.enum(['ready', 'cooling', 'open', 'probing']),
    ready_in_ms: z.number().nullable().describe('Null where it is unknown: a probe is running, or there is no key.'),
    keys_ready: z.number(),
    keys: z.number(),
    in_flight: z.number(),
    lane: z.enum(['forward', 'patch', 'translate']),
    format: z.string().describe('The provider’s format or wire.'),
    losses: z.array(z.strictObject({ what: z.string(), why: z.string() })),
    learned: z
      .array(z.strictObject({ what: z.string(), at: z.string() }))
      .exactOptional()
      .describe(
        'Parameters that the provider refused recently; requests are written without them. Absent where there are none.',
      ),
    price_bound_usd: z
      .string()
      .nullable()
      .describe('The most that the request can cost there; null where no price says it.'),
    price_version: z.string().nullable(),
    price_source: z
      .enum(priceSourceNames)
      .describe(
        'Where the price comes from; `guess` is another provider’s price of the same model, or an incomplete one.',
      ),
    profile: z
      .array(explainedFact)
      .describe('What is known of the model there; it decides what is sent. Of conversations only.'),
  }),
);

const explainedExclusion = reply<ExplainedExclusion>()(
  'ExplainedExclusion',
  z.strictObject({
    provider: z.string(),
    model: z.string(),
    why: z.string(),
    code: z
      .string()
      .exactOptional()
      .describe(
        'Present where it was found out while the request was written for it: the error that the attempt would give.',
      ),
  }),
);

const explainedBudget = reply<ExplainedBudget>()(
  'ExplainedBudget',
  z.strictObject({
    level: z.string(),
    name: z.string(),
    id: z.string(),
    unit: z.string(),
    limit: z.string(),
    spent: z.string(),
    held: z.string(),
    period: z.string(),
    models: z.array(z.string()).exactOptional(),
  }),
);

const explainedLimits = reply<ExplainedLimits>()(
  'ExplainedLimits',
  z.strictObject({
    requests_per_minute: limitLeft.exactOptional(),
    tokens_per_minute: limitLeft.exactOptional(),
    concurrency: limitLeft.exactOptional(),
    budget: z
      .strictObject({ limit_usd: z.string(), spent_usd: z.string(), held_usd: z.string(), period: z.string() })
      .exactOptional(),
    budgets: z.array(explainedBudget).exactOptional().describe('Of all levels but the token’s own budget.'),
  }),
);

export const explanation = reply<Explanation>()(
  'Explanation',
  z.strictObject({
    object: z.literal('weir.explanation'),
    model: z.string().describe('As the caller named it, or as Weir chose it where the caller named none.'),
    operation: z.string(),
    strategy: z.enum(['weighted', 'least_busy', 'fastest', 'cheapest']),
    drawn: z.boolean().describe('Equal candidates were ordered at random; another request may get another order.'),
    affinity: z
      .strictObject({ kind: z.enum(['session', 'prefix']).nullable(), key: z.string().nullable() })
      .describe('What keeps the request with one target, where anything decided that.'),
    candidates: z
      .array(explainedCandidate)
      .describe('In the order in which they are tried; those that are not ready are skipped until they are.'),
    excluded: z.array(explainedExclusion),
    limits: explainedLimits.describe('Only those that the token has.'),
  }),
);
