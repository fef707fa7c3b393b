/** The organization, its teams and their projects: what the console shows of them and how they are changed. */

import { type LevelTerms, organizationId, type UnitRecord } from '../../access/organization.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { OrganizationStore, UnitOutcome } from '../../store/organization/organization-store.ts';
import type { Audit, AuditEntry } from '../accounts/audit.ts';
import { nameKeyOf } from '../accounts/name-key.ts';
import type { Actor } from '../accounts/sessions.ts';
import {
  newUnitSchema,
  type OrganizationView,
  organizationBounds,
  type ProjectView,
  type TeamView,
  unitChangesSchema,
} from '../contracts/organization-contract.ts';
import { beyond } from '../tokens/token-ceiling.ts';
import { checked, withoutAbsent } from '../tokens/token-terms.ts';
import { type Bound, newIn, requireEndUserTerms, requireProjectTerms } from './grants.ts';
import { type BudgetReader, changedLevelTerms, levelTermsView } from './level-terms.ts';
import type { Standing, TeamAccess } from './team-access.ts';

interface UnitsOptions {
  readonly organization: OrganizationStore;
  readonly access: TeamAccess;
  readonly budgets: BudgetReader;
  /** Names of the route table. */
  readonly endpoints: readonly string[];
  readonly audit: Audit;
  readonly nowMs: () => number;
}

export interface Units {
  tree(actor: Actor): Promise<OrganizationView>;
  changeOrganization(actor: Actor, input: unknown): Promise<OrganizationView>;
  createTeam(actor: Actor, input: unknown): Promise<TeamView>;
  changeTeam(actor: Actor, id: string, input: unknown): Promise<TeamView>;
  removeTeam(actor: Actor, id: string): Promise<void>;
  createProject(actor: Actor, teamId: string, input: unknown): Promise<ProjectView>;
  changeProject(actor: Actor, id: string, input: unknown): Promise<ProjectView>;
  removeProject(actor: Actor, id: string): Promise<void>;
}

