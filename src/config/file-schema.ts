/** What `weir.yaml` may contain. Every error text is the sentence that says what is allowed there. */

import { z } from 'zod';
import { builtOnce } from '../settings/built-once.ts';
import { settingList } from '../settings/settings.ts';
import { httpAddress, names, proxyAddress } from '../settings/values.ts';
import { type FileJwtIssuers, jwtIssuersSchema, jwtKeysAt } from './jwt-schema.ts';
import { type FilePrice, priceKeysAt, priceSchema } from './price-schema.ts';
import { profile, profileKeysAt } from './profile-schema.ts';
import {
  type FileIssuers,
  type FileRules,
  issuerKeysAt,
  issuersSchema,
  ruleKeys,
  scimRulesSchema,
} from './sign-in-schema.ts';

const filled = (error: string) => z.string({ error }).min(1, { error });

/** A map whose empty entries (`name:` and nothing behind) count as empty maps. */
function mapOf<T extends z.ZodType>(item: T, nameRule: RegExp, nameAllowed: string) {
  const name = z.string().regex(nameRule, { error: nameAllowed });
  return z
    .record(
      name,
      z.preprocess((value) => value ?? {}, item),
      { error: 'a map' },
    )
    .optional();
}

const keySource = builtOnce(() => ({
  key: filled('the key itself, as text').optional(),
  key_env: filled('the name of a variable').optional(),
  key_file: filled('the path of a file').optional(),
}));

const keyEntry = builtOnce(() =>
  z.preprocess(
    (value) => (typeof value === 'string' ? { key: value } : value),
    z.strictObject(
      { ...keySource(), id: filled('a short name for the key').optional() },
      { error: 'a key as text, or one of key, key_env, key_file with an optional id' },
    ),
  ),
);

const settingAllowed = 'letters, digits, dot, dash, underscore and colon';
export const settingValue = builtOnce(() =>
  z
    .union([z.string(), z.number()], { error: settingAllowed })
    .transform(String)
    .refine((text) => /^[A-Za-z0-9][\w.:-]{0,199}$/.test(text), { error: settingAllowed }),
);

const proxyAllowed = `${proxyAddress().allowed}, or none`;

const baseUrlAllowed = 'a full URL with its version path, such as https://host/v1';

export const fileProvider = builtOnce(() =>
  z.strictObject(
    {
      kind: filled('the name of a preset or of a wire format').optional(),
      base_url: httpAddress(baseUrlAllowed).schema.optional(),
      ...keySource(),
      keys: z.array(keyEntry(), { error: 'a list of keys' }).min(1, { error: 'a list of one key or more' }).optional(),
      models: names('a list of model names').schema.optional(),
      headers: z
        .record(
          z.string().regex(/^[\w-]+$/, { error: 'a header name' }),
          z.string({ error: 'text' }).regex(/^[\x20-\x7e]*$/, { error: 'text without line breaks' }),
          { error: 'a map of header names to texts' },
        )
        .optional(),
      settings: z.record(z.string(), settingValue(), { error: 'a map of settings to texts' }).optional(),
      region: filled('the name of a region').optional(),
      proxy: z.union([z.literal('none'), proxyAddress().schema], { error: proxyAllowed }).optional(),
      ca_file: filled('the path of a file').optional(),
      profiles: mapOf(profile(), /^\S{1,200}$/, 'a model name without spaces, with * as wildcard'),
      results: z.enum(['keep', 'proxy'], { error: 'keep or proxy' }).optional(),
      routes_elsewhere: z.boolean({ error: 'true or false' }).optional(),
      reports_cost: z.boolean({ error: 'true or false' }).optional(),
      enabled: z.boolean({ error: 'true or false' }).optional(),
    },
    { error: 'a map with kind, base_url, a key and so on' },
  ),
);

const weight = 'a number above 0, up to 1000000';
const tier = 'a whole number from 0 to 100';
const labels = 'a list of names';
const conditions = () =>
  z.strictObject(
    {
      operations: names('a list of operations such as converse, embed or make-image').schema.optional(),
      input: names('a list of text, image, audio, video and file').schema.optional(),
      input_tokens_max: z.number().int().min(1, { error: 'a whole number from 1' }).optional(),
      region: filled('the name of a region').optional(),
      labels: names(labels).schema.optional(),
    },
    { error: 'a map with operations, input, input_tokens_max, region or labels' },
  );
const target = builtOnce(() =>
  z.strictObject(
    {
      provider: filled('the name of a provider'),
      model: filled('the model’s name at that provider'),
      only: conditions().optional(),
      first_event_timeout_ms: z.number().int().min(1, { error: 'a whole number from 1' }).optional(),
      weight: z.number({ error: weight }).gt(0, { error: weight }).max(1_000_000, { error: weight }).default(1),
      tier: z.number({ error: tier }).int({ error: tier }).min(0, { error: tier }).max(100, { error: tier }).default(0),
    },
    { error: 'a map with provider and model' },
  ),
);

