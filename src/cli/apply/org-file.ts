/** Reads a file that describes an organization, and finds everything that is wrong with it on its own. */

import { z } from 'zod';
import type { TeamRole } from '../../access/organization.ts';
import { accountName, type Role, roles } from '../../admin/contracts/account-contract.ts';
import {
  type CheckedLevelTerms,
  levelTermsSchema,
  membershipSchema,
} from '../../admin/contracts/organization-contract.ts';
import {
  type CheckedTokenChanges,
  type TokenRules,
  termFields,
  tokenChangesSchema,
} from '../../admin/contracts/usage-contract.ts';
import { yamlLines } from '../../config/yaml-lines.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { type FileAlerts, readAlerts } from './alert-file.ts';
import { Mistakes, type Path, unknownKey } from './mistakes.ts';
import { type FileEntry, fieldOf, fileKeyOf, mapRule, SectionReader } from './section-reader.ts';

export interface FileLevel {
  /** Absent: stay as they are. Present: these and no others. */
  readonly terms?: CheckedLevelTerms | undefined;
}

export interface FileTeam extends FileLevel {
  readonly members?: readonly FileEntry<TeamRole>[];
  readonly projects?: readonly FileEntry<FileLevel>[];
}

export interface FilePerson extends FileLevel {
  readonly role?: Role | undefined;
  readonly disabled?: boolean | undefined;
}

export type FileTokenTerms = Omit<CheckedTokenChanges, 'name'>;

export interface FileToken {
  /** Of one that exists, where its name is not enough. */
  readonly id?: string | undefined;
  readonly team?: string | undefined;
  readonly project?: string | undefined;
  readonly owner?: string | undefined;
  readonly terms?: FileTokenTerms | undefined;
}

/** A section that is absent changes nothing. */
export interface OrgFile {
  readonly organization?: (FileLevel & { readonly name?: string | undefined }) | undefined;
  readonly teams?: readonly FileEntry<FileTeam>[] | undefined;
  readonly people?: readonly FileEntry<FilePerson>[] | undefined;
  readonly tokens?: readonly FileEntry<FileToken>[] | undefined;
  readonly providers?: readonly FileEntry<Tree>[] | undefined;
  readonly models?: readonly FileEntry<Tree>[] | undefined;
  readonly prices?: readonly FileEntry<Tree>[] | undefined;
  readonly alerts?: FileAlerts | undefined;
}

const sections = ['organization', 'teams', 'people', 'tokens', 'providers', 'models', 'prices', 'alerts'] as const;

interface ReadOrgFile {
  readonly file: OrgFile;
  readonly mistakes: Mistakes;
  lineOf(path: Path): number;
}

export function readOrgFile(text: string, endpoints: readonly string[]): ReadOrgFile {
  const mistakes = new Mistakes();
  const { lineOf, doubled } = yamlLines(text);
  for (const { path, line } of doubled) mistakes.add(path, 'is written twice', line);
  const raw = parsed(text, mistakes);
  return { file: raw === undefined ? {} : fileOf(raw, mistakes, endpoints), mistakes, lineOf };
}

