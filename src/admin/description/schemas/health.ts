/** Replies about the health of providers, keys and targets. */

import { z } from 'zod';
import type {
  HealthFiguresView,
  HealthView,
  KeyHealthView,
  LastErrorView,
  PercentilesView,
  ProviderHealthView,
  ShownTargetHealth,
  TargetHealthView,
} from '../../contracts/health-contract.ts';
import { healthStates } from '../../contracts/health-contract.ts';
import { fieldsOf, reply, time } from '../schema-names.ts';

const lastError = reply<LastErrorView>()(
  'LastError',
  z.strictObject({
    at: time,
    status: z.number().exactOptional().describe('The provider’s HTTP status, where it sent one.'),
    code: z.string(),
    message: z.string(),
    model: z.string(),
    keyId: z.string(),
    requestId: z.string().exactOptional().describe('Absent where no request of its own led to it.'),
  }),
);

const percentiles = reply<PercentilesView>()(
  'Percentiles',
  z.strictObject({
    p50: z.number(),
    p95: z.number(),
  }),
);

const figureFields = fieldsOf<HealthFiguresView>()(
  z.strictObject({
    attempts: z.number(),
    failed: z.number().describe('Those that failed by the provider’s fault.'),
    errorRate: z.number().exactOptional().describe('From 0 to 1; absent without attempts.'),
    firstTokenMs: percentiles.exactOptional().describe('Of streamed replies, from the start of the attempt.'),
    totalMs: percentiles.exactOptional(),
    tokensPerSecond: z.number().exactOptional().describe('Of streamed replies, after the first token.'),
    lastError: lastError.exactOptional().describe('Also from before the last hour.'),
  }),
);

const stateFields = z.strictObject({
  state: z.enum(healthStates),
  readyInMs: z
    .number()
    .exactOptional()
    .describe('When it may be called again; absent where it may be now, and where that is not known.'),
});

export const targetHealth = reply<TargetHealthView>()(
  'TargetHealth',
  z.strictObject({
    ...figureFields.shape,
    ...stateFields.shape,
    provider: z.string(),
    model: z.string(),
    inFlight: z.number(),
    learned: z
      .array(z.strictObject({ what: z.string(), atMs: z.number() }))
      .exactOptional()
      .describe('Parameters that the provider refused recently, and when; absent where there are none.'),
  }),
);

export const keyHealth = reply<KeyHealthView>()(
  'KeyHealth',
  z.strictObject({
    ...figureFields.shape,
    ...stateFields.shape,
    provider: z.string(),
    keyId: z.string(),
    models: z
      .array(z.string())
      .exactOptional()
      .describe('Those it cools down for, where it may still be used for others.'),
  }),
);

export const providerHealth = reply<ProviderHealthView>()(
  'ProviderHealth',
  z.strictObject({
    ...figureFields.shape,
    provider: z.string(),
    state: z.enum(healthStates).describe('The worst of its keys and targets.'),
    inFlight: z.number(),
    minutes: z
      .array(z.strictObject({ attempts: z.number(), failed: z.number() }))
      .describe('The last hour by minutes, oldest first.'),
  }),
);

export const health = reply<HealthView>()(
  'Health',
  z.strictObject({
    providers: z.array(providerHealth),
    targets: z.array(targetHealth).describe('Those that were called, or cannot be.'),
    keys: z.array(keyHealth),
  }),
);

/** A member sees the state and the time to the first token only. */
export const shownHealthFields = fieldsOf<ShownTargetHealth>()(
  z.strictObject({
    ...figureFields.shape,
    attempts: z.number().exactOptional(),
    failed: z.number().exactOptional(),
    ...stateFields.shape,
    firstTokenMs: z.strictObject({ p50: z.number(), p95: z.number().exactOptional() }).exactOptional(),
  }),
);