export const fileRoute = builtOnce(() =>
  z.strictObject(
    {
      targets: z.array(target(), { error: 'a list of targets' }).min(1, { error: 'a list of one target or more' }),
      choose: z
        .enum(['weighted', 'least_busy', 'fastest', 'cheapest'], {
          error: 'weighted, least_busy, fastest or cheapest',
        })
        .optional(),
      affinity: z.boolean({ error: 'true or false' }).optional(),
      moderation: z.enum(['before', 'after', 'both'], { error: 'before, after or both' }).optional(),
    },
    { error: 'a map with targets' },
  ),
);

const namedSections = {
  providers: () =>
    mapOf(fileProvider(), /^[A-Za-z0-9][\w.-]{0,63}$/, 'a name of letters, digits, dot, dash and underscore'),
  models: () => mapOf(fileRoute(), /^\S{1,200}$/, 'a model name without spaces'),
  prices: () => mapOf(priceSchema(), /^\S{1,200}$/, 'a model name without spaces, with * as wildcard'),
};

type BuildSchema = () => z.ZodType;

/** What a file may set apart from `namedSections`: a value by its name, a section by the names of its values. */
const values = new Map<string, BuildSchema>();
const sections = new Map<string, Map<string, BuildSchema>>();

function addToSection(section: string, name: string, build: BuildSchema): void {
  sections.set(section, (sections.get(section) ?? new Map<string, BuildSchema>()).set(name, build));
}

for (const { key, kind, variableOnly } of settingList) {
  if (variableOnly === true) continue;
  const [section = '', name] = key.split('.');
  // An empty value counts as absent.
  const build = () => kind.schema.nullish();
  if (name === undefined) values.set(section, build);
  else addToSection(section, name, build);
}
addToSection('sign_in', 'issuers', issuersSchema);
addToSection('jwt', 'issuers', jwtIssuersSchema);
addToSection('scim', 'rules', scimRulesSchema);

/** Of what the file has, as nested strict maps: what it does not have needs no schema. */
function scalarSections(raw: object): Record<string, z.ZodType> {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, value] of Object.entries(raw)) {
    const section = sections.get(name);
    const schema = section === undefined ? values.get(name)?.() : sectionSchema(section, value);
    if (schema !== undefined) shape[name] = schema;
  }
  return shape;
}

function sectionSchema(section: ReadonlyMap<string, BuildSchema>, value: unknown): z.ZodType {
  const shape: Record<string, z.ZodType> = {};
  for (const name of isMap(value) ? Object.keys(value) : []) {
    const schema = section.get(name)?.();
    if (schema !== undefined) shape[name] = schema;
  }
  return z.strictObject(shape, { error: 'a map' }).nullish();
}

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of a section that the file does not have nothing is built either. */
function namedSection<T extends z.ZodType>(raw: unknown, name: keyof typeof namedSections, build: () => T) {
  return isMap(raw) && Object.hasOwn(raw, name)
    ? z.preprocess((value) => value ?? undefined, build())
    : z.undefined().optional();
}

/** Checks a file with this content. */
export function fileSchemaFor(raw: unknown) {
  return z.strictObject(
    {
      ...(isMap(raw) ? scalarSections(raw) : {}),
      providers: namedSection(raw, 'providers', namedSections.providers),
      models: namedSection(raw, 'models', namedSections.models),
      prices: namedSection(raw, 'prices', namedSections.prices),
    },
    { error: 'a map of settings' },
  );
}

export type FileProvider = z.output<ReturnType<typeof fileProvider>>;
export type FileKey = z.output<ReturnType<typeof keyEntry>>;
export type FileContent = {
  readonly scalars: ReadonlyMap<string, unknown>;
  readonly providers: Readonly<Record<string, FileProvider>>;
  readonly models: Readonly<Record<string, z.output<ReturnType<typeof fileRoute>>>>;
  readonly prices: Readonly<Record<string, FilePrice>>;
  readonly issuers: FileIssuers;
  readonly jwtIssuers: FileJwtIssuers;
  readonly scimRules: FileRules;
};

/** The keys that a strict map at this place knows, for suggesting the one that was meant. */
export function knownKeysAt(path: readonly PropertyKey[]): readonly string[] {
  const [section, , third] = path;
  if (path.length === 0) return [...values.keys(), ...sections.keys(), ...Object.keys(namedSections)];
  if (section === 'providers') {
    if (third === 'profiles') return profileKeysAt(path.slice(4));
    return third === 'keys' ? [...Object.keys(keySource()), 'id'] : Object.keys(fileProvider().shape);
  }
  if (section === 'models') return third === 'targets' ? Object.keys(target().shape) : Object.keys(fileRoute().shape);
  if (section === 'prices') return priceKeysAt(path.slice(2));
  if (section === 'sign_in' && path.length > 2) return issuerKeysAt(path.slice(2));
  if (section === 'jwt' && path.length > 2) return jwtKeysAt(path.slice(2));
  if (section === 'scim' && path.length > 2) return ruleKeys();
  return [...(sections.get(String(section))?.keys() ?? [])];
}
