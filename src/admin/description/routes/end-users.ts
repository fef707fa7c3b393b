/** The routes of end users, for the description. */

import { endUserBounds, endUserChangesSchema } from '../../contracts/end-user-contract.ts';
import {
  choice,
  json,
  type KeyRouteName,
  limit,
  pageQuery,
  paging,
  type RouteDescription,
  text,
} from '../route-description.ts';
import { body, pageOf } from '../schema-names.ts';
import { endUser } from '../schemas/end-users.ts';
import { describedRules } from '../token-rules.ts';

const reader = {
  id: 'team_9c2v5b7n.2f6d1a9c4b7e8053',
  name: 'user-7',
  scope: { kind: 'team', id: 'team_9c2v5b7n', name: 'Research' },
  token: { id: 'tok_8m4n6b2v', name: 'build-agent' },
  firstSeenAt: '2026-11-10T08:00:00.000Z',
  lastSeenAt: '2026-11-17T10:04:31.000Z',
  blocked: false,
  note: '',
  terms: { rpm: 20 },
  own: [],
  limited: true,
  spend: { monthNano: '1250000000', totalNano: '4025000000', unpriced: 0 },
  access: 'full',
} as const;

const changes = body('EndUserChanges', endUserChangesSchema(describedRules), {
  terms: 'Their own limits; null, and a field that is null: the defaults of the level count again.',
  blocked: 'Refuse every request that names them.',
  note: 'For administrators.',
});

export const endUserRoutes = {
  'GET /console/api/end-users': {
    call: 'endUsers.list',
    summary: 'List the end users whom requests named, the last seen first.',
    query: {
      ...pageQuery,
      limit: limit(endUserBounds.pageMax),
      q: text('Part of their name.'),
      token: text('The ID of the token that named them first.'),
      team: text('The ID of a team: also those of its projects and tokens.'),
      project: text('The ID of a project.'),
      blocked: choice(['true', 'false'], 'Blocked or not.'),
    },
    reply: json(pageOf('EndUser', endUser), { items: [reader] }),
    paging,
  },
  'GET /console/api/end-users/{id}': {
    call: 'endUsers.get',
    summary: 'Get an end user with limits and spend.',
    reply: json(endUser, reader),
  },
  'PATCH /console/api/end-users/{id}': {
    call: 'endUsers.change',
    summary: 'Give an end user limits of their own, block or unblock them, or write a note.',
    body: json(changes, { terms: { rpm: 5 }, note: 'Load test in November.' }),
    reply: json(endUser, { ...reader, terms: { rpm: 5 }, own: ['rpm'], note: 'Load test in November.' }),
  },
  'DELETE /console/api/end-users/{id}': {
    call: 'endUsers.forget',
    summary: 'Forget an end user: their limits, note and spend of budgets.',
    description: 'Stored requests keep the name until they expire. The next request that names them makes them again.',
  },
} satisfies Partial<Record<KeyRouteName, RouteDescription>>;
