/** The routes of the organization, its teams and projects, their members, and the limits of people, for the description. */

import {
  levelTermsSchema,
  membershipSchema,
  newUnitSchema,
  personTermsSchema,
  unitChangesSchema,
} from '../../contracts/organization-contract.ts';
import { json, type KeyRouteName, type RouteDescription } from '../route-description.ts';
import { body, listOf } from '../schema-names.ts';
import { member, organization, personTerms, project, team } from '../schemas/organization.ts';
import { describedRules, toolsMeaning } from '../token-rules.ts';

const budget = {
  id: 'b1',
  unit: 'usd',
  limit: '500',
  period: 'month',
  spent: '120.5',
  held: '0.25',
  left: '379.25',
  share: 0.241,
  resetsAt: '2026-12-01T00:00:00.000Z',
} as const;

const assistant = {
  id: 'prj_6y1u4i8o',
  teamId: 'team_9c2v5b7n',
  name: 'Assistant',
  createdAt: '2026-11-03T14:00:00.000Z',
  terms: { rpm: 600 },
  tokens: 2,
};

const research = {
  id: 'team_9c2v5b7n',
  name: 'Research',
  createdAt: '2026-11-02T09:30:00.000Z',
  terms: { budgets: [budget] },
  tokens: 3,
  members: 4,
  projects: [assistant],
  mayManage: true,
};

const terms = body('Limits', levelTermsSchema(describedRules), {
  budgets: 'The whole new list; a budget with the `id` of a former one keeps what it has spent.',
  rpm: 'Requests per minute; null for no limit.',
  tpm: 'Tokens per minute; null for no limit.',
  concurrency: 'Requests at a time; null for no limit.',
  models: 'Names or patterns such as `gpt-*`; null for all.',
  endpoints: 'Names of endpoints, such as `chat`; null for all.',
  tools: toolsMeaning,
  labels: 'Added to those of the tokens.',
  disabled: 'Refuse every request.',
  endUsers: 'What limits each end user of the tokens below; null for nothing.',
});
const termsMeaning = 'What is absent stays as it is; null removes a limit.';
const newUnit = body('NewUnit', newUnitSchema(describedRules).extend({ terms: terms.optional() }), {
  terms: 'Limits of everything in it together.',
});
const changes = body('UnitChanges', unitChangesSchema(describedRules).extend({ terms: terms.optional() }), {
  terms: termsMeaning,
});
const personChanges = body('PersonTermsChanges', personTermsSchema(describedRules).extend({ terms }), {
  terms: termsMeaning,
});
const membership = body('Membership', membershipSchema);

export const organizationRoutes = {
  'GET /console/api/organization': {
    call: 'organization.get',
    summary: 'Get the organization with its teams, their projects, limits and spend.',
    reply: json(organization, {
      name: 'Example Inc.',
      terms: { budgets: [{ ...budget, limit: '5000', left: '4879.25', share: 0.0241 }] },
      mayManage: true,
      teams: [research],
    }),
  },
  'PATCH /console/api/organization': {
    call: 'organization.change',
    summary: 'Rename the organization, or change its limits.',
    body: json(changes, { terms: { budgets: [{ unit: 'usd', limit: '5000', period: 'month' }] } }),
    reply: json(organization, { name: 'Example Inc.', terms: {}, mayManage: true, teams: [research] }),
  },
  'POST /console/api/teams': {
    call: 'teams.create',
    summary: 'Create a team.',
    body: json(newUnit, { name: 'Research', terms: { budgets: [{ unit: 'usd', limit: '500', period: 'month' }] } }),
    reply: json(team, { ...research, tokens: 0, members: 0, projects: [] }),
  },
  'PATCH /console/api/teams/{id}': {
    call: 'teams.change',
    summary: 'Rename a team, or change its limits.',
    body: json(changes, { terms: { rpm: 6_000, models: ['gpt-*', 'sandbox-*'] } }),
    reply: json(team, { ...research, terms: { rpm: 6_000, models: ['gpt-*', 'sandbox-*'] } }),
  },
  'DELETE /console/api/teams/{id}': {
    call: 'teams.remove',
    summary: 'Delete a team that has no tokens and no projects.',
  },
  'GET /console/api/teams/{id}/members': {
    call: 'teams.members',
    summary: 'List the members of a team.',
    reply: json(listOf('Member', member), {
      items: [
        {
          accountId: 'acc_7f3k2m9q',
          name: 'ada',
          role: 'admin',
          source: 'manual',
          since: '2026-11-02T09:45:00.000Z',
          state: 'active',
        },
      ],
    }),
  },
  'PUT /console/api/teams/{id}/members/{accountId}': {
    call: 'teams.setMember',
    summary: 'Add a person to a team, or change their role in it.',
    body: json(membership, { role: 'admin' }),
    reply: json(member, {
      accountId: 'acc_7f3k2m9q',
      name: 'ada',
      role: 'admin',
      source: 'manual',
      since: '2026-11-02T09:45:00.000Z',
      state: 'active',
    }),
  },
  'DELETE /console/api/teams/{id}/members/{accountId}': {
    call: 'teams.removeMember',
    summary: 'Remove a person from a team.',
  },
  'POST /console/api/teams/{id}/projects': {
    call: 'teams.createProject',
    summary: 'Create a project in a team.',
    body: json(newUnit, { name: 'Assistant', terms: { rpm: 600 } }),
    reply: json(project, { ...assistant, tokens: 0 }),
  },
  'PATCH /console/api/projects/{id}': {
    call: 'projects.change',
    summary: 'Rename a project, or change its limits.',
    body: json(changes, { name: 'Assistant 2' }),
    reply: json(project, { ...assistant, name: 'Assistant 2' }),
  },
  'DELETE /console/api/projects/{id}': {
    call: 'projects.remove',
    summary: 'Delete a project that has no tokens.',
  },
  'GET /console/api/accounts/{id}/terms': {
    call: 'accounts.terms',
    summary: 'Get the limits of a person over all their tokens, and the teams they are in.',
    reply: json(personTerms, {
      accountId: 'acc_7f3k2m9q',
      name: 'ada',
      terms: { concurrency: 20 },
      memberships: [{ teamId: 'team_9c2v5b7n', teamName: 'Research', role: 'admin', source: 'manual' }],
    }),
  },
  'PATCH /console/api/accounts/{id}/terms': {
    call: 'accounts.changeTerms',
    summary: 'Change the limits of a person over all their tokens.',
    body: json(personChanges, { terms: { concurrency: 20 } }),
    reply: json(personTerms, { accountId: 'acc_7f3k2m9q', name: 'ada', terms: { concurrency: 20 }, memberships: [] }),
  },
} as const satisfies Partial<Record<KeyRouteName, RouteDescription>>;
