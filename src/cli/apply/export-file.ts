/** Writes the organization as the file that `weir apply` reads: complete, in a fixed order, without a secret. */

import type { TokenTerms } from '../../access/caller.ts';
import {
  type EndUserTerms,
  type LevelBudget,
  type LevelTerms,
  organizationId,
  type UnitRecord,
} from '../../access/organization.ts';
import { keyVariables, variableOf } from '../../admin/configuration/export-yaml.ts';
import { fieldText } from '../../admin/configuration/yaml-text.ts';
import { shownEntry, unseenHeaders } from '../../configuration/entry-secrets.ts';
import type { KeptEntries, KeptProvider } from '../../configuration/kept-entries.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { usdText } from '../../ledger/money.ts';
import { presetFacts } from '../../providers/preset-facts.ts';
import type { LivingToken, OrganizationState } from '../../store/organization/change-set-store.ts';
import { type AlertState, byNames } from './plan-alerts.ts';
import { describedTokens, hasExpired, identityOf } from './plan-tokens.ts';
import { fileKeyOf } from './section-reader.ts';
import { currentBudgets, kindOf } from './terms.ts';

const head = `# The organization of this Weir, as "weir apply -f FILE" reads it. Secrets are not in it: tokens keep theirs, new people
# get a first password, and the keys of providers come from the variables that this file names.
# A variable that is not set leaves the key as it is.
`;

type Environment = Readonly<Record<string, string | undefined>>;

interface Exported {
  readonly state: OrganizationState;
  readonly kept: KeptEntries;
  readonly alerts: AlertState;
}

export function exportOrgFile({ state, kept, alerts }: Exported, nowMs: number, environment: Environment): string {
  const units = new Map(state.units.map((unit) => [unit.id, unit]));
  const organization = units.get(organizationId);
  const sections: readonly (readonly [string, unknown])[] = [
    ['organization', { name: organization?.name ?? '', terms: levelTree(organization?.terms ?? {}, nowMs) }],
    ['people', peopleTree(state, nowMs)],
    ['teams', teamsTree(state, nowMs)],
    ['tokens', tokenList(state, units, nowMs)],
    ['providers', providersTree(kept, environment)],
    ['models', Object.fromEntries(kept.models.map(({ name, entry }) => [name, entry]))],
    ['prices', Object.fromEntries(kept.prices.map(({ name, entry }) => [name, entry]))],
    ['alerts', alertsTree(alerts, environment)],
  ];
  return [head, ...notes(state, kept, nowMs), ...sections.map(([name, value]) => `\n${fieldText(name, value)}`)].join(
    '',
  );
}

function notes(state: OrganizationState, { providers }: KeptEntries, nowMs: number): readonly string[] {
  const expired = describedTokens(state.tokens).filter((token) => hasExpired(token, nowMs)).length;
  const foreign = state.members.filter(({ source }) => source !== 'manual').length;
  const hidden = providers.flatMap(({ name, entry }) =>
    unseenHeaders(shownEntry(entry)).map(
      (header) => `providers.${name}.headers.${header} is hidden: it stays as it is.`,
    ),
  );
  return [
    ...(expired > 0 ? [`${expired} expired ${expired === 1 ? 'token is' : 'tokens are'} left out.`] : []),
    ...(foreign > 0
      ? [`${foreign} ${foreign === 1 ? 'membership' : 'memberships'} from sign-in providers or directories left out.`]
      : []),
    ...hidden,
  ].map((note) => `# ${note}\n`);
}

/** Names in the order of their characters, whatever the language of the machine. */
const byName = <Named extends { readonly name: string }>(a: Named, b: Named): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

function levelTree({ budgets, budgetsMade: _, endUsers, ...rest }: LevelTerms, nowMs: number): Tree {
  return { budgets: budgetList(budgets, nowMs), ...rest, end_users: endUserTree(endUsers, nowMs) };
}

/** With their ids only where several are of one kind, and where an operator chose them. */
function budgetList(budgets: readonly LevelBudget[] | undefined, nowMs: number): readonly Tree[] | undefined {
  if (budgets === undefined) return undefined;
  const kinds = budgets.map(kindOf);
  const isClear = (kind: string): boolean => kinds.filter((other) => other === kind).length === 1;
  return currentBudgets(budgets, nowMs).map((budget) => {
    const { id, unit, limit, period, models, raise } = budget;
    const text = (amount: bigint): string | number => (unit === 'usd' ? usdText(amount) : Number(amount));
    return {
      ...(!(isClear(kindOf(budget)) && /^b\d+$/.test(id)) && { id }),
      ...{ unit, limit: text(limit), period, models },
      raise: raise && { limit: text(raise.limit), until: new Date(raise.untilMs).toISOString() },
    };
  });
}

function endUserTree(terms: EndUserTerms | undefined, nowMs: number): Tree | undefined {
  if (terms === undefined) return undefined;
  const { budgets, budgetsMade: _, ...rest } = terms;
  return { budgets: budgetList(budgets, nowMs), ...rest };
}

function tokenTree(terms: TokenTerms, nowMs: number): Tree {
  const { name: _, budget, budgets, budgetsMade: __, endUsers, expiresAtMs, moderation, ...rest } = terms;
  const { before, after, model } = moderation ?? {};
  const moment = before === true ? (after === true ? 'both' : 'before') : 'after';
  const fields = {
    ...(budget && { budgetUsd: usdText(budget.limitNano), budgetPeriod: budget.period }),
    budgets: budgetList(budgets, nowMs),
    ...(expiresAtMs !== undefined && { expiresAt: new Date(expiresAtMs).toISOString() }),
    ...(moderation && { moderate: moment, moderationModel: model }),
    ...rest,
    endUsers: endUserTree(endUsers, nowMs),
  };
  return spelled(fields);
}

