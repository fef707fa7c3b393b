/** Replies about providers and presets. */

import { z } from 'zod';
import type {
  ChangedProviderView,
  ConfiguredKeyView,
  ConfiguredProviderView,
  PresetView,
  ProviderEntry,
  ProviderTrialView,
  RemovedSecrets,
} from '../../contracts/configuration-contract.ts';
import { reply, time } from '../schema-names.ts';
import { keyHealth, providerHealth, targetHealth } from './health.ts';

const providerEntry = reply<ProviderEntry>()(
  'ProviderEntry',
  z.strictObject({
    kind: z.string().exactOptional(),
    base_url: z.string().exactOptional(),
    models: z.array(z.string()).exactOptional(),
    headers: z.record(z.string(), z.string()).exactOptional(),
    settings: z.record(z.string(), z.string()).exactOptional(),
    region: z.string().exactOptional(),
    proxy: z.string().exactOptional(),
    results: z.enum(['keep', 'proxy']).exactOptional(),
    routes_elsewhere: z.boolean().exactOptional(),
    reports_cost: z.boolean().exactOptional(),
    profiles: z
      .record(z.string(), z.custom<object>())
      .exactOptional()
      .describe('What models take there, by patterns of their names.'),
    enabled: z.boolean().exactOptional(),
  }),
);

const configuredKey = reply<ConfiguredKeyView>()(
  'ProviderKey',
  z.strictObject({
    ...keyHealth.omit({ provider: true, keyId: true }).shape,
    id: z.string(),
    ending: z
      .string()
      .exactOptional()
      .describe('The last four characters, to tell several keys apart; absent where the key is short.'),
    locked: z.boolean().describe('Configured in a file or variable, and changed only there.'),
  }),
);

export const configuredProvider = reply<ConfiguredProviderView>()(
  'Provider',
  z.strictObject({
    name: z.string(),
    kind: z.string(),
    origin: z.enum(['file', 'environment', 'local', 'built-in', 'console']),
    originText: z.string().describe('In words, such as `weir.yaml, line 12`.'),
    locked: z.boolean(),
    state: z
      .enum(['serving', 'draining', 'paused', 'disabled'])
      .describe('`paused`: configured in a file or variable, and paused here.'),
    pausedAt: time.exactOptional().describe('Present where it is paused.'),
    problem: z
      .string()
      .exactOptional()
      .describe('Where a console entry became wrong, for example because the file now has the same name.'),
    baseUrl: z.string().describe('As it is in effect, without credentials.'),
    entry: providerEntry,
    keys: z.array(configuredKey),
    free: z.boolean(),
    models: z.array(z.string()).exactOptional().describe('Absent until the provider has listed them.'),
    health: providerHealth,
    targets: z.array(targetHealth).describe('Those that were called, or cannot be.'),
    routes: z.array(z.string()).describe('Names of routes that lead here.'),
  }),
);

const removedSecrets = reply<RemovedSecrets>()(
  'RemovedSecrets',
  z.strictObject({
    because: z
      .array(z.string())
      .describe('The fields that changed, as `weir.yaml` spells them: `base_url`, `proxy`, `headers.host`.'),
    keys: z.array(z.string()).describe('IDs.'),
    headers: z.array(z.string()),
  }),
);

export const changedProvider = reply<ChangedProviderView>()(
  'ChangedProvider',
  z.strictObject({
    ...configuredProvider.shape,
    removed: removedSecrets.exactOptional(),
  }),
);

export const providerTrial = reply<ProviderTrialView>()(
  'ProviderTrial',
  z.strictObject({
    ok: z.boolean(),
    latencyMs: z.number(),
    models: z.array(z.string()),
    error: z
      .strictObject({
        code: z.string(),
        message: z.string(),
        status: z.number().exactOptional(),
        body: z.string().exactOptional(),
        hint: z.string(),
      })
      .exactOptional()
      .describe('The exact refusal, with every key taken out.'),
  }),
);

export const preset = reply<PresetView>()(
  'Preset',
  z.strictObject({
    kind: z.string(),
    title: z.string(),
    group: z.enum(['maker', 'host', 'cloud', 'plan', 'media', 'local', 'format']),
    baseUrl: z.string().describe('May have placeholders such as `{region}`, which the settings fill.'),
    needsKey: z.boolean(),
    needsBaseUrl: z.boolean(),
    settings: z.array(z.strictObject({ name: z.string(), required: z.boolean(), example: z.string() })),
    keyVariable: z.string().exactOptional(),
    listsModels: z.boolean().describe('It can be asked for its models.'),
    operations: z.array(z.string()),
    synonyms: z.array(z.string()).describe('Other words by which people look for it.'),
    configured: z.boolean().describe('A provider of this kind is there already.'),
  }),
);
