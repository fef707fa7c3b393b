/** What changes of the organization, its teams, their projects and members. */

import {
  type LevelTerms,
  type MembershipRecord,
  organizationId,
  type UnitKind,
  type UnitRecord,
} from '../../access/organization.ts';
import { nameKeyOf } from '../../admin/accounts/name-key.ts';
import type { AuditAction } from '../../admin/contracts/account-contract.ts';
import { newUnitId } from '../../admin/organization/units.ts';
import type { OrganizationState } from '../../store/organization/change-set-store.ts';
import type { Draft } from './draft.ts';
import { type Mistakes, type Path, suggestion } from './mistakes.ts';
import type { FileLevel, FileTeam, OrgFile } from './org-file.ts';
import type { PeoplePlan } from './plan-people.ts';
import type { FileEntry } from './section-reader.ts';
import { type Difference, differences, fieldsOf, levelTermsOf, shownLevel } from './terms.ts';
import { checkWithin } from './within.ts';

/** A team or project after the change. */
export interface PlannedUnit {
  readonly id: string;
  readonly name: string;
  /** As a message calls it. */
  readonly title: string;
  readonly terms: LevelTerms;
  /** New, or with other terms than before. */
  readonly isChanged: boolean;
  /** What contains it. */
  readonly above?: PlannedUnit;
  /** Of a team, by their names as they are compared. */
  readonly projects: ReadonlyMap<string, PlannedUnit>;
}

export interface UnitPlan {
  readonly organization: PlannedUnit;
  readonly teams: ReadonlyMap<string, PlannedUnit>;
  /** Units that are removed: their tokens must end. */
  readonly removed: readonly UnitRecord[];
  /** Members who are removed: their tokens in the team end. */
  readonly left: readonly { readonly team: PlannedUnit; readonly accountId: string }[];
}

interface UnitParts {
  readonly draft: Draft;
  readonly mistakes: Mistakes;
  readonly state: OrganizationState;
  readonly people: PeoplePlan;
  readonly isPruning: boolean;
}

interface Naming {
  readonly kind: UnitKind;
  /** As the diff writes it. */
  readonly text: string;
  readonly path: Path;
}

export function planUnits(file: OrgFile, parts: UnitParts): UnitPlan {
  const planner = new UnitPlanner(parts);
  const organization = planner.organization(file.organization);
  const teams = planner.teams(file.teams, organization);
  return { organization, teams, removed: planner.removed, left: planner.left };
}

/** From the nearest to the organization. */
export function levelsAbove({ above }: Pick<PlannedUnit, 'above'>): readonly PlannedUnit[] {
  return above === undefined ? [] : [above, ...levelsAbove(above)];
}

const titleOf = ({ kind, name }: UnitRecord): string =>
  kind === 'organization' ? 'the organization' : `the ${kind} ${name}`;

const asItIs = (unit: UnitRecord, above: PlannedUnit): PlannedUnit => {
  const { id, name, terms } = unit;
  return { id, name, title: titleOf(unit), terms, isChanged: false, above, projects: new Map() };
};

class UnitPlanner {
  readonly removed: UnitRecord[] = [];
  readonly left: { team: PlannedUnit; accountId: string }[] = [];
  readonly #parts: UnitParts;
  readonly #children: ReadonlyMap<string | undefined, readonly UnitRecord[]>;
  readonly #members: ReadonlyMap<string, readonly MembershipRecord[]>;

  constructor(parts: UnitParts) {
    this.#parts = parts;
    this.#children = Map.groupBy(parts.state.units, ({ parentId }) => parentId);
    this.#members = Map.groupBy(parts.state.members, ({ teamId }) => teamId);
  }

  organization(given: OrgFile['organization']): PlannedUnit {
    const unit = this.#parts.state.units.find(({ id }) => id === organizationId);
    const before = unit ?? { id: organizationId, kind: 'organization' as const, name: '', terms: {}, createdAtMs: 0 };
    const naming = { kind: 'organization', text: 'organization', path: ['organization'] } as const;
    const { name = before.name, terms } = given ?? {};
    return this.#change(naming, before, name, { terms });
  }

