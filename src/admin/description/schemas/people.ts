/** Replies about accounts, their sessions, invitations, and the audit log. */

import { z } from 'zod';
import { roles } from '../../../access/account.ts';
import { teamRoles } from '../../../access/organization.ts';
import type {
  AccountView,
  AuditAction,
  AuditView,
  IssuedAccountView,
  SessionView,
} from '../../contracts/account-contract.ts';
import { auditActions } from '../../contracts/account-contract.ts';
import type { InvitationView, IssuedInvitationView } from '../../contracts/factor-contract.ts';
import { reply, time } from '../schema-names.ts';

export const account = reply<AccountView>()(
  'Account',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    role: z.enum(roles),
    state: z.enum(['active', 'disabled']),
    createdAt: time,
    passwordChangedAt: time,
    lastSignInAt: time.exactOptional(),
    disabledAt: time.exactOptional(),
    mustChangePassword: z
      .literal(true)
      .exactOptional()
      .describe('The password was given out by an administrator and is still in use.'),
    secondFactorAt: time.exactOptional().describe('Since when the account has a second factor.'),
  }),
);

export const issuedAccount = reply<IssuedAccountView>()(
  'IssuedAccount',
  z.strictObject({
    account,
    password: z.string().exactOptional().describe('Only where Weir made it, and only this once.'),
  }),
);

export const session = reply<SessionView>()(
  'Session',
  z.strictObject({
    id: z.string(),
    current: z.boolean().describe('The session of this request.'),
    createdAt: time,
    lastSeenAt: time,
    expiresAt: time,
    address: z.string(),
    agent: z.string().describe('What the browser says it is.'),
  }),
);

export const invitation = reply<InvitationView>()(
  'Invitation',
  z.strictObject({
    id: z.string(),
    role: z.enum(roles),
    teamId: z.string().exactOptional(),
    teamName: z.string().exactOptional(),
    teamRole: z.enum(teamRoles).exactOptional(),
    note: z.string().exactOptional().describe('For administrators; the invited person does not see it.'),
    state: z.enum(['open', 'accepted', 'expired', 'revoked']),
    createdAt: time,
    expiresAt: time,
    invitedBy: z.string(),
    acceptedBy: z.string().exactOptional().describe('The name of the account that it made.'),
  }),
);

export const issuedInvitation = reply<IssuedInvitationView>()(
  'IssuedInvitation',
  z.strictObject({
    invitation,
    url: z.string().describe('The link; it is in this reply and nowhere else.'),
  }),
);

export const auditAction = reply<AuditAction>()('AuditAction', z.enum(auditActions));

export const auditEntry = reply<AuditView>()(
  'AuditEntry',
  z.strictObject({
    id: z.string(),
    at: time,
    accountId: z.string().exactOptional().describe('Absent where no account was signed in.'),
    accountName: z.string(),
    action: auditAction,
    subject: z.string(),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
    address: z.string(),
  }),
);