function parsed(text: string, mistakes: Mistakes): Tree | undefined {
  try {
    const raw: unknown = Bun.YAML.parse(text) ?? {};
    if (isObject(raw)) return raw;
    mistakes.add([], `must be one map of ${sections.join(', ')}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    mistakes.add([], `is not YAML: ${message}`, faultyLine(text));
  }
  return undefined;
}

/** The parser gives no line, so it is found as the end of the longest beginning that still reads. */
function faultyLine(text: string): number {
  const lines = text.split('\n');
  const reads = (count: number): boolean => {
    try {
      Bun.YAML.parse(lines.slice(0, count).join('\n'));
      return true;
    } catch {
      return false;
    }
  };
  let good = Math.min(lines.length - 1, 2_000);
  while (good > 0 && !reads(good)) good--;
  return good + 1;
}

/** Dates are compared with the clock later, because one that was set before may be over. */
const rulesOf = (endpoints: readonly string[]): TokenRules => ({ endpoints, nowMs: () => Number.NEGATIVE_INFINITY });

function fileOf(raw: Tree, mistakes: Mistakes, endpoints: readonly string[]): OrgFile {
  for (const key of Object.keys(raw)) {
    if (!sections.some((section) => section === key)) mistakes.add([key], unknownKey(key, sections));
  }
  const rules = rulesOf(endpoints);
  const terms = spelledTerms<CheckedLevelTerms>(levelTermsSchema(rules).shape);
  const reader = new SectionReader(mistakes);
  const role = z.enum(roles, `must be one of ${roles.join(', ')}`).optional();
  const person = z.strictObject({ role, disabled: z.boolean('must be true or false').optional(), terms }, mapRule);
  const organization = raw['organization'] ?? (Object.hasOwn(raw, 'organization') ? {} : undefined);
  return {
    organization:
      organization === undefined
        ? undefined
        : mistakes.check(z.strictObject({ name: termFields.name.optional(), terms }, mapRule), organization, [
            'organization',
          ]),
    teams: reader.entries(raw, ['teams'], termFields.name, (value, path) => teamOf(reader, value, path, terms)),
    people: reader.entries<FilePerson>(
      raw,
      ['people'],
      accountName,
      (value, path) => mistakes.check(person, value, path),
      {},
    ),
    tokens: tokensOf(raw, mistakes, rules),
    providers: reader.trees(raw, 'providers'),
    models: reader.trees(raw, 'models'),
    prices: reader.trees(raw, 'prices'),
    alerts: readAlerts(reader, raw),
  };
}

type LevelSchema = z.ZodType<CheckedLevelTerms | undefined>;

function teamOf(reader: SectionReader, value: unknown, path: Path, terms: LevelSchema): FileTeam {
  const schema = z.strictObject({ terms: z.unknown(), members: z.unknown(), projects: z.unknown() }, mapRule);
  const checked = reader.mistakes.check(schema.partial(), value, path);
  // What is beside an unknown key is read all the same, so that all mistakes are shown at once.
  const team: Tree = checked ?? (isObject(value) ? value : {});
  const given = reader.mistakes.check(terms, team['terms'], [...path, 'terms']);
  const members = reader.entries(team, [...path, 'members'], accountName, (role, at) =>
    reader.mistakes.check(membershipSchema.shape.role, role, at),
  );
  const level = z.strictObject({ terms }, mapRule);
  const projects = reader.entries<FileLevel>(
    team,
    [...path, 'projects'],
    termFields.name,
    (project, at) => reader.mistakes.check(level, project, at),
    {},
  );
  return { terms: given, ...(members && { members }), ...(projects && { projects }) };
}

function tokensOf(raw: Tree, mistakes: Mistakes, rules: TokenRules): OrgFile['tokens'] {
  if (!Object.hasOwn(raw, 'tokens')) return undefined;
  const list = raw['tokens'] ?? [];
  if (!Array.isArray(list)) {
    mistakes.add(['tokens'], 'must be a list, each entry with a name');
    return undefined;
  }
  const schema = tokenSchema(rules);
  return list.flatMap((entry: unknown, index) => {
    const path = ['tokens', index];
    const token = mistakes.check(schema, entry, path);
    if (token === undefined) return [];
    const { name, ...value } = token;
    return [{ name, key: name, path, value }];
  });
}

/** The schema of terms with the keys of a file, such as `budget_usd`. What it gives has the names of the fields again. */
function spelledTerms<Terms>(fields: z.ZodRawShape): z.ZodType<Terms | undefined> {
  const shape = Object.fromEntries(Object.entries(fields).map(([field, schema]) => [fileKeyOf(field), schema]));
  return z
    .preprocess((value) => value ?? {}, z.strictObject(shape, mapRule))
    .transform(
      (terms) => Object.fromEntries(Object.entries(terms).map(([key, value]) => [fieldOf(key), value])) as Terms,
    )
    .optional();
}

function tokenSchema(rules: TokenRules) {
  const { name: _, ...fields } = tokenChangesSchema(rules).shape;
  const reference = z.string('must be a name').optional();
  const nameRule = 'must be a name: each token has one';
  return z.strictObject(
    {
      name: z.string(nameRule).pipe(termFields.name),
      id: z.string('must be the ID of a token').optional(),
      team: reference,
      project: reference,
      owner: reference,
      terms: spelledTerms<FileTokenTerms>(fields),
    },
    'must be a map with a name',
  );
}
