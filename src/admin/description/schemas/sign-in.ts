/** Replies about the issuers that people sign in through. */

import { z } from 'zod';
import type {
  IssuerCheckView,
  IssuerRuleView,
  IssuerTestView,
  IssuerView,
  SignInRefusalCode,
  SignInSettingsView,
} from '../../contracts/sign-in-contract.ts';
import { reply, time } from '../schema-names.ts';

const refusalCode = reply<SignInRefusalCode>()(
  'SignInRefusal',
  z.enum([
    'issuer_unknown',
    'provider_unreachable',
    'provider_invalid',
    'access_denied',
    'provider_refused',
    'client_refused',
    'state_invalid',
    'state_used',
    'code_refused',
    'token_expired',
    'token_time',
    'token_nonce',
    'token_audience',
    'token_issuer',
    'token_algorithm',
    'token_key',
    'token_signature',
    'token_invalid',
    'domain_not_allowed',
    'group_missing',
    'account_missing',
    'account_disabled',
    'name_taken',
    'name_missing',
    'too_many_tries',
    'failed',
  ]),
);

const finding = z.enum([
  'refused',
  'issuer_matches',
  'keys_read',
  'no_keys',
  'supported',
  'unlisted',
  'missing',
  'logout_both',
  'logout_here_only',
  'logout_none',
  'teams_found',
  'teams_missing',
]);

const issuerRule = reply<IssuerRuleView>()(
  'IssuerRule',
  z.strictObject({
    group: z.string(),
    team: z.string().exactOptional(),
    teamFound: z.boolean().exactOptional().describe('False where there is no such team: the rule does nothing.'),
    teamRole: z.string().exactOptional(),
    role: z.string().exactOptional(),
  }),
);

const issuer = reply<IssuerView>()(
  'Issuer',
  z.strictObject({
    name: z.string(),
    label: z.string(),
    issuer: z.string(),
    clientId: z.string(),
    client: z
      .enum(['secret', 'public'])
      .describe('`secret`: the client authenticates; `public`: PKCE alone protects it.'),
    redirectUri: z.string().describe('To be registered at the issuer.'),
    postLogoutRedirectUri: z.string(),
    backChannelLogoutUri: z.string(),
    scopes: z.array(z.string()),
    groupsClaim: z.string(),
    nameClaims: z.array(z.string()),
    rules: z.array(issuerRule),
    defaultRole: z.string(),
    createAccounts: z.boolean(),
    linkAccounts: z.boolean(),
    allowedDomains: z.array(z.string()).exactOptional(),
    trustUnverifiedEmail: z
      .boolean()
      .describe('An address counts although the issuer does not say that it is verified.'),
    allowedGroups: z.array(z.string()).exactOptional(),
    lastContact: z
      .strictObject({ at: time, ok: z.boolean(), refusal: refusalCode.exactOptional() })
      .exactOptional()
      .describe('Since this process began: absent where it was not asked yet.'),
  }),
);

export const signInSettings = reply<SignInSettingsView>()(
  'SignInSettings',
  z.strictObject({
    items: z.array(issuer),
    passwords: z.enum(['all', 'owners']),
    publicUrlSet: z
      .boolean()
      .describe('False where redirect URIs follow the host of each request, because no public URL is set.'),
  }),
);

const issuerCheck = reply<IssuerCheckView>()(
  'IssuerCheck',
  z.strictObject({
    name: z.enum(['discovery', 'keys', 'code_flow', 'pkce', 'logout', 'teams']),
    state: z.enum(['ok', 'warn', 'failed']).describe('`warn`: sign-in works, something else does not.'),
    finding,
    value: z.string().describe('A number, names, or what went wrong in the words of the connection.'),
    refusal: refusalCode.exactOptional().describe('With `refused`.'),
  }),
);

export const issuerTest = reply<IssuerTestView>()(
  'IssuerTest',
  z.strictObject({
    ok: z.boolean(),
    checks: z.array(issuerCheck),
  }),
);
