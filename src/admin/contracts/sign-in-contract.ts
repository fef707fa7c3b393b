/** What the console's pages and the admin interface exchange about signing in through issuers. */

/** Why a sign-in through an issuer was refused. The sign-in page has words for each. */
export type SignInRefusalCode =
  | 'issuer_unknown'
  | 'provider_unreachable'
  | 'provider_invalid'
  | 'access_denied'
  | 'provider_refused'
  | 'client_refused'
  | 'state_invalid'
  | 'state_used'
  | 'code_refused'
  | 'token_expired'
  | 'token_time'
  | 'token_nonce'
  | 'token_audience'
  | 'token_issuer'
  | 'token_algorithm'
  | 'token_key'
  | 'token_signature'
  | 'token_invalid'
  | 'domain_not_allowed'
  | 'group_missing'
  | 'account_missing'
  | 'account_disabled'
  | 'name_taken'
  | 'name_missing'
  | 'too_many_tries'
  | 'failed';

/** Of one issuer, before anyone has signed in: only what its button shows. */
interface IssuerButtonView {
  readonly name: string;
  readonly label: string;
}

export interface SignInOptionsView {
  readonly items: readonly IssuerButtonView[];
  /** With `owners`, everyone else signs in through an issuer. */
  readonly passwords: 'all' | 'owners';
}

/** One issuer for its administrators. Never its client secret. */
export interface IssuerView extends IssuerButtonView {
  readonly issuer: string;
  readonly clientId: string;
  /** `secret`: the client authenticates; `public`: PKCE alone protects it. */
  readonly client: 'secret' | 'public';
  /** To be registered at the issuer. */
  readonly redirectUri: string;
  readonly postLogoutRedirectUri: string;
  readonly backChannelLogoutUri: string;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  readonly nameClaims: readonly string[];
  readonly rules: readonly IssuerRuleView[];
  readonly defaultRole: string;
  readonly createAccounts: boolean;
  readonly linkAccounts: boolean;
  readonly allowedDomains?: readonly string[];
  readonly trustUnverifiedEmail: boolean;
  readonly allowedGroups?: readonly string[];
  /** Since this process began: absent where it was not asked yet. */
  readonly lastContact?: { readonly at: string; readonly ok: boolean; readonly refusal?: SignInRefusalCode };
}

export interface IssuerRuleView {
  readonly group: string;
  readonly team?: string;
  /** False where there is no such team: the rule does nothing. */
  readonly teamFound?: boolean;
  readonly teamRole?: string;
  readonly role?: string;
}

export interface SignInSettingsView {
  readonly items: readonly IssuerView[];
  readonly passwords: 'all' | 'owners';
  /** False where redirect URIs follow the host of each request, because no public URL is set. */
  readonly publicUrlSet: boolean;
}

export type IssuerCheckName = 'discovery' | 'keys' | 'code_flow' | 'pkce' | 'logout' | 'teams';

/** What a check found; the console has words for each. */
export type IssuerFinding =
  | 'refused'
  | 'issuer_matches'
  | 'keys_read'
  | 'no_keys'
  | 'supported'
  | 'unlisted'
  | 'missing'
  | 'logout_both'
  | 'logout_here_only'
  | 'logout_none'
  | 'teams_found'
  | 'teams_missing';

export interface IssuerCheckView {
  readonly name: IssuerCheckName;
  /** `warn`: sign-in works, something else does not. */
  readonly state: 'ok' | 'warn' | 'failed';
  readonly finding: IssuerFinding;
  /** A number, names, or what went wrong in the words of the connection. */
  readonly value: string;
  /** With `refused`. */
  readonly refusal?: SignInRefusalCode;
}

export interface IssuerTestView {
  readonly ok: boolean;
  readonly checks: readonly IssuerCheckView[];
}

/** The answer to a sign-out: where the browser goes to end the session at the issuer too. */
export interface SignedOutView {
  readonly logoutUrl?: string;
}
