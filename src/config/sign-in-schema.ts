/** What `weir.yaml` may say about an issuer, and how it becomes the configuration of one. */

import { z } from 'zod';
import { builtOnce } from '../settings/built-once.ts';
import type { IssuerConfig, SignInRule } from '../settings/sign-in-settings.ts';
import { httpAddress, names } from '../settings/values.ts';
import { hidden, type Problem, showFound } from './problem.ts';
import { type Environment, variableValue } from './readers/read-scalars.ts';

const filled = (error: string) => z.string({ error }).min(1, { error });
const yesOrNo = () => z.boolean({ error: 'true or false' });
const role = () => z.enum(['owner', 'admin', 'member', 'viewer'], { error: 'owner, admin, member or viewer' });
const skew = 'a whole number from 0 to 600';

/** Without TLS anyone on the network path could sign in as anyone, so plain HTTP is for tests on one machine. */
export function isLoopback(host: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:[a-z0-9-]+\.)*localhost)$/i.test(host);
}

const issuerAllowed = 'an https URL as the provider writes it; http only on loopback';
const plainUrl = httpAddress(issuerAllowed, ({ protocol, hostname }) => protocol === 'https:' || isLoopback(hostname));
/** A slash at its end stays: it is a part of some issuers' identifiers, and tokens name them with it. */
export const issuerUrl = () =>
  z
    .string({ error: issuerAllowed })
    .refine((value) => plainUrl.schema.safeParse(value).success, { error: issuerAllowed });

const rule = builtOnce(() =>
  z
    .strictObject(
      {
        group: filled('the name or id of a group, as the issuer sends it'),
        team: filled('the name or id of a team').optional(),
        team_role: z.enum(['viewer', 'member', 'admin'], { error: 'viewer, member or admin' }).optional(),
        role: role().optional(),
      },
      { error: 'a map with group, and team or role' },
    )
    .refine((given) => given.team !== undefined || given.role !== undefined, {
      error: 'a group with a team or a role',
    }),
);

const issuer = builtOnce(() =>
  z.strictObject(
    {
      issuer: issuerUrl(),
      label: filled('text for the button').max(60, { error: 'at most 60 characters' }).optional(),
      client_id: filled('the client id that the provider gave'),
      client_secret: filled('the secret itself, as text').optional(),
      client_secret_env: filled('the name of a variable').optional(),
      client_secret_file: filled('the path of a file').optional(),
      scopes: names('a list of scopes').schema.optional(),
      groups_claim: filled('the name of a claim').optional(),
      name_claim: z
        .union([filled('').transform((one) => [one]), names('').schema], { error: 'a claim or a list of claims' })
        .optional(),
      rules: z.array(rule(), { error: 'a list of rules' }).max(1_000, { error: 'at most 1000 rules' }).optional(),
      default_role: role().optional(),
      create_accounts: yesOrNo().optional(),
      link_accounts: yesOrNo().optional(),
      allowed_domains: names('a list of domains').schema.optional(),
      trust_unverified_email: yesOrNo().optional(),
      allowed_groups: names('a list of groups').schema.optional(),
      clock_skew_s: z
        .number({ error: skew })
        .int({ error: skew })
        .min(0, { error: skew })
        .max(600, { error: skew })
        .optional(),
    },
    { error: 'a map with issuer, client_id and so on' },
  ),
);

const name = () =>
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, { error: 'a name of lower-case letters, digits and dashes' });

export const issuersSchema = builtOnce(() =>
  z
    .record(
      name(),
      z.preprocess((value) => value ?? {}, issuer()),
      { error: 'a map of issuers' },
    )
    .nullish(),
);

export const scimRulesSchema = builtOnce(() =>
  z.array(rule(), { error: 'a list of rules' }).max(1_000, { error: 'at most 1000 rules' }).nullish(),
);
export type FileRules = readonly z.output<ReturnType<typeof rule>>[];

export type FileIssuers = Readonly<Record<string, z.output<ReturnType<typeof issuer>>>>;
type FileIssuer = FileIssuers[string];