function peopleTree({ people }: OrganizationState, nowMs: number): Tree {
  const entries = people.toSorted(byName).map(({ name, role, disabledAtMs, terms = {} }) => {
    const disabled = disabledAtMs === undefined ? undefined : true;
    return [name, { role, disabled, terms: levelTree(terms, nowMs) }] as const;
  });
  return Object.fromEntries(entries);
}

function teamsTree({ units, members, people }: OrganizationState, nowMs: number): Tree {
  const names = new Map(people.map(({ id, name }) => [id, name]));
  const children = Map.groupBy(units, ({ parentId }) => parentId);
  const byTeam = Map.groupBy(members, ({ teamId }) => teamId);
  const teams = (children.get(organizationId) ?? []).toSorted(byName).map((team) => {
    const own = (byTeam.get(team.id) ?? [])
      .filter(({ source }) => source === 'manual')
      .flatMap(({ accountId, role }) => ({ name: names.get(accountId) ?? '', role }))
      .toSorted(byName);
    const projects = (children.get(team.id) ?? [])
      .toSorted(byName)
      .map(({ name, terms }) => [name, { terms: levelTree(terms, nowMs) }] as const);
    return [
      team.name,
      {
        terms: levelTree(team.terms, nowMs),
        members: Object.fromEntries(own.map(({ name, role }) => [name, role])),
        projects: Object.fromEntries(projects),
      },
    ] as const;
  });
  return Object.fromEntries(teams);
}

function tokenList(state: OrganizationState, units: ReadonlyMap<string, UnitRecord>, nowMs: number): readonly Tree[] {
  const names = new Map(state.people.map(({ id, name }) => [id, name]));
  const living = describedTokens(state.tokens).filter((token) => !hasExpired(token, nowMs));
  const placeOf = ({ unitId, ownerId, terms }: LivingToken): string => identityOf(unitId, ownerId, terms.name);
  const twins = Map.groupBy(living, placeOf);
  const written = living.map((token) => {
    const { id, unitId, ownerId, terms } = token;
    const unit = unitId === undefined ? undefined : units.get(unitId);
    const isProject = unit?.kind === 'project';
    return {
      name: terms.name,
      id: (twins.get(placeOf(token)) ?? []).length > 1 ? id : undefined,
      team: (isProject ? units.get(unit.parentId ?? '') : unit)?.name,
      project: isProject ? unit.name : undefined,
      owner: ownerId === undefined ? undefined : names.get(ownerId),
      terms: tokenTree(terms, nowMs),
    };
  });
  const orderOf = ({ team = '', project = '', owner = '', name, id = '' }: (typeof written)[number]): string =>
    [team, project, owner, name, id].join('\0');
  return written.toSorted((a, b) => byName({ name: orderOf(a) }, { name: orderOf(b) }));
}

/** In the order in which they were made: it decides which of them is tried first. */
function providersTree({ providers }: KeptEntries, environment: Environment): Tree {
  // A variable that holds something else here would replace the key.
  const values = new Set(providers.flatMap(({ keys }) => keys.map(({ value }) => value)));
  const taken = new Set(Object.keys(environment).filter((name) => !values.has(environment[name]?.trim() ?? '')));
  return Object.fromEntries(providers.map((provider) => [provider.name, providerTree(provider, taken)]));
}

function providerTree(provider: KeptProvider, taken: Set<string>): Tree {
  const keys = keyVariables(provider, presetFacts, taken);
  return {
    ...shownEntry(provider.entry),
    ...(keys.length > 0 && { keys }),
    ...(provider.draining && { draining: true }),
  };
}

/** In the order of their names. Of several with one name the oldest is written, since it is the one that is meant. */
function alertsTree({ channels, rules }: AlertState, environment: Environment): Tree {
  const names = new Map(channels.map(({ record }) => [record.id, record.name]));
  const written = [...byNames(channels, ({ record }) => record.name).values()].map(({ record, secrets }) => {
    const { name, kind, settings, disabled } = record;
    const sourceOf = (what: 'url' | 'secret'): string | undefined => {
      if (secrets?.[what] === undefined) return undefined;
      const stem = `${variableOf(name)}_${what.toUpperCase()}`;
      // A variable that holds something else here would replace it.
      return environment[stem] === undefined || environment[stem]?.trim() === secrets[what] ? stem : `${stem}_2`;
    };
    const sources = { url_env: sourceOf('url'), secret_env: sourceOf('secret') };
    return { name, tree: { kind, ...sources, to: settings.to, disabled: disabled || undefined } };
  });
  const ofRules = [...byNames(rules, ({ name }) => name).values()].map(({ name, terms, disabled }) => {
    const { channels: ids, quiet, ...rest } = terms;
    const known = ids.flatMap((id) => names.get(id) ?? []);
    const tree = { ...rest, channels: known, quiet: quiet && spelled({ ...quiet }), disabled: disabled || undefined };
    return { name, tree: spelled(tree) };
  });
  const treeOf = (entries: readonly { readonly name: string; readonly tree: Tree }[]): Tree =>
    Object.fromEntries(entries.toSorted(byName).map(({ name, tree }) => [name, tree]));
  return { channels: treeOf(written), rules: treeOf(ofRules) };
}

const spelled = (fields: Tree): Tree =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [fileKeyOf(field), value]));
