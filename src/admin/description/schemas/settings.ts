/** Replies about settings, the home page and the configuration as a file. */

import { z } from 'zod';
import type { ExportView } from '../../contracts/configuration-contract.ts';
import type { HomeTextView, SettingDetailView } from '../../contracts/settings-contract.ts';
import { reply } from '../schema-names.ts';

export const settingDetail = reply<SettingDetailView>()(
  'Setting',
  z.strictObject({
    key: z.string(),
    variable: z.string().exactOptional(),
    origin: z.enum(['default', 'file', 'environment', 'console']),
    shown: z.string().describe('Printable; a secret shows as `set` or `not set`.'),
    value: z.unknown().exactOptional(),
    defaultShown: z.string(),
    unit: z.string(),
    meaning: z.string(),
    allowed: z.string(),
    control: z.union([
      z.strictObject({ kind: z.literal('switch') }),
      z.strictObject({ kind: z.literal('number'), min: z.number(), max: z.number() }),
      z.strictObject({ kind: z.literal('choice'), choices: z.array(z.string()) }),
      z.strictObject({ kind: z.literal('text') }),
      z.strictObject({ kind: z.literal('list') }),
    ]),
    change: z
      .enum(['live', 'start', 'locked'])
      .describe(
        '`live`: changed here, in effect at once. `start`: changed in file or environment, in effect at the next start. `locked`: set by file or environment.',
      ),
  }),
);

export const homeText = reply<HomeTextView>()(
  'HomeText',
  z.strictObject({
    shown: z.boolean(),
    title: z.string().exactOptional().describe('Plain text, one paragraph a line; absent means Weir’s own.'),
    text: z.string().exactOptional(),
    locked: z.boolean(),
  }),
);

export const exported = reply<ExportView>()(
  'ConfigurationFile',
  z.strictObject({
    yaml: z.string(),
    variables: z
      .array(z.string())
      .describe('Variables that must be set where the file is used, since keys are not written into it.'),
  }),
);