export const ruleKeys = (): readonly string[] => Object.keys(rule().shape);

export function issuerKeysAt(path: readonly PropertyKey[]): readonly string[] {
  return path[1] === 'rules' ? ruleKeys() : Object.keys(issuer().shape);
}

interface Sources {
  readonly environment: Environment;
  readonly readFile: (path: string) => string | undefined;
  readonly source: string;
}

/** Every issuer of the file, and what is wrong with them beyond the shape. */
export function readIssuers(
  issuers: FileIssuers,
  sources: Sources,
): { readonly list: readonly IssuerConfig[]; readonly problems: readonly Problem[] } {
  const list: IssuerConfig[] = [];
  const problems: Problem[] = [];
  for (const [issuerName, entry] of Object.entries(issuers)) {
    const at = `sign_in.issuers.${issuerName}`;
    const secret = readSecret(at, entry, sources);
    if (secret.problem !== undefined) problems.push(secret.problem);
    const twin = list.find((other) => other.issuer === entry.issuer);
    if (twin !== undefined) {
      const allowed = `an issuer that no other entry has; ${twin.name} has this one`;
      problems.push({ key: `${at}.issuer`, source: sources.source, found: showFound(entry.issuer), allowed });
    }
    list.push(issuerConfig(issuerName, entry, secret.value));
  }
  return { list, problems };
}

function issuerConfig(issuerName: string, entry: FileIssuer, clientSecret: string | undefined): IssuerConfig {
  return {
    name: issuerName,
    issuer: entry.issuer,
    clientId: entry.client_id,
    clientSecret,
    scopes: [...new Set(['openid', ...(entry.scopes ?? ['profile', 'email'])])],
    groupsClaim: entry.groups_claim ?? 'groups',
    nameClaims: entry.name_claim ?? ['preferred_username', 'email', 'sub'],
    rules: rulesOf(entry.rules ?? []),
    defaultRole: entry.default_role ?? 'member',
    createAccounts: entry.create_accounts ?? true,
    linkAccounts: entry.link_accounts ?? false,
    allowedDomains: entry.allowed_domains?.map((domain) => domain.replace(/^@/, '').toLowerCase()),
    trustUnverifiedEmail: entry.trust_unverified_email ?? false,
    allowedGroups: entry.allowed_groups,
    clockSkewS: entry.clock_skew_s ?? 60,
    label: entry.label ?? issuerName,
  };
}

export const rulesOf = (rules: FileRules): readonly SignInRule[] =>
  rules.map(({ team_role: teamRole, ...rest }) => ({ ...rest, ...(teamRole !== undefined && { teamRole }) }));

const secretKeys = ['client_secret', 'client_secret_env', 'client_secret_file'] as const;

function readSecret(
  at: string,
  entry: FileIssuer,
  { environment, readFile, source }: Sources,
): { readonly value?: string | undefined; readonly problem?: Problem } {
  const given = secretKeys.filter((key) => entry[key] !== undefined);
  const fault = (key: string, found: string, allowed: string) => ({ problem: { key, source, found, allowed } });
  if (given.length > 1) return fault(at, given.join(' and '), `only one of ${secretKeys.join(', ')}`);
  const { client_secret: plain, client_secret_env: variable, client_secret_file: path } = entry;
  if (variable !== undefined) {
    const value = variableValue(environment, variable);
    if (value !== undefined) return { value };
    // A secret that was pasted here by mistake must not be logged.
    const shown = /^[A-Z][A-Z0-9_]*$/.test(variable) ? `${variable}, which is not set` : hidden;
    return fault(`${at}.client_secret_env`, shown, 'the name of a variable that is set');
  }
  if (path === undefined) return { value: plain };
  const value = readFile(path)?.trim();
  if (value !== undefined && value !== '') return { value };
  const state = value === undefined ? 'cannot be read' : 'is empty';
  return fault(`${at}.client_secret_file`, `${showFound(path)}, which ${state}`, 'a file with the secret');
}
