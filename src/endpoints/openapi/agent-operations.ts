/** The rows of the paths by which a program signs in for a person, and of what it reads afterwards. */

import type { Operation } from './operations.ts';

const open = { family: 'chat', passages: [], permissions: ['nothing'], tag: 'Agent sign-in' } as const;
const asked = {
  family: 'chat',
  passages: ['token'],
  permissions: ['bearer', 'x-api-key'],
  tag: 'Agent sign-in',
} as const;

export const agentRows: readonly Operation[] = [
  {
    ...open,
    route: 'GET /.well-known/oauth-authorization-server',
    id: 'oauthMetadata',
    summary: 'Get the addresses of the sign-in (RFC 8414).',
    reply: 'Description',
  },
  {
    ...open,
    route: 'POST /oauth/device_authorization',
    id: 'deviceAuthorization',
    summary: 'Get a device code and a user code (RFC 8628). The body is a form: `client_id`.',
    reply: 'Description',
  },
  {
    ...open,
    route: 'POST /oauth/token',
    id: 'oauthToken',
    summary:
      'Get or renew an access token. The body is a form: `grant_type`, `client_id`, and `device_code` or `refresh_token`.',
    reply: 'Description',
  },
  {
    ...open,
    route: 'POST /oauth/revoke',
    id: 'oauthRevoke',
    summary: 'End a sign-in (RFC 7009). The body is a form: `token`, `client_id`.',
    reply: 'Description',
  },
  {
    ...asked,
    route: 'GET /managed/settings',
    id: 'managedSettings',
    summary: 'Get the settings that the operator gives to signed-in programs.',
    reply: 'Description',
  },
  {
    ...asked,
    route: 'GET /managed/spend',
    id: 'managedSpend',
    summary: 'Get what the person has spent and when it resets.',
    reply: 'Description',
  },
  ...(['metrics', 'logs', 'traces'] as const).map(
    (signal): Operation => ({
      ...asked,
      route: `POST /v1/${signal}`,
      id: `telemetry-${signal}`,
      summary: `Accept OTLP ${signal} of a signed-in program; they are not kept.`,
      reply: 'Description',
    }),
  ),
];
