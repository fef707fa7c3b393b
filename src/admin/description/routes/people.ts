/** The routes of accounts, invitations, the audit log and the issuers of sign-in, for the description. */

import { z } from 'zod';
import { accountChangesSchema, newAccountSchema, passwordResetSchema } from '../../contracts/account-contract.ts';
import { newInvitationSchema } from '../../contracts/factor-contract.ts';
import { json, type KeyRouteName, pageQuery, paging, type RouteDescription, text } from '../route-description.ts';
import { body, emptyBody, listOf, pageOf, reply } from '../schema-names.ts';
import {
  account,
  auditAction,
  auditEntry,
  invitation,
  issuedAccount,
  issuedInvitation,
  session,
} from '../schemas/people.ts';
import { issuerTest, signInSettings } from '../schemas/sign-in.ts';

const ada = {
  id: 'acc_7f3k2m9q',
  name: 'ada',
  role: 'member',
  state: 'active',
  createdAt: '2026-11-02T09:30:00.000Z',
  passwordChangedAt: '2026-11-02T09:41:12.000Z',
  lastSignInAt: '2026-11-17T08:02:45.000Z',
} as const;

const invited = {
  id: 'inv_4d8s1x0p',
  role: 'member',
  teamId: 'team_9c2v5b7n',
  teamName: 'Research',
  teamRole: 'member',
  note: 'Starts in December.',
  state: 'open',
  createdAt: '2026-11-17T10:00:00.000Z',
  expiresAt: '2026-11-24T10:00:00.000Z',
  invitedBy: 'grace',
} as const;

const newAccount = body('NewAccount', newAccountSchema, {
  password: 'Without one Weir makes one and returns it once. It must be changed at the first sign-in.',
});
const accountChanges = body('AccountChanges', accountChangesSchema, {
  revokeTokens: 'With `disabled`: the tokens of the account are revoked too.',
});
const passwordReset = body('PasswordReset', passwordResetSchema, {
  password: 'Without one Weir makes one and returns it once.',
});
const newInvitation = body('NewInvitation', newInvitationSchema, {
  teamId: 'The team that the person joins.',
  note: 'For administrators; the invited person does not see it.',
  expiresInMs: 'How long the link works; 7 days by default.',
});

const sessionsRevoked = z.strictObject({ sessionsRevoked: z.number() });
const factorsRemoved = z.strictObject({ factorsRemoved: z.number() });

