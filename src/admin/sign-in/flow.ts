/**
 * A sign-in through an issuer: the browser leaves with a state, a nonce and a PKCE challenge, and comes back with a code
 * that is exchanged for an ID token. What Weir must remember meanwhile is sealed in a cookie of the browser.
 */

import type { AuthorizationServer } from 'oauth4webapi';
import type { Sealing } from '../../secrets/sealing.ts';
import { signatureAlgorithms } from '../../settings/jwt-settings.ts';
import type { IdentityStore } from '../../store/sign-in/identity-store.ts';
import { type Claims, claimAt, isSubject, type Person, personIn, withInfo } from './claims.ts';
import { type IssuerClient, isSafeAddress, loadOauth, type Oauth } from './issuer-client.ts';
import { refusalOf, SignInRefusal } from './refusal.ts';

/** As long as a person may take at the issuer. */
export const flowLifetimeMs = 10 * 60 * 1_000;

interface Flow {
  readonly issuerName: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** Where the browser goes afterwards. */
  readonly to: string;
  readonly expiresAtMs: number;
}

export interface StartedFlow {
  /** At the issuer. */
  readonly url: string;
  readonly state: string;
  /** For the cookie. */
  readonly sealed: string;
}

/** What the issuer says of a person. */
export interface FinishedFlow {
  readonly person: Person;
  readonly sid: string | undefined;
  readonly idToken: string;
}

interface Flows {
  start(issuer: IssuerClient, redirectUri: string, to: string): Promise<StartedFlow>;
  /** What was sealed for this state; undefined if it is none of ours, of another issuer, or too old. */
  read(issuerName: string, state: string, sealed: string): Promise<Flow | undefined>;
  finish(issuer: IssuerClient, flow: Flow, parameters: URLSearchParams): Promise<FinishedFlow>;
}

interface FlowOptions {
  readonly sealing: Sealing;
  readonly identities: Pick<IdentityStore, 'useOnce'>;
  readonly nowMs: () => number;
}

const flowPlace = (state: string): readonly string[] => ['sign-in', state];

export function createFlows({ sealing, identities, nowMs }: FlowOptions): Flows {
  return {
    async start({ config, client, metadata }, redirectUri, to) {
      const oauth = await loadOauth();
      const known = await metadata();
      const flow: Flow = {
        issuerName: config.name,
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
        redirectUri,
        to,
        expiresAtMs: nowMs() + flowLifetimeMs,
      };
      const { state } = flow;
      const url = new URL(authorizationEndpoint(known));
      const parameters = {
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: redirectUri,
        scope: config.scopes.join(' '),
        state,
        nonce: flow.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, state, sealed: sealing.seal(flowPlace(state), JSON.stringify(flow)) };
    },
    async read(issuerName, state, sealed) {
      const text = await sealing.open(flowPlace(state), sealed);
      if (text === undefined) return undefined;
      // Only Weir itself could seal it.
      const flow = JSON.parse(text) as Flow;
      return flow.issuerName === issuerName && flow.expiresAtMs > nowMs() ? flow : undefined;
    },
    async finish(issuer, flow, parameters) {
      const oauth = await loadOauth();
      const known = await issuer.metadata();
      const answer = validated(() => oauth.validateAuthResponse(known, issuer.client, parameters, flow.state));
      if (!(await identities.useOnce(`state:${flow.state}`, flow.expiresAtMs))) throw new SignInRefusal('state_used');
      return exchanged(oauth, issuer, known, flow, answer, nowMs());
    },
  };
}

function authorizationEndpoint({ authorization_endpoint: address }: AuthorizationServer): string {
  if (address !== undefined && isSafeAddress(address)) return address;
  throw new SignInRefusal('provider_invalid', 'its metadata has no authorization_endpoint');
}

function validated<Answer>(check: () => Answer): Answer {
  try {
    return check();
  } catch (error) {
    throw refusalOf(error);
  }
}

async function exchanged(
  oauth: Oauth,
  issuer: IssuerClient,
  known: AuthorizationServer,
  flow: Flow,
  answer: URLSearchParams,
  nowMs: number,
): Promise<FinishedFlow> {
  const { client, config, requestOptions } = issuer;
  try {
    const method = await issuer.authentication();
    const { redirectUri, verifier, nonce: expectedNonce } = flow;
    const reply = await oauth.authorizationCodeGrantRequest(
      known,
      client,
      method,
      answer,
      redirectUri,
      verifier,
      requestOptions,
    );
    requireAlgorithm(
      await reply
        .clone()
        .json()
        .catch(() => undefined),
    );
    const terms = { expectedNonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(known, client, reply, terms);
    const idToken = tokens.id_token ?? '';
    const claims = await issuer.verify(idToken);
    requireParty(claims, config.clientId);
    requireBegun(claims.iat, config.clockSkewS, nowMs);
    const all = await withUserInfo(oauth, issuer, known, claims, tokens.access_token);
    const { sid } = claims;
    return { person: personIn(all, config), sid: isSubject(sid) ? sid : undefined, idToken };
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Before anything else of the token is read: an unsigned one is refused as such. */
function requireAlgorithm(body: unknown): void {
  const token = typeof body === 'object' && body !== null && 'id_token' in body ? body.id_token : undefined;
  if (typeof token !== 'string') return;
  const header = headerOf(token);
  // What is no token at all is refused below.
  if (header === undefined) return;
  const { alg } = header;
  if (typeof alg === 'string' && signatureAlgorithms.includes(alg)) return;
  throw new SignInRefusal('token_algorithm', `alg ${JSON.stringify(alg ?? '').slice(0, 40)}`);
}

function headerOf(token: string): Claims | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString());
    return typeof header === 'object' && header !== null ? (header as Claims) : undefined;
  } catch {
    return undefined;
  }
}

function requireParty(claims: Claims, clientId: string): void {
  const { azp } = claims;
  if (azp !== undefined && azp !== clientId) throw new SignInRefusal('token_audience', 'azp');
}

function requireBegun(issuedAtS: unknown, skewS: number, nowMs: number): void {
  if (typeof issuedAtS === 'number' && issuedAtS <= nowMs / 1_000 + skewS) return;
  throw new SignInRefusal('token_time', 'iat');
}

const emailClaims = ['email', 'email_verified'];

/** Some issuers keep names and groups out of the ID token; then the user info endpoint has them. */
async function withUserInfo(
  oauth: Oauth,
  { config, client, requestOptions }: IssuerClient,
  known: AuthorizationServer,
  claims: Claims,
  accessToken: string,
): Promise<Claims> {
  const wanted = [
    config.groupsClaim,
    ...config.nameClaims,
    ...(config.allowedDomains === undefined ? [] : emailClaims),
  ];
  const isComplete = wanted.every((name) => claimAt(claims, name) !== undefined);
  if (isComplete || known.userinfo_endpoint === undefined) return claims;
  const reply = await oauth.userInfoRequest(known, client, accessToken, requestOptions);
  const info = await oauth.processUserInfoResponse(known, client, String(claims['sub']), reply);
  return withInfo(claims, info);
}
