/** The section `alerts` of a file: channels and rules by name. A URL is a credential, so it is in a variable or a file. */

import { z } from 'zod';
import { newChannelSchema, newRuleSchema } from '../../admin/contracts/alert-contract.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { ChannelKind, RuleTerms } from '../../store/alerts/alert-records.ts';
import { type FileEntry, fieldOf, fileKeyOf, mapRule, type SectionReader } from './section-reader.ts';

export interface FileChannel {
  readonly kind: ChannelKind;
  readonly url_env?: string | undefined;
  readonly url_file?: string | undefined;
  readonly secret_env?: string | undefined;
  readonly secret_file?: string | undefined;
  readonly to?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
}

/** Channels by their names. What is absent is the default. */
export interface FileRule extends Partial<Omit<RuleTerms, 'channels' | 'kinds'>> {
  readonly kinds: RuleTerms['kinds'];
  readonly channels: readonly string[];
  readonly disabled?: boolean | undefined;
}

export interface FileAlerts {
  readonly channels?: readonly FileEntry<FileChannel>[] | undefined;
  readonly rules?: readonly FileEntry<FileRule>[] | undefined;
}

const source = z.string('must be the name of a variable or file').min(1, 'must not be empty').optional();
const channelSchema = z.strictObject(
  {
    kind: newChannelSchema.shape.kind,
    ...{ url_env: source, url_file: source, secret_env: source, secret_file: source },
    to: newChannelSchema.shape.to,
    disabled: newRuleSchema.shape.disabled,
  },
  mapRule,
);

const spelled = (shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([field, schema]) => [fileKeyOf(field), schema]));

function ruleSchema() {
  const { name: _, quiet, channels: __, ...fields } = newRuleSchema.shape;
  const hours = z.strictObject(spelled(quiet.unwrap().unwrap().shape), mapRule).nullish();
  const names = z.array(z.string('must be the name of a channel'), 'must be a list of channels').max(20, 'is too long');
  return z.strictObject({ ...spelled(fields), quiet: hours, channels: names }, mapRule);
}

export function readAlerts(reader: SectionReader, raw: Tree): FileAlerts | undefined {
  if (!Object.hasOwn(raw, 'alerts')) return undefined;
  const { mistakes } = reader;
  const given = raw['alerts'] ?? {};
  mistakes.check(z.strictObject({ channels: z.unknown(), rules: z.unknown() }, mapRule).partial(), given, ['alerts']);
  const alerts = isObject(given) ? given : {};
  const rules = ruleSchema();
  const name = newChannelSchema.shape.name;
  return {
    channels: reader.entries(alerts, ['alerts', 'channels'], name, (value, path) =>
      mistakes.check(channelSchema, value, path),
    ),
    rules: reader.entries(alerts, ['alerts', 'rules'], name, (value, path) => {
      const rule = mistakes.check(rules, value, path);
      // The schema was made from that of the fields.
      return rule === undefined ? undefined : (fieldsOf(rule) as unknown as FileRule);
    }),
  };
}

/** Null and absent mean the same. */
function fieldsOf(tree: Tree): Tree {
  const present = Object.entries(tree).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present.map(([key, value]) => [fieldOf(key), isObject(value) ? fieldsOf(value) : value]));
}