export const peopleRoutes = {
  'GET /console/api/accounts': {
    call: 'accounts.list',
    summary: 'List the accounts.',
    reply: json(listOf('Account', account), { items: [ada] }),
  },
  'POST /console/api/accounts': {
    call: 'accounts.create',
    summary: 'Create an account.',
    body: json(newAccount, { name: 'ada', role: 'member' }),
    reply: json(issuedAccount, { account: { ...ada, mustChangePassword: true }, password: 'mellow-harbor-quartz-41' }),
  },
  'PATCH /console/api/accounts/{id}': {
    call: 'accounts.change',
    summary: 'Rename an account, change its role, or disable it.',
    body: json(accountChanges, { role: 'admin' }),
    reply: json(account, { ...ada, role: 'admin' }),
  },
  'POST /console/api/accounts/{id}/password': {
    call: 'accounts.resetPassword',
    summary: 'Give an account a new password and end its sessions.',
    body: json(passwordReset, {}),
    reply: json(issuedAccount, { account: { ...ada, mustChangePassword: true }, password: 'mellow-harbor-quartz-41' }),
  },
  'GET /console/api/accounts/{id}/sessions': {
    call: 'accounts.sessions',
    summary: 'List the sessions of an account.',
    reply: json(listOf('Session', session), {
      items: [
        {
          id: 'ses_1b6t8r2w',
          current: false,
          createdAt: '2026-11-17T08:02:45.000Z',
          lastSeenAt: '2026-11-17T09:15:00.000Z',
          expiresAt: '2026-11-24T09:15:00.000Z',
          address: '203.0.113.7',
          agent: 'Mozilla/5.0 (X11; Linux x86_64)',
        },
      ],
    }),
  },
  'DELETE /console/api/accounts/{id}/sessions': {
    call: 'accounts.revokeSessions',
    summary: 'End all sessions of an account.',
    reply: json(reply<{ sessionsRevoked: number }>()('SessionsRevoked', sessionsRevoked), { sessionsRevoked: 2 }),
  },
  'DELETE /console/api/accounts/{id}/factors': {
    call: 'accounts.removeFactors',
    summary: 'Remove the second factors of an account, for a person who lost them.',
    reply: json(reply<{ factorsRemoved: number }>()('FactorsRemoved', factorsRemoved), { factorsRemoved: 1 }),
  },
  'GET /console/api/invitations': {
    call: 'invitations.list',
    summary: 'List the open invitations and those that ended recently.',
    reply: json(listOf('Invitation', invitation), { items: [invited] }),
  },
  'POST /console/api/invitations': {
    call: 'invitations.create',
    summary: 'Create an invitation link.',
    body: json(newInvitation, { role: 'member', teamId: 'team_9c2v5b7n', teamRole: 'member' }),
    reply: json(issuedInvitation, { invitation: invited, url: 'https://weir.example/console/invitation#3Zk…' }),
  },
  'DELETE /console/api/invitations/{id}': {
    call: 'invitations.revoke',
    summary: 'Revoke an open invitation.',
  },
  'GET /console/api/audit': {
    call: 'audit.list',
    summary: 'List who changed what, newest first.',
    query: {
      account: text('The ID of the account that did it.'),
      action: { description: 'What was done.', schema: auditAction },
      ...pageQuery,
    },
    reply: json(pageOf('Audit', auditEntry), {
      items: [
        {
          id: 'aud_5h9j3k1l',
          at: '2026-11-17T10:00:00.000Z',
          accountId: 'acc_2g5h8j1k',
          accountName: 'grace',
          action: 'token-create',
          subject: 'token:tok_8m4n6b2v',
          detail: { name: 'build-agent', team: 'Research' },
          address: '203.0.113.7',
        },
      ],
      next: '1795255200000.aud_5h9j3k1l',
    }),
    paging,
  },
  'GET /console/api/sign-in/settings': {
    call: 'signIn.settings',
    summary: 'Get the issuers that people sign in through, without their secrets.',
    reply: json(signInSettings, {
      items: [
        {
          name: 'corp',
          label: 'Corporate login',
          issuer: 'https://login.example.com',
          clientId: 'weir',
          client: 'secret',
          redirectUri: 'https://weir.example/console/sign-in/corp/callback',
          postLogoutRedirectUri: 'https://weir.example/console',
          backChannelLogoutUri: 'https://weir.example/console/sign-in/corp/logout',
          scopes: ['openid', 'profile', 'email'],
          groupsClaim: 'groups',
          nameClaims: ['preferred_username', 'email'],
          rules: [{ group: 'research', team: 'Research', teamFound: true, teamRole: 'member' }],
          defaultRole: 'member',
          createAccounts: true,
          linkAccounts: false,
          trustUnverifiedEmail: false,
        },
      ],
      passwords: 'all',
      publicUrlSet: true,
    }),
  },
  'POST /console/api/sign-in/issuers/{name}/test': {
    call: 'signIn.testIssuer',
    summary: 'Check whether an issuer can be reached and supports what sign-in needs.',
    body: json(emptyBody, {}),
    reply: json(issuerTest, {
      ok: true,
      checks: [
        { name: 'discovery', state: 'ok', finding: 'issuer_matches', value: 'https://login.example.com' },
        { name: 'keys', state: 'ok', finding: 'keys_read', value: '2' },
      ],
    }),
  },
} as const satisfies Partial<Record<KeyRouteName, RouteDescription>>;
