/** The routes of tokens, for the description. */

import { tokenStates } from '../../../access/token-table.ts';
import { rotateTokenSchema, tokenOwnerSchema, tokenSorts, tokenUnitSchema } from '../../contracts/account-contract.ts';
import { newTokenSchema, tokenChangesSchema } from '../../contracts/usage-contract.ts';
import {
  choice,
  json,
  type KeyRouteName,
  pageQuery,
  paging,
  type RouteDescription,
  text,
} from '../route-description.ts';
import { body, pageOf } from '../schema-names.ts';
import { issuedToken, ownedToken } from '../schemas/tokens.ts';
import { describedRules, toolsMeaning } from '../token-rules.ts';

const agent = {
  id: 'tok_8m4n6b2v',
  name: 'build-agent',
  hint: 'weir_…x4Tq',
  state: 'active',
  createdAt: '2026-11-17T10:00:00.000Z',
  expiresAt: '2099-12-31T00:00:00.000Z',
  ownerId: 'acc_7f3k2m9q',
  unitId: 'prj_6y1u4i8o',
  models: ['gpt-*'],
  rpm: 60,
  budget: {
    limitUsd: '50',
    limitNano: '50000000000',
    period: 'month',
    spentUsd: '12.5',
    heldUsd: '0',
    leftUsd: '37.5',
    resetsAt: '2026-12-01T00:00:00.000Z',
  },
  strict: false,
  labels: ['ci'],
  maySteer: false,
  mayExplain: true,
  ownerName: 'ada',
  teamId: 'team_9c2v5b7n',
  teamName: 'Research',
  projectName: 'Assistant',
  access: 'full',
  lastUsedAt: '2026-11-17T10:04:31.000Z',
  spend: { monthNano: '12500000000', totalNano: '40250000000', unpriced: 0 },
} as const;

const place = { ...tokenOwnerSchema.partial().shape, ...tokenUnitSchema.partial().shape };
const meanings = {
  expiresAt: 'A date such as `2030-01-31` or `2030-01-31T12:00:00Z`; null for never.',
  models: 'Names or patterns such as `gpt-*`; null for all.',
  endpoints: 'Names of endpoints, such as `chat`; null for all.',
  addresses: 'Networks such as `10.0.0.0/8`; null for all.',
  tools: toolsMeaning,
  rpm: 'Requests per minute; null for no limit.',
  tpm: 'Tokens per minute; null for no limit.',
  concurrency: 'Requests at a time; null for no limit.',
  budgetUsd: 'Dollars such as `"0.25"`; null for no budget.',
  strict: 'Refuse requests with fields that the provider does not support.',
  moderate: 'What must pass moderation: the request, the reply, or both.',
  labels: 'Routes can match groups of tokens by these.',
  subTokensMax: 'How many smaller tokens it may have at a time; null for none.',
  budgets: 'Further budgets, the whole new list; one with the `id` of a former one keeps what it has spent.',
  endUsers: 'What limits each end user whom it names; null for nothing.',
  maySteer: 'May set routing options.',
  mayExplain: 'May ask where its request would be routed.',
  ownerId: 'The account it belongs to; null for none. The account of the key by default.',
  unitId: 'The team or project it counts against; null for none.',
} as const;

const newToken = body('NewToken', newTokenSchema(describedRules).extend(place), meanings);
const tokenChanges = body('TokenChanges', tokenChangesSchema(describedRules).extend(place), {
  ...meanings,
  ownerId: 'The account it belongs to; null for none.',
});
const rotation = body('TokenRotation', rotateTokenSchema, { overlapMs: 'How long the old secret works on.' });

export const tokenRoutes = {
  'GET /console/api/tokens': {
    call: 'tokens.list',
    summary: 'List the tokens, newest first.',
    query: {
      owner: text('The ID of the account that the tokens belong to.'),
      team: text('The ID of a team: its tokens and those of its projects.'),
      project: text('The ID of a project.'),
      q: text('Words that occur in the name, ID, hint, labels or owner.'),
      state: choice(tokenStates, 'The state of the tokens.'),
      sort: choice(
        tokenSorts.flatMap((sort) => [sort, `-${sort}`]),
        'Another order; `-` reverses it.',
      ),
      ...pageQuery,
    },
    reply: json(pageOf('Token', ownedToken), { items: [agent], next: 'tok_8m4n6b2v' }),
    paging,
  },
  'POST /console/api/tokens': {
    call: 'tokens.create',
    summary: 'Create a token. Its secret is in this reply and nowhere else.',
    body: json(newToken, {
      name: 'build-agent',
      unitId: 'prj_6y1u4i8o',
      models: ['gpt-*'],
      rpm: 60,
      budgetUsd: '50',
      budgetPeriod: 'month',
      expiresAt: '2099-12-31',
      labels: ['ci'],
    }),
    reply: json(issuedToken, { ...agent, token: 'weir_Zk3vB9…' }),
  },
  'GET /console/api/tokens/{id}': {
    call: 'tokens.get',
    summary: 'Get a token with its limits and what is left of its budget.',
    reply: json(ownedToken, agent),
  },
  'PATCH /console/api/tokens/{id}': {
    call: 'tokens.change',
    summary: 'Change a token. What is absent stays as it is; null removes a limit.',
    body: json(tokenChanges, { rpm: 120, budgetUsd: null }),
    reply: json(ownedToken, { ...agent, rpm: 120 }),
  },
  'POST /console/api/tokens/{id}/rotate': {
    call: 'tokens.rotate',
    summary: 'Give a token a new secret. It is in this reply and nowhere else.',
    body: json(rotation, { overlapMs: 600_000 }),
    reply: json(issuedToken, { ...agent, token: 'weir_Qp7nD2…' }),
  },
  'DELETE /console/api/tokens/{id}': {
    call: 'tokens.revoke',
    summary: 'Revoke a token for good. Its requests in flight are ended.',
    reply: json(ownedToken, { ...agent, state: 'revoked', revokedAt: '2026-11-17T11:00:00.000Z' }),
  },
} as const satisfies Partial<Record<KeyRouteName, RouteDescription>>;
