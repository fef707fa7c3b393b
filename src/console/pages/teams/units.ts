/** The tree as rows: the organization, and each team with its projects below it. */

import type { LevelTermsView, OrganizationView, TeamView } from '../../../admin/contracts/organization-contract.ts';

export interface Unit {
  /** `org` for the organization. */
  readonly id: string;
  readonly kind: 'organization' | 'team' | 'project';
  readonly name: string;
  readonly terms: LevelTermsView;
  /** Absent for the organization. */
  readonly tokens?: number;
  /** Of a team. */
  readonly members?: number;
  readonly mayManage: boolean;
  /** Where it is a team. */
  readonly team?: TeamView;
  /** Where it is a project. */
  readonly teamId?: string;
}

export const organizationUnit = 'org';

export function unitsOf({ name, terms, mayManage, teams }: OrganizationView): readonly Unit[] {
  const below = teams.flatMap((team): readonly Unit[] => [
    { ...team, kind: 'team', team },
    ...team.projects.map((project): Unit => ({ ...project, kind: 'project', mayManage: team.mayManage })),
  ]);
  // Who does not see the organization's limits has no row for it.
  return terms === undefined
    ? below
    : [{ id: organizationUnit, kind: 'organization', name, terms, mayManage }, ...below];
}
