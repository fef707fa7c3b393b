/** Replies about models and the routes that lead to them. */

import { z } from 'zod';
import type { ModelView } from '../../contracts/account-contract.ts';
import type {
  ModelDetailView,
  RouteEntry,
  RouteView,
  TargetEntry,
  TargetPriceView,
} from '../../contracts/configuration-contract.ts';
import { capabilityNames } from '../../contracts/configuration-contract.ts';
import { healthStates } from '../../contracts/health-contract.ts';
import { priceSourceNames } from '../../contracts/usage-contract.ts';
import { day, reply } from '../schema-names.ts';
import { shownHealthFields } from './health.ts';

const targetEntry = reply<TargetEntry>()(
  'TargetEntry',
  z.strictObject({
    provider: z.string(),
    model: z.string(),
    weight: z.number().exactOptional(),
    tier: z.number().exactOptional(),
    first_event_timeout_ms: z.number().exactOptional(),
    only: z
      .strictObject({
        operations: z.array(z.string()).exactOptional(),
        input: z.array(z.string()).exactOptional(),
        input_tokens_max: z.number().exactOptional(),
        region: z.string().exactOptional(),
        labels: z.array(z.string()).exactOptional(),
      })
      .exactOptional(),
  }),
);

const routeEntry = reply<RouteEntry>()(
  'RouteEntry',
  z.strictObject({
    targets: z.array(targetEntry),
    choose: z.enum(['weighted', 'least_busy', 'fastest', 'cheapest']).exactOptional(),
    affinity: z.boolean().exactOptional(),
    moderation: z.enum(['before', 'after', 'both']).exactOptional(),
  }),
);

export const route = reply<RouteView>()(
  'Route',
  z.strictObject({
    alias: z.string(),
    origin: z.enum(['file', 'environment', 'local', 'built-in', 'console']),
    originText: z.string(),
    locked: z.boolean(),
    problem: z.string().exactOptional(),
    entry: routeEntry,
  }),
);

const targetPrice = reply<TargetPriceView>()(
  'TargetPrice',
  z.strictObject({
    provider: z.string(),
    model: z.string(),
    source: z.enum(priceSourceNames),
    version: z.string(),
    lines: z
      .array(z.strictObject({ class: z.string(), usd: z.string(), per: z.string() }))
      .describe('One line for each class that is charged.'),
  }),
);

export const modelDetail = reply<ModelDetailView>()(
  'ModelDetail',
  z.strictObject({
    id: z.string(),
    alias: z.boolean(),
    route: route.exactOptional().describe('The route that leads to it; absent where it is simply a provider’s model.'),
    choose: z.string(),
    affinity: z.boolean(),
    targets: z.array(
      z.strictObject({
        ...shownHealthFields.shape,
        provider: z.string(),
        model: z.string(),
        tier: z.number(),
        weight: z.number(),
        inFlight: z.number(),
        formats: z.array(z.string()),
      }),
    ),
    prices: z.array(targetPrice),
    operations: z.array(z.string()),
    capabilities: z
      .array(z.enum(capabilityNames))
      .describe('What a conversation with it can use; empty where that is not known.'),
    contextTokens: z.number().exactOptional(),
    outputTokensMax: z.number().exactOptional().describe('The most that one reply can have.'),
    deprecatedAt: day
      .exactOptional()
      .describe(
        'Days in UTC, as `2026-11-16`: since when its provider advises against it, and when it stops serving it.',
      ),
    shutdownAt: day.exactOptional(),
    inputModalities: z.array(z.string()).exactOptional(),
    outputModalities: z.array(z.string()).exactOptional(),
    description: z.string().exactOptional(),
  }),
);

export const model = reply<ModelView>()(
  'Model',
  z.strictObject({
    id: z.string(),
    alias: z.boolean().describe('A name that the operator made up, rather than a provider’s.'),
    providers: z.array(z.string()),
    targets: z.array(
      z.strictObject({
        provider: z.string(),
        model: z.string(),
        tier: z.number(),
        weight: z.number(),
        state: z.enum(healthStates),
      }),
    ),
    health: shownHealthFields.describe('The worst state of its targets, and the figures of all of them.'),
    operations: z.array(z.string()),
    contextTokens: z.number().exactOptional(),
    inputModalities: z.array(z.string()).exactOptional(),
    outputModalities: z.array(z.string()).exactOptional(),
    description: z.string().exactOptional(),
    deprecatedAt: day
      .exactOptional()
      .describe(
        'Days in UTC, as `2026-11-16`: since when its provider advises against it, and when it stops serving it.',
      ),
    shutdownAt: day.exactOptional(),
    pricing: z
      .strictObject({
        prompt: z.string().exactOptional(),
        completion: z.string().exactOptional(),
        source: z.enum(priceSourceNames),
        version: z.string().exactOptional(),
      })
      .exactOptional()
      .describe('USD per token as decimal texts, absent where no price is known; who says so; and in which version.'),
  }),
);
