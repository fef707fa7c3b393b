/** Replies about the organization, its teams and projects, and the limits of each. */

import { z } from 'zod';
import { teamRoles } from '../../../access/organization.ts';
import type {
  LevelTermsView,
  MemberView,
  OrganizationView,
  PersonTermsView,
  ProjectView,
  TeamView,
} from '../../contracts/organization-contract.ts';
import { reply, time } from '../schema-names.ts';
import { endUserTerms, levelBudget } from './budgets.ts';

const levelTerms = reply<LevelTermsView>()(
  'LevelTerms',
  z.strictObject({
    budgets: z.array(levelBudget).exactOptional(),
    rpm: z.number().exactOptional(),
    tpm: z.number().exactOptional(),
    concurrency: z.number().exactOptional(),
    models: z.array(z.string()).exactOptional(),
    endpoints: z.array(z.string()).exactOptional(),
    tools: z.array(z.string()).exactOptional(),
    labels: z.array(z.string()).exactOptional(),
    disabled: z.boolean().exactOptional(),
    endUsers: endUserTerms.exactOptional().describe('What limits each end user of the tokens below.'),
  }),
);

export const project = reply<ProjectView>()(
  'Project',
  z.strictObject({
    id: z.string(),
    teamId: z.string(),
    name: z.string(),
    createdAt: time,
    terms: levelTerms,
    tokens: z.number().describe('Tokens of the project that were not revoked.'),
  }),
);

export const team = reply<TeamView>()(
  'Team',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    createdAt: time,
    terms: levelTerms,
    tokens: z
      .number()
      .describe('Tokens of the team itself that were not revoked; those of its projects are counted there.'),
    members: z.number(),
    projects: z.array(project),
    role: z.enum(teamRoles).exactOptional().describe('The reader’s role in it; absent where they have none.'),
    mayManage: z.boolean().describe('May change its name, projects, members and tokens.'),
  }),
);

export const organization = reply<OrganizationView>()(
  'Organization',
  z.strictObject({
    name: z.string(),
    terms: levelTerms.exactOptional().describe('Only for those who see all teams.'),
    mayManage: z.boolean().describe('May change the organization, make teams, and set the terms of teams.'),
    teams: z.array(team),
  }),
);

export const member = reply<MemberView>()(
  'Member',
  z.strictObject({
    accountId: z.string(),
    name: z.string(),
    role: z.enum(teamRoles),
    source: z.string().describe('`manual`, or the name of the issuer or directory that made it.'),
    since: time,
    state: z.enum(['active', 'disabled']),
  }),
);

export const personTerms = reply<PersonTermsView>()(
  'PersonTerms',
  z.strictObject({
    accountId: z.string(),
    name: z.string(),
    terms: levelTerms,
    memberships: z.array(
      z.strictObject({ teamId: z.string(), teamName: z.string(), role: z.enum(teamRoles), source: z.string() }),
    ),
  }),
);