  teams(given: OrgFile['teams'], organization: PlannedUnit): ReadonlyMap<string, PlannedUnit> {
    const teams = new Map<string, PlannedUnit>();
    const known = new Map((this.#children.get(organizationId) ?? []).map((unit) => [nameKeyOf(unit.name), unit]));
    for (const entry of given ?? []) {
      const { name, key, path, value } = entry;
      const own = this.#put({ kind: 'team', text: `team ${name}`, path }, entry, known.get(key), organization);
      const team = { ...own, projects: this.#projects(value.projects, own) };
      teams.set(key, team);
      this.#putMembers(entry, team);
    }
    const others = [...known].filter(([key]) => !teams.has(key));
    const isRemoving = given !== undefined && this.#parts.isPruning;
    for (const [key, unit] of others) {
      const team = asItIs(unit, organization);
      if (isRemoving) this.#removeTeam(unit);
      else teams.set(key, { ...team, projects: this.#projects(undefined, team) });
    }
    if (given !== undefined && !isRemoving) this.#parts.draft.countUnnamed('team', others.length);
    return teams;
  }

  #projects(given: FileTeam['projects'], team: PlannedUnit): ReadonlyMap<string, PlannedUnit> {
    const projects = new Map<string, PlannedUnit>();
    const known = new Map((this.#children.get(team.id) ?? []).map((unit) => [nameKeyOf(unit.name), unit]));
    for (const entry of given ?? []) {
      const text = `project ${team.name}/${entry.name}`;
      projects.set(
        entry.key,
        this.#put({ kind: 'project', text, path: entry.path }, entry, known.get(entry.key), team),
      );
    }
    const others = [...known].filter(([key]) => !projects.has(key));
    const isRemoving = given !== undefined && this.#parts.isPruning;
    for (const [key, unit] of others) {
      if (isRemoving) this.#remove(unit, `project ${team.name}/${unit.name}`, 'project-delete');
      else projects.set(key, asItIs(unit, team));
    }
    if (given !== undefined && !isRemoving) this.#parts.draft.countUnnamed('project', others.length);
    return projects;
  }

  #put(
    naming: Naming,
    { name, key, value, path }: FileEntry<FileLevel>,
    before: UnitRecord | undefined,
    above: PlannedUnit,
  ): PlannedUnit {
    const own =
      before === undefined ? this.#add(naming, name, key, value, above) : this.#change(naming, before, name, value);
    const planned = { ...own, above };
    if (value.terms !== undefined) {
      checkWithin(this.#parts.mistakes, planned, levelsAbove(planned), (field, index) =>
        index === undefined ? [...path, 'terms', field] : [...path, 'terms', field, index, 'limit'],
      );
    }
    return planned;
  }

  #add(naming: Naming, name: string, key: string, { terms: given }: FileLevel, parent: PlannedUnit): PlannedUnit {
    const { draft } = this.#parts;
    const kind = naming.kind === 'project' ? 'project' : 'team';
    const id = newUnitId(kind);
    const terms = this.#termsOf(naming, given ?? {}, {});
    draft.rows.units.push({ id, kind, parentId: parent.id, name, nameKey: key, terms, createdAtMs: draft.atMs });
    const set = Object.entries(shownLevel(terms, draft.atMs)).map(([field, text]) => `${field} ${text}`);
    draft.say('+', [naming.text, ...(set.length > 0 ? [set.join('; ')] : [])].join(': '), {
      action: `${kind}-create`,
      subject: `${kind}:${id}`,
      detail: kind === 'team' ? { name } : { name, team: parent.name },
    });
    return { id, name, title: `the ${kind} ${name}`, terms, isChanged: true, projects: new Map() };
  }

  #change(naming: Naming, before: UnitRecord, name: string, { terms: given }: FileLevel): PlannedUnit {
    const { draft } = this.#parts;
    const { id, kind } = before;
    const terms = given === undefined ? before.terms : this.#termsOf(naming, given, before.terms);
    const changed = differences(shownLevel(before.terms, draft.atMs), shownLevel(terms, draft.atMs));
    const renamed = differences({ name: before.name }, { name });
    const found: readonly Difference[] = [...renamed, ...changed];
    if (found.length > 0) {
      draft.rows.units.push({ ...before, name, nameKey: nameKeyOf(name), terms });
      draft.say('~', `${naming.text}: ${found.map(({ text }) => text).join('; ')}`, {
        action: `${kind}-change`,
        subject: kind === 'organization' ? kind : `${kind}:${id}`,
        detail: { fields: fieldsOf(found), ...(renamed.length > 0 && { name }) },
      });
    }
    return { id, name, title: titleOf(before), terms, isChanged: changed.length > 0, projects: new Map() };
  }

  #termsOf({ path }: Naming, given: NonNullable<FileLevel['terms']>, before: LevelTerms): LevelTerms {
    const { mistakes, draft } = this.#parts;
    return mistakes.take([...path, 'terms', 'budgets'], () => levelTermsOf(given, before, draft.atMs)) ?? before;
  }

  #putMembers({ value }: FileEntry<FileTeam>, team: PlannedUnit): void {
    const { members: given } = value;
    if (given === undefined) return;
    const { draft, mistakes, people, isPruning } = this.#parts;
    const now = this.#members.get(team.id) ?? [];
    const named = new Set<string>();
    for (const { name, key, path: at, value: role } of given) {
      const person = people.byKey.get(key);
      if (person === undefined) {
        const near = suggestion(
          name,
          [...people.byKey.values()].map((each) => each.name),
        );
        mistakes.add(at, `is not a person${near || '.'} Name them under people first`);
        continue;
      }
      named.add(person.id);
      const before = now.find(({ accountId }) => accountId === person.id);
      if (before?.role === role) continue;
      const createdAtMs = before?.createdAtMs ?? draft.atMs;
      draft.rows.members.push({ teamId: team.id, accountId: person.id, role, source: 'manual', createdAtMs });
      const text = before === undefined ? `(${role})` : `${before.role} → ${role}`;
      draft.say(before === undefined ? '+' : '~', `member ${team.name}: ${person.name} ${text}`, {
        action: 'member-change',
        subject: `team:${team.id}`,
        detail: { team: team.name, member: person.name, role },
      });
    }
    // What an issuer or a directory made is theirs to remove.
    const others = now.filter(({ accountId, source }) => !named.has(accountId) && source === 'manual');
    if (!isPruning) draft.countUnnamed('member', others.length);
    else for (const { accountId } of others) this.#removeMember(team, accountId);
  }

  #removeMember(team: PlannedUnit, accountId: string): void {
    const { draft, people } = this.#parts;
    const member = people.byId.get(accountId)?.name ?? accountId;
    draft.rows.removedMembers.push({ teamId: team.id, accountId });
    this.left.push({ team, accountId });
    draft.say('-', `member ${team.name}: ${member}`, {
      action: 'member-remove',
      subject: `team:${team.id}`,
      detail: { team: team.name, member },
    });
  }

  #removeTeam(unit: UnitRecord): void {
    for (const project of this.#children.get(unit.id) ?? []) {
      this.#remove(project, `project ${unit.name}/${project.name}`, 'project-delete');
    }
    this.#remove(unit, `team ${unit.name}`, 'team-delete');
  }

  #remove(unit: UnitRecord, text: string, action: AuditAction): void {
    const { id, kind, name } = unit;
    this.removed.push(unit);
    this.#parts.draft.rows.removedUnits.push(id);
    this.#parts.draft.say('-', text, { action, subject: `${kind}:${id}`, detail: { name } });
  }
}