export const newUnitId = (kind: 'team' | 'project'): string =>
  `${kind === 'team' ? 'team' : 'proj'}_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;

export function createUnits(options: UnitsOptions): Units {
  const { organization, access, audit, nowMs } = options;
  const newUnits = newUnitSchema(options);
  const changes = unitChangesSchema(options);
  const views = createUnitViews(options);

  const written = (actor: Actor, action: AuditEntry['action'], subject: string, detail: AuditEntry['detail'] = {}) =>
    audit.write(actor, { action, subject, detail });

  /** What an admin of the team may set is limited by the team; an owner or admin of Weir is not. */
  async function requireTerms(actor: Actor, team: UnitRecord, terms: LevelTerms, before?: LevelTerms): Promise<void> {
    if ((await access.standingOf(actor)).managesAll) return;
    const [above, own] = await Promise.all([
      organization.byId(organizationId),
      organization.personTerms(actor.account.id),
    ]);
    const bounds: Bound[] = [];
    if (above !== undefined) bounds.push({ name: 'the organization', terms: above.terms });
    if (own !== undefined) bounds.push({ name: 'your account', terms: own });
    requireProjectTerms(newIn(terms, before), { name: team.name, terms: team.terms }, bounds);
    requireEndUserTerms(terms.endUsers, before?.endUsers, [
      { name: team.name, terms: team.terms, isManaged: true },
      { name: 'the organization', terms: above?.terms ?? {}, isManaged: false },
    ]);
  }

  async function insert(kind: 'team' | 'project', parentId: string, name: string, terms: LevelTerms): Promise<string> {
    const id = newUnitId(kind);
    const record = { id, kind, parentId, name, nameKey: nameKeyOf(name), terms, createdAtMs: nowMs() };
    requireOutcome(await organization.insert(record));
    return id;
  }

  async function update(unit: UnitRecord, input: unknown, check: (terms: LevelTerms) => Promise<void>) {
    const { name, terms: given } = checked(changes, input);
    const terms = given && changedLevelTerms(unit.terms, given);
    if (terms !== undefined) await check(terms);
    const shown = name === undefined ? undefined : { shown: name, key: nameKeyOf(name) };
    requireOutcome(await organization.update(unit.id, { name: shown, terms }));
    const fields = [...(name === undefined ? [] : ['name']), ...Object.keys(given ?? {})];
    return withoutAbsent<NonNullable<AuditEntry['detail']>>({ fields, name });
  }

  async function remove(unit: UnitRecord): Promise<void> {
    const outcome = await organization.remove(unit.id);
    if (outcome === 'absent') requireOutcome('absent');
    if (outcome === 'in-use') {
      const message = `${unit.name} is in use. Revoke or move its tokens${unit.kind === 'team' ? ' and remove its projects' : ''} first.`;
      throw new GatewayError('field_invalid', message, { param: 'id' });
    }
  }

  return {
    tree: (actor) => views.tree(actor),
    async changeOrganization(actor, input) {
      const unit = await organization.byId(organizationId);
      if (unit === undefined) throw absent();
      const detail = await update(unit, input, async () => undefined);
      await written(actor, 'organization-change', 'organization', detail);
      return views.tree(actor);
    },
    async createTeam(actor, input) {
      const { name, terms } = checked(newUnits, input);
      const id = await insert('team', organizationId, name, changedLevelTerms({}, terms ?? {}));
      await written(actor, 'team-create', `team:${id}`, { name });
      return views.team(actor, id);
    },
    async changeTeam(actor, id, input) {
      const unit = await access.requireTeam(actor, id, 'manage');
      const detail = await update(unit, input, async () => {
        if (!(await access.standingOf(actor)).managesAll) {
          throw beyond('terms', 'only an owner or admin of Weir can change the limits of a team');
        }
      });
      await written(actor, 'team-change', `team:${id}`, detail);
      return views.team(actor, id);
    },
    async removeTeam(actor, id) {
      const unit = await access.requireTeam(actor, id, 'manage');
      await remove(unit);
      await written(actor, 'team-delete', `team:${id}`, { name: unit.name });
    },
    async createProject(actor, teamId, input) {
      const team = await access.requireTeam(actor, teamId, 'manage');
      const { name, terms: given } = checked(newUnits, input);
      const terms = changedLevelTerms({}, given ?? {});
      await requireTerms(actor, team, terms);
      const id = await insert('project', teamId, name, terms);
      await written(actor, 'project-create', `project:${id}`, { name, team: team.name });
      return views.project(id);
    },
    async changeProject(actor, id, input) {
      const { team, project } = await access.requireProject(actor, id);
      const detail = await update(project, input, (terms) => requireTerms(actor, team, terms, project.terms));
      await written(actor, 'project-change', `project:${id}`, detail);
      return views.project(id);
    },
    async removeProject(actor, id) {
      const { project } = await access.requireProject(actor, id);
      await remove(project);
      await written(actor, 'project-delete', `project:${id}`, { name: project.name });
    },
  };
}

const absent = (): GatewayError => new GatewayError('not_found', 'Team or project not found.', { param: 'id' });

function requireOutcome(outcome: UnitOutcome): void {
  if (outcome === 'absent' || outcome === 'parent-absent') throw absent();
  if (outcome === 'name-taken') {
    throw new GatewayError('field_invalid', 'name: is already taken', { param: 'name' });
  }
}

type Counts = Awaited<ReturnType<OrganizationStore['counts']>>;

function createUnitViews({ organization, access, budgets, nowMs }: UnitsOptions) {
  const iso = (atMs: number): string => new Date(atMs).toISOString();

  const termsView = ({ kind, id, terms }: UnitRecord) =>
    levelTermsView(terms, { kind: kind === 'organization' ? 'org' : kind, id }, budgets, nowMs());

  async function projectView(unit: UnitRecord, counts: Counts): Promise<ProjectView> {
    const { id, name, parentId: teamId = '', createdAtMs } = unit;
    const tokens = counts.get(id)?.tokens ?? 0;
    return { id, teamId, name, createdAt: iso(createdAtMs), terms: await termsView(unit), tokens };
  }

  async function teamView(
    unit: UnitRecord,
    projects: readonly UnitRecord[],
    counts: Counts,
    standing: Standing,
  ): Promise<TeamView> {
    const { id, name, createdAtMs } = unit;
    const { tokens = 0, members = 0 } = counts.get(id) ?? {};
    return withoutAbsent<TeamView>({
      id,
      name,
      createdAt: iso(createdAtMs),
      terms: await termsView(unit),
      tokens,
      members,
      projects: await Promise.all(projects.map((project) => projectView(project, counts))),
      role: standing.roleIn(id),
      mayManage: standing.manages(id),
    });
  }

  async function tree(actor: Actor): Promise<OrganizationView> {
    const [units, counts, standing] = await Promise.all([
      organization.list(organizationBounds.unitsListedMax),
      organization.counts(),
      access.standingOf(actor),
    ]);
    const own = units.find(({ id }) => id === organizationId);
    const projects = Map.groupBy(units, ({ parentId }) => parentId);
    const teams = units.filter(({ kind, id }) => kind === 'team' && standing.sees(id));
    return withoutAbsent<OrganizationView>({
      name: own?.name ?? '',
      terms: standing.seesAll && own !== undefined ? await termsView(own) : undefined,
      mayManage: standing.managesAll,
      teams: await Promise.all(teams.map((unit) => teamView(unit, projects.get(unit.id) ?? [], counts, standing))),
    });
  }

  return {
    tree,
    async team(actor: Actor, id: string): Promise<TeamView> {
      const found = (await tree(actor)).teams.find((team) => team.id === id);
      if (found === undefined) throw absent();
      return found;
    },
    async project(id: string): Promise<ProjectView> {
      const unit = await organization.byId(id);
      if (unit === undefined) throw absent();
      return projectView(unit, await organization.counts());
    },
  };
}
