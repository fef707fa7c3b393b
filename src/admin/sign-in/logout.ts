/** Logouts over both ends: a sign-out here ends the session at the issuer, and a logout there ends the sessions here. */

import type { Sealing } from '../../secrets/sealing.ts';
import type { IdentityStore } from '../../store/sign-in/identity-store.ts';
import { isSubject } from './claims.ts';
import { type IssuerClient, isSafeAddress } from './issuer-client.ts';
import { SignInRefusal } from './refusal.ts';

/** What the ID token of a session is sealed for. */
export const sessionIssuerPlace = (sessionId: string, issuer: string): readonly string[] => [
  'session-issuer',
  sessionId,
  issuer,
];

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** A logout token is sent at once; an older one is a replay. */
const tokenAgeMaxS = 600;

interface LogoutOptions {
  readonly identities: IdentityStore;
  readonly sealing: Sealing;
  readonly clientOf: (issuerName: string) => Promise<IssuerClient | undefined>;
  readonly nowMs: () => number;
}

interface Logouts {
  /** Where the browser ends the session at the issuer; undefined where no issuer opened it, or it has no such page. */
  urlFor(sessionId: string, returnTo: string): Promise<string | undefined>;
  /** Checks a logout token and ends the sessions that it names: the account of each. */
  accept(issuer: IssuerClient, token: string): Promise<readonly string[]>;
}

export function createLogouts({ identities, sealing, clientOf, nowMs }: LogoutOptions): Logouts {
  return {
    async urlFor(sessionId, returnTo) {
      const found = await identities.ofSession(sessionId);
      const issuer = found && (await clientOf(found.issuerName));
      if (found === undefined || issuer === undefined) return undefined;
      // The session here has ended already: an issuer that does not answer must not undo that.
      const known = await issuer.metadata().catch(() => undefined);
      const address = URL.parse(known?.end_session_endpoint ?? '');
      if (known?.issuer !== found.issuer || address === null || !isSafeAddress(address.href)) return undefined;
      const hint = await sealing.open(sessionIssuerPlace(sessionId, found.issuer), found.idToken);
      if (hint !== undefined) address.searchParams.set('id_token_hint', hint);
      address.searchParams.set('client_id', issuer.config.clientId);
      address.searchParams.set('post_logout_redirect_uri', returnTo);
      return address.href;
    },
    async accept(issuer, token) {
      const { clockSkewS } = issuer.config;
      const requiredClaims = ['iat', 'exp', 'jti', 'events'];
      const claims = await issuer.verify(token, { ...timesOf(clockSkewS, nowMs()), requiredClaims });
      const { sub, sid, jti, events, iss, nonce } = claims;
      // An ID token must not end sessions: it has a nonce, and no event.
      if (nonce !== undefined) throw new SignInRefusal('token_invalid', 'a logout token has no nonce');
      if (!isEvent(events)) throw new SignInRefusal('token_invalid', 'it is not a logout token');
      if (!isSubject(sub) && !isSubject(sid))
        throw new SignInRefusal('token_invalid', 'it names no session and no user');
      if (!isSubject(jti)) throw new SignInRefusal('token_invalid', 'jti');
      const untilMs = nowMs() + (tokenAgeMaxS + 2 * clockSkewS) * 1_000;
      if (!(await identities.useOnce(`jti:${String(iss)} ${jti}`, untilMs))) {
        throw new SignInRefusal('state_used', 'the logout token was used before');
      }
      return isSubject(sid)
        ? identities.endSessions(String(iss), 'sid', sid, nowMs())
        : identities.endSessions(String(iss), 'subject', String(sub), nowMs());
    },
  };
}

const timesOf = (clockSkewS: number, nowMs: number) => ({
  maxTokenAge: tokenAgeMaxS,
  clockTolerance: clockSkewS,
  currentDate: new Date(nowMs),
});

function isEvent(events: unknown): boolean {
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, logoutEvent)) return false;
  const event: unknown = Reflect.get(events, logoutEvent);
  return typeof event === 'object' && event !== null && !Array.isArray(event);
}
