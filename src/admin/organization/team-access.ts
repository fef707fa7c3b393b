/**
 * Who may do what with a team. Owners and admins of Weir may do everything, viewers see everything; a member has the role
 * of their membership in each team, and a team without one does not exist for them. A key of a team has its role there.
 */

import { organizationId, type TeamRole, type UnitRecord } from '../../access/organization.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { OrganizationStore } from '../../store/organization/organization-store.ts';
import type { Actor } from '../accounts/sessions.ts';

export interface Standing {
  /** An owner or admin of Weir. */
  readonly managesAll: boolean;
  readonly seesAll: boolean;
  /** By membership. */
  roleIn(teamId: string): TeamRole | undefined;
  /** May change its name, projects, members and tokens. */
  manages(teamId: string): boolean;
  sees(teamId: string): boolean;
  /** Every token of it, rather than only their own. */
  seesTokensOf(teamId: string): boolean;
  /** May have tokens of their own in it. */
  mayCreateIn(teamId: string): boolean;
}

/** Where a token or project is: a team, and its project where it is in one. */
export interface Place {
  readonly team: UnitRecord;
  readonly project?: UnitRecord;
}

export interface TeamAccess {
  standingOf(actor: Pick<Actor, 'account' | 'key'>): Promise<Standing>;
  /** Undefined where there is no such team or project. The organization itself is no place for a token. */
  placeOf(unitId: string): Promise<Place | undefined>;
  /** The team, where the actor may see it and do this with it. */
  requireTeam(actor: Actor, teamId: string, act: 'see' | 'manage'): Promise<UnitRecord>;
  requireProject(actor: Actor, projectId: string): Promise<Required<Place>>;
}

type Units = Pick<OrganizationStore, 'byId' | 'membershipsOf'>;

export function createTeamAccess(units: Units): TeamAccess {
  async function rolesOf({ account, key }: Pick<Actor, 'account' | 'key'>): Promise<ReadonlyMap<string, TeamRole>> {
    if (key?.team !== undefined) return new Map([[key.team.id, key.team.role]]);
    return new Map((await units.membershipsOf(account.id)).map(({ teamId, role }) => [teamId, role]));
  }

  async function standingOf(actor: Pick<Actor, 'account' | 'key'>): Promise<Standing> {
    const { account } = actor;
    const managesAll = account.role === 'owner' || account.role === 'admin';
    const seesAll = account.role !== 'member';
    const roles = await rolesOf(actor);
    // An account that only looks does not change anything, whatever its membership says.
    const roleIn = (teamId: string): TeamRole | undefined =>
      account.role === 'viewer' && roles.has(teamId) ? 'viewer' : roles.get(teamId);
    return {
      managesAll,
      seesAll,
      roleIn,
      manages: (teamId) => managesAll || roleIn(teamId) === 'admin',
      sees: (teamId) => seesAll || roles.has(teamId),
      seesTokensOf: (teamId) => seesAll || roleIn(teamId) === 'admin' || roleIn(teamId) === 'viewer',
      mayCreateIn: (teamId) => managesAll || roleIn(teamId) === 'admin' || roleIn(teamId) === 'member',
    };
  }

  async function placeOf(unitId: string): Promise<Place | undefined> {
    const unit = await units.byId(unitId);
    if (unit === undefined || unit.kind === 'organization') return undefined;
    if (unit.kind === 'team') return { team: unit };
    const team = await units.byId(unit.parentId ?? organizationId);
    return team === undefined ? undefined : { team, project: unit };
  }

  return {
    standingOf,
    placeOf,
    async requireTeam(actor, teamId, act) {
      const [place, standing] = await Promise.all([placeOf(teamId), standingOf(actor)]);
      if (place === undefined || place.project !== undefined || !standing.sees(teamId)) throw notFound('Team');
      if (act === 'manage' && !standing.manages(teamId)) throw notManaged(place.team);
      return place.team;
    },
    async requireProject(actor, projectId) {
      const [place, standing] = await Promise.all([placeOf(projectId), standingOf(actor)]);
      if (place?.project === undefined || !standing.sees(place.team.id)) throw notFound('Project');
      if (!standing.manages(place.team.id)) throw notManaged(place.team);
      return { team: place.team, project: place.project };
    },
  };
}

const notFound = (what: 'Team' | 'Project'): GatewayError =>
  new GatewayError('not_found', `${what} not found.`, { param: 'id' });

const notManaged = ({ name }: UnitRecord): GatewayError =>
  new GatewayError('role_not_allowed', `Only an admin of ${name} can do this.`);
