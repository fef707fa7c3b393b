/** What administrators see of an issuer, and a test that says what is wrong with it. */

import type { AuthorizationServer } from 'oauth4webapi';
import type { UnitRecord } from '../../access/organization.ts';
import type { IssuerConfig } from '../../settings/sign-in-settings.ts';
import type {
  IssuerCheckName,
  IssuerCheckView,
  IssuerFinding,
  IssuerRuleView,
  IssuerTestView,
  IssuerView,
} from '../contracts/sign-in-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import type { IssuerClient } from './issuer-client.ts';
import { teamFinder } from './provision.ts';
import { refusalOf, SignInRefusal } from './refusal.ts';

/** The URLs that are registered at the issuer; `base` is the public URL of this Weir. */
export const callbackOf = (base: string, name: string): string => `${base}/console/sign-in/${name}/callback`;
export const signedOutOf = (base: string): string => `${base}/console/sign-in`;
const backChannelOf = (base: string, name: string): string => `${base}/console/sign-in/${name}/back-channel-logout`;

export function issuerView(
  config: IssuerConfig,
  base: string,
  units: readonly UnitRecord[],
  lastContact: IssuerClient['lastContact'],
): IssuerView {
  const { name, label, issuer, clientId, scopes, groupsClaim, nameClaims } = config;
  return withoutAbsent<IssuerView>({
    ...{ name, label, issuer, clientId, scopes, groupsClaim, nameClaims },
    client: config.clientSecret === undefined ? 'public' : 'secret',
    redirectUri: callbackOf(base, name),
    postLogoutRedirectUri: signedOutOf(base),
    backChannelLogoutUri: backChannelOf(base, name),
    rules: ruleViews(config, units),
    defaultRole: config.defaultRole,
    createAccounts: config.createAccounts,
    linkAccounts: config.linkAccounts,
    allowedDomains: config.allowedDomains,
    trustUnverifiedEmail: config.trustUnverifiedEmail,
    allowedGroups: config.allowedGroups,
    lastContact:
      lastContact === undefined
        ? undefined
        : withoutAbsent<NonNullable<IssuerView['lastContact']>>({
            at: new Date(lastContact.atMs).toISOString(),
            ok: lastContact.refusal === undefined,
            refusal: lastContact.refusal,
          }),
  });
}

function ruleViews({ rules }: IssuerConfig, units: readonly UnitRecord[]): readonly IssuerRuleView[] {
  const find = teamFinder(units);
  return rules.map(({ group, team, teamRole, role }) =>
    withoutAbsent<IssuerRuleView>({
      group,
      team,
      teamFound: team === undefined ? undefined : find(team) !== undefined,
      teamRole: team === undefined ? undefined : (teamRole ?? 'member'),
      role,
    }),
  );
}

const check = (
  name: IssuerCheckName,
  state: IssuerCheckView['state'],
  finding: IssuerFinding,
  value = '',
): IssuerCheckView => ({ name, state, finding, value });

export async function testIssuer(issuer: IssuerClient, units: readonly UnitRecord[]): Promise<IssuerTestView> {
  const checks: IssuerCheckView[] = [];
  try {
    const metadata = await issuer.discover();
    checks.push(check('discovery', 'ok', 'issuer_matches', metadata.issuer));
    checks.push(await keysCheck(issuer), ...metadataChecks(metadata));
  } catch (error) {
    checks.push(refusedCheck('discovery', error));
  }
  checks.push(teamsCheck(issuer.config, units));
  return { ok: checks.every(({ state }) => state !== 'failed'), checks };
}

function refusedCheck(name: IssuerCheckName, error: unknown): IssuerCheckView {
  const refusal = refusalOf(error);
  const value = refusal instanceof SignInRefusal && refusal.message !== refusal.code ? refusal.message : '';
  return { ...check(name, 'failed', 'refused', value), refusal: refusal.code };
}

async function keysCheck(issuer: IssuerClient): Promise<IssuerCheckView> {
  try {
    const count = await issuer.countKeys();
    return count === 0 ? check('keys', 'failed', 'no_keys') : check('keys', 'ok', 'keys_read', String(count));
  } catch (error) {
    return refusedCheck('keys', error);
  }
}

function metadataChecks(metadata: AuthorizationServer): readonly IssuerCheckView[] {
  const { authorization_endpoint: authorization, token_endpoint: token } = metadata;
  const hasCode = metadata.response_types_supported?.includes('code') ?? true;
  const canFlow = authorization !== undefined && token !== undefined && hasCode;
  const methods = metadata.code_challenge_methods_supported;
  const hasEnd = metadata.end_session_endpoint !== undefined;
  const hasBack = metadata['backchannel_logout_supported'] === true;
  return [
    canFlow ? check('code_flow', 'ok', 'supported') : check('code_flow', 'failed', 'missing'),
    methods?.includes('S256') === true ? check('pkce', 'ok', 'supported') : check('pkce', 'warn', 'unlisted'),
    hasBack
      ? check('logout', 'ok', 'logout_both')
      : check('logout', 'warn', hasEnd ? 'logout_here_only' : 'logout_none'),
  ];
}

function teamsCheck(config: IssuerConfig, units: readonly UnitRecord[]): IssuerCheckView {
  const missing = ruleViews(config, units).filter(({ teamFound }) => teamFound === false);
  if (missing.length === 0) return check('teams', 'ok', 'teams_found');
  return check('teams', 'warn', 'teams_missing', [...new Set(missing.map(({ team }) => team))].join(', '));
}
