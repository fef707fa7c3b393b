/** Settings of SCIM, by which a directory makes accounts, disables them, and fills teams. */

import { optional, row } from './setting-row.ts';
import { choice, text } from './values.ts';

export const scimRows = {
  'scim.token': optional(text(20, 'a text of 20 characters or more'), {
    secret: true,
    sentTo: [],
    variableOnly: true,
    meaning: 'Bearer token that a directory sends to `/scim/v2`. Without one, SCIM is off.',
  }),
  'scim.default_role': row(choice(['admin', 'member', 'viewer']), 'member', {
    live: true,
    meaning: 'Role of an account that a directory creates.',
  }),
  'scim.team_role': row(choice(['viewer', 'member', 'admin']), 'member', {
    live: true,
    meaning: 'Role in the team that has the name of a group, for members of the group. `scim.rules` go first.',
  }),
  'scim.issuer': optional(text(1, 'the name of an issuer of sign_in.issuers'), {
    live: true,
    example: 'company',
    meaning: 'Issuer through which accounts of the directory sign in. Default: the only one that is configured.',
  }),
} as const;
