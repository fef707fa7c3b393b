/** `weir team`: list and create teams and projects, add and remove members. */

import { organizationId, type TeamRole, teamRoles } from '../access/organization.ts';
import { nameKeyOf } from '../admin/accounts/name-key.ts';
import { newUnitSchema } from '../admin/contracts/organization-contract.ts';
import { changedLevelTerms, levelTermsView } from '../admin/organization/level-terms.ts';
import { newUnitId } from '../admin/organization/units.ts';
import { checked } from '../admin/tokens/token-terms.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { endpointNames } from '../snippets/endpoints.ts';
import type { Store } from '../store/store.ts';
import { ArgumentError, type Arguments, type CommandWords } from './arguments.ts';
import { accountNamed, teamNamed, unitsOf } from './named-records.ts';
import { type Output, printJson } from './output.ts';
import { alignedTable, printable } from './table.ts';
import { runVerb } from './verbs.ts';

interface TeamCommandDependencies extends Output {
  readonly store: Pick<Store, 'organization' | 'accounts' | 'budgets'>;
  readonly nowMs: () => number;
}

const usage = `Usage:
  weir team list [--json]
  weir team create --name N [--in TEAM] [--budget-usd X] [--budget-period total|day|week|month]
                   [--models A,B] [--tools A,B | --no-tools] [--label A] [--rpm N] [--tpm N]
                   [--concurrency N] [--json]
  weir team member TEAM PERSON --role viewer|member|admin|none

TEAM is a team's ID or name, PERSON an account's ID or sign-in name. --in makes a project of the team.
--role none removes the person from the team; their tokens stay.`;

export function teamCommand(dependencies: TeamCommandDependencies, argv: readonly string[]): Promise<number> {
  return runVerb({ name: 'team', usage, words, commands }, dependencies, argv);
}

const words = {
  list: { usage, flags: { json: 'switch' } },
  create: {
    usage,
    flags: {
      name: 'value',
      in: 'value',
      'budget-usd': 'value',
      'budget-period': 'value',
      models: 'value',
      tools: 'value',
      'no-tools': 'switch',
      label: 'list',
      rpm: 'value',
      tpm: 'value',
      concurrency: 'value',
      json: 'switch',
    },
  },
  member: { usage, flags: { role: 'value' }, operandsMin: 2, operandsMax: 2 },
} as const satisfies Record<string, CommandWords>;

type Run = (dependencies: TeamCommandDependencies, given: Arguments) => Promise<void>;

const commands: Readonly<Record<keyof typeof words, Run>> = {
  async list(dependencies, given) {
    const units = await unitViews(dependencies);
    if (given.has('json')) return printJson(dependencies, units);
    if (units.length === 0)
      return dependencies.err('No teams yet. Create one with `weir team create --name my-team`.\n');
    const columns = [
      ...[{ title: 'ID' }, { title: 'TEAM' }, { title: 'PROJECT' }, { title: 'BUDGETS' }],
      ...[{ title: 'MEMBERS', align: 'right' } as const, { title: 'TOKENS', align: 'right' } as const],
    ];
    const rows = units.map(({ id, team, project, terms, members, tokens }) => {
      const budgets = (terms.budgets ?? []).map(
        ({ unit, spent, limit, period }) => `${spent} of ${limit} ${unit}/${period}`,
      );
      return [id, team, project ?? '', budgets.join(', '), String(members), String(tokens)];
    });
    return dependencies.out(alignedTable(columns, rows));
  },
  async create(dependencies, given) {
    const { store, nowMs } = dependencies;
    const { name, terms } = checked(newUnitSchema({ endpoints: endpointNames, nowMs }), newUnitFrom(given));
    const parent = given.valueOf('in');
    const kind = parent === undefined ? 'team' : 'project';
    const parentId = parent === undefined ? organizationId : teamNamed(await unitsOf(store), parent).id;
    const id = newUnitId(kind);
    const record = { id, kind, parentId, name, nameKey: nameKeyOf(name), createdAtMs: nowMs() } as const;
    const outcome = await store.organization.insert({ ...record, terms: changedLevelTerms({}, terms ?? {}) });
    if (outcome === 'name-taken') throw new GatewayError('field_invalid', 'name: is already taken', { param: 'name' });
    if (given.has('json')) return printJson(dependencies, { id, kind, name });
    dependencies.err(`The ${kind} "${printable(name)}" was created. Its ID:\n`);
    return dependencies.out(`${id}\n`);
  },
  async member({ store, nowMs, err }, given) {
    const [teamName = '', person = ''] = given.operands;
    const team = teamNamed(await unitsOf(store), teamName);
    const account = await accountNamed(store, person);
    const role = given.valueOf('role');
    if (role === 'none') {
      const isRemoved = await store.organization.removeMember(team.id, account.id);
      return err(
        `${printable(account.name)} ${isRemoved ? 'was removed from' : 'is not in'} ${printable(team.name)}.\n`,
      );
    }
    if (!isRole(role)) throw new ArgumentError(`--role must be one of ${teamRoles.join(', ')}, none.`, usage);
    const member = { teamId: team.id, accountId: account.id, role, source: 'manual', createdAtMs: nowMs() };
    await store.organization.putMember(member);
    return err(`${printable(account.name)} is ${role} of ${printable(team.name)}.\n`);
  },
};

const isRole = (text: string | undefined): text is TeamRole => teamRoles.some((role) => role === text);

function newUnitFrom(given: Arguments): Record<string, unknown> {
  const list = (flag: string) => given.valueOf(flag)?.split(',');
  const count = (flag: string) => (given.valueOf(flag) === undefined ? undefined : Number(given.valueOf(flag)));
  const limit = given.valueOf('budget-usd');
  const budget = { unit: 'usd', limit, period: given.valueOf('budget-period') ?? 'month' };
  const terms = {
    ...(limit !== undefined && { budgets: [budget] }),
    models: list('models'),
    tools: given.has('no-tools') ? [] : list('tools'),
    labels: list('label'),
    rpm: count('rpm'),
    tpm: count('tpm'),
    concurrency: count('concurrency'),
  };
  return { name: given.valueOf('name'), terms };
}

async function unitViews({ store, nowMs }: TeamCommandDependencies) {
  const { organization, budgets } = store;
  const units = await unitsOf(store);
  const counts = await organization.counts();
  const teams = units.filter(({ kind }) => kind === 'team');
  const ordered = teams.flatMap((team) => [team, ...units.filter(({ parentId }) => parentId === team.id)]);
  return Promise.all(
    ordered.map(async ({ id, kind, name, parentId, terms }) => {
      const { tokens = 0, members = 0 } = counts.get(id) ?? {};
      const isProject = kind === 'project';
      const team = isProject ? (teams.find((unit) => unit.id === parentId)?.name ?? '') : name;
      const level = { kind: isProject ? 'project' : 'team', id } as const;
      const view = await levelTermsView(terms, level, budgets, nowMs());
      return { id, team, ...(isProject && { project: name }), terms: view, members, tokens };
    }),
  );
}
