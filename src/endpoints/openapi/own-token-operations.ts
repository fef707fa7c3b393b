/** The rows of the paths by which a token asks about itself and creates smaller tokens. */

import { ownTokenCarriers } from '../own-token.ts';
import type { Operation } from './operations.ts';

const asked = { family: 'chat', passages: ['token'], permissions: ownTokenCarriers, tag: 'This token' } as const;

export const ownTokenRows: readonly Operation[] = [
  {
    ...asked,
    route: 'GET /v1/token',
    id: 'ownToken',
    summary: 'Get this token: its rights, its limits, and what is left of every budget that it counts against.',
    reply: 'OwnToken',
  },
  {
    ...asked,
    route: 'GET /v1/usage',
    id: 'ownUsage',
    summary: 'List the requests of this token, newest first, with sums by model.',
    query: {
      from: 'A time such as `2030-01-31T12:00:00Z`, or seconds since 1970; 30 days before `to` by default.',
      to: 'The end, exclusive; now by default.',
      limit: 'Requests per page, at most 100.',
      after: 'The ID of the last request of the previous page.',
    },
    reply: 'OwnUsage',
  },
  {
    ...asked,
    route: 'GET /v1/usage/{id}',
    id: 'ownRequest',
    summary: 'Get one request of this token by its `x-request-id`, with what its translation lost.',
    reply: 'OwnRequest',
  },
  {
    ...asked,
    route: 'GET /v1/tokens',
    id: 'subTokens',
    summary: 'List the smaller tokens that this token created and that still work.',
    reply: 'SubTokenList',
  },
  {
    ...asked,
    route: 'POST /v1/tokens',
    id: 'createSubToken',
    summary: 'Create a smaller token. It counts against everything this token counts against, and ends with it.',
    passages: ['token', 'body'],
    body: { json: 'SubTokenRequest' },
    reply: 'SubToken',
  },
  {
    ...asked,
    route: 'DELETE /v1/tokens/{id}',
    id: 'revokeSubToken',
    summary: 'Revoke a smaller token.',
    reply: 'Deleted',
  },
];
