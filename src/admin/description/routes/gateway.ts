/** The routes of health, settings, the home page and the configuration file, for the description. */

import { homeSchema, settingChangesSchema } from '../../configuration/settings.ts';
import { json, type KeyRouteName, type RouteDescription } from '../route-description.ts';
import { body, listOf } from '../schema-names.ts';
import { health } from '../schemas/health.ts';
import { exported, homeText, settingDetail } from '../schemas/settings.ts';

const settingChanges = body('SettingChanges', settingChangesSchema, {
  values: 'By key, such as `limits.requests`; null returns to the default.',
});
const homeChanges = body('HomeTextChanges', homeSchema, {
  title: 'Null returns to Weir’s own.',
  text: 'One paragraph a line; null returns to Weir’s own.',
  locked: 'Changes nothing.',
});

const settings = listOf('Setting', settingDetail);

const setting = {
  key: 'content_storage.requests',
  variable: 'WEIR_CONTENT_STORAGE_REQUESTS',
  origin: 'console',
  shown: 'true',
  value: true,
  defaultShown: 'false',
  unit: '',
  meaning: 'Store the content of requests and replies.',
  allowed: 'true or false',
  control: { kind: 'switch' },
  change: 'live',
} as const;

export const gatewayRoutes = {
  'GET /console/api/health': {
    call: 'health.get',
    summary: 'Get the health of providers, targets and keys in the last hour.',
    reply: json(health, {
      providers: [
        {
          attempts: 120,
          failed: 2,
          errorRate: 0.0167,
          provider: 'lab',
          state: 'healthy',
          inFlight: 1,
          minutes: [{ attempts: 3, failed: 0 }],
        },
      ],
      targets: [
        {
          attempts: 120,
          failed: 2,
          provider: 'lab',
          model: 'lab-chat-1',
          state: 'rate-limited',
          readyInMs: 4_000,
          inFlight: 1,
        },
      ],
      keys: [{ attempts: 120, failed: 2, provider: 'lab', keyId: 'main', state: 'healthy' }],
    }),
  },
  'GET /console/api/settings': {
    call: 'settings.list',
    summary: 'List every setting with its value, its origin and its allowed values.',
    reply: json(settings, { items: [setting] }),
  },
  'PATCH /console/api/settings': {
    call: 'settings.change',
    summary: 'Change settings that take effect at once: all of them, or none.',
    body: json(settingChanges, { values: { 'content_storage.requests': true } }),
    reply: json(settings, { items: [setting] }),
  },
  'GET /console/api/home': {
    call: 'home.get',
    summary: 'Get the text of the home page.',
    reply: json(homeText, { shown: true, title: 'Models of Example Inc.', locked: false }),
  },
  'PATCH /console/api/home': {
    call: 'home.change',
    summary: 'Change the text of the home page, or hide the page.',
    body: json(homeChanges, { title: 'Models of Example Inc.' }),
    reply: json(homeText, { shown: true, title: 'Models of Example Inc.', locked: false }),
  },
  'GET /console/api/export': {
    call: 'configuration.export',
    summary: 'Get what was configured here as a part of `weir.yaml`.',
    reply: json(exported, {
      yaml: 'providers:\n  lab:\n    kind: openai-chat\n    base_url: https://models.example.com/v1\n',
      variables: ['WEIR_KEY_LAB_MAIN'],
    }),
  },
} as const satisfies Partial<Record<KeyRouteName, RouteDescription>>;
