/** The routes of providers and presets, for the description. */

import { fileProvider } from '../../../config/file-schema.ts';
import { providerPauseSchema } from '../../configuration/pause-provider.ts';
import { newProviderSchema, providerChangesSchema } from '../../configuration/provider-admin.ts';
import { json, type KeyRouteName, type RouteDescription } from '../route-description.ts';
import { body, emptyBody, listOf } from '../schema-names.ts';
import { changedProvider, configuredProvider, preset, providerTrial } from '../schemas/providers.ts';

/** Keys come beside the entry, and a file of the machine only from `weir.yaml`. */
const fileOnly = { key: true, key_env: true, key_file: true, keys: true, ca_file: true } as const;
const entry = body('NewProviderEntry', fileProvider().omit(fileOnly), {
  kind: 'The name of a preset or of a wire format; the name of the provider by default.',
  base_url: 'A full URL with its version path; the preset’s by default.',
  models: 'The models to serve, for a provider that cannot list them.',
  headers: 'Sent with every request.',
  settings: 'Values for the placeholders of the preset’s URL.',
  proxy: 'The URL of a proxy, or `none`.',
  profiles: 'What models accept there, by patterns of their names.',
  routes_elsewhere:
    'Whether it passes requests on to other providers, so that undocumented fields are left out for limited tokens.',
  reports_cost: 'Whether its replies state their cost in USD, which is charged then.',
  results: 'Whether results are downloaded and kept, or fetched from the provider on request.',
});
const newProvider = body('NewProvider', newProviderSchema.extend({ entry }), {
  entry: 'As in `providers` of `weir.yaml`, without keys.',
  keys: 'Stored encrypted and never shown again.',
});
const providerChanges = body('ProviderChanges', providerChangesSchema.extend({ entry: entry.optional() }), {
  entry: 'The whole new entry. Where it leads elsewhere, keys and hidden headers are removed.',
  draining: 'Take no new requests; those in flight continue.',
  removeKeys: 'IDs of keys.',
});
const pause = body('ProviderPause', providerPauseSchema);

const figures = { attempts: 120, failed: 2, errorRate: 0.0167, totalMs: { p50: 1_200, p95: 4_800 } };
const lab = {
  name: 'lab',
  kind: 'openai-chat',
  origin: 'console',
  originText: 'the console',
  locked: false,
  state: 'serving',
  baseUrl: 'https://models.example.com/v1',
  entry: { kind: 'openai-chat', base_url: 'https://models.example.com/v1' },
  keys: [{ ...figures, id: 'main', ending: '9f3c', locked: false, state: 'healthy' }],
  free: false,
  models: ['lab-chat-1'],
  health: { ...figures, provider: 'lab', state: 'healthy', inFlight: 1, minutes: [{ attempts: 3, failed: 0 }] },
  targets: [{ ...figures, provider: 'lab', model: 'lab-chat-1', state: 'healthy', inFlight: 1 }],
  routes: ['fast'],
} as const;

const draft = {
  name: 'lab',
  entry: { kind: 'openai-chat', base_url: 'https://models.example.com/v1' },
  keys: [{ id: 'main', value: 'sk-…9f3c' }],
};

export const providerRoutes = {
  'GET /console/api/presets': {
    call: 'providers.presets',
    summary: 'List the providers that Weir knows by name.',
    reply: json(listOf('Preset', preset), {
      items: [
        {
          kind: 'openai-chat',
          title: 'Any server that speaks the chat format',
          group: 'format',
          baseUrl: '',
          needsKey: false,
          needsBaseUrl: true,
          settings: [],
          listsModels: true,
          operations: ['converse', 'embed'],
          synonyms: ['compatible'],
          configured: false,
        },
      ],
    }),
  },
  'GET /console/api/providers': {
    call: 'providers.list',
    summary: 'List the providers with their keys, models and health.',
    reply: json(listOf('Provider', configuredProvider), { items: [lab] }),
  },
  'POST /console/api/providers': {
    call: 'providers.create',
    summary: 'Add a provider.',
    body: json(newProvider, draft),
    reply: json(configuredProvider, lab),
  },
  'POST /console/api/providers/trial': {
    call: 'providers.tryDraft',
    summary: 'Check a provider that is not saved, by its list of models. Nothing is charged.',
    body: json(newProvider, draft),
    reply: json(providerTrial, { ok: true, latencyMs: 240, models: ['lab-chat-1'] }),
  },
  'PATCH /console/api/providers/{name}': {
    call: 'providers.change',
    summary: 'Change a provider that was added here.',
    body: json(providerChanges, { addKeys: [{ id: 'second', value: 'sk-…71aa' }], removeKeys: ['main'] }),
    reply: json(changedProvider, lab),
  },
  'DELETE /console/api/providers/{name}': {
    call: 'providers.remove',
    summary: 'Delete a provider that was added here, with its keys.',
  },
  'POST /console/api/providers/{name}/trial': {
    call: 'providers.try',
    summary: 'Check a provider by its list of models. Nothing is charged.',
    body: json(emptyBody, {}),
    reply: json(providerTrial, {
      ok: false,
      latencyMs: 180,
      models: [],
      error: {
        code: 'upstream_refused',
        message: 'The provider rejected the key.',
        status: 401,
        hint: 'Check the key.',
      },
    }),
  },
  'POST /console/api/providers/{name}/pause': {
    call: 'providers.pause',
    summary: 'Pause a provider that is configured in a file or variable, or resume it.',
    body: json(pause, { paused: true }),
    reply: json(configuredProvider, {
      ...lab,
      origin: 'file',
      originText: 'weir.yaml, line 12',
      locked: true,
      state: 'paused',
      pausedAt: '2026-11-17T10:00:00.000Z',
    }),
  },
} as const satisfies Partial<Record<KeyRouteName, RouteDescription>>;
