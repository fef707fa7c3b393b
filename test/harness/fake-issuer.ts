/** An OpenID Connect issuer on loopback that signs whatever a test tells it to, also what no honest one would. */

import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

type Claims = Record<string, unknown>;

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** What the next tokens have; absent parts are honest. */
export interface Forgery {
  /** Over the honest claims; undefined removes one. */
  claims?: Claims;
  /** In the place of the signed token. */
  token?: (honest: Claims) => string | Promise<string>;
  /** Signed with this key, whether it is published or not. */
  key?: SigningKey;
  /** Over the redirect back to Weir. */
  callback?: Readonly<Record<string, string>>;
  userInfo?: Claims;
}

export async function newKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
}

export const fakeClientId = 'weir-at-the-fake';

export class FakeIssuer {
  readonly #server: ReturnType<typeof Bun.serve>;
  readonly #codes = new Map<string, { readonly nonce: string; readonly challenge: string }>();
  readonly url: string;
  #key: SigningKey;
  /** Published keys. */
  keys: SigningKey[];
  forgery: Forgery = {};
  subject = 'user-1';
  person: Claims = { preferred_username: 'ivy', groups: ['staff'] };
  /** By path. */
  readonly requests: string[] = [];

  private constructor(key: SigningKey) {
    this.#key = key;
    this.keys = [key];
    this.#server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => this.#answer(request) });
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  static async start(): Promise<FakeIssuer> {
    return new FakeIssuer(await newKey('key-1'));
  }

  /** A new key signs from now on; the old one is no longer published. */
  async rotate(kid: string): Promise<void> {
    this.#key = await newKey(kid);
    this.keys = [this.#key];
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  sign(claims: Claims, header: Record<string, unknown> = {}, key = this.forgery.key ?? this.#key): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header }).sign(key.privateKey);
  }

  logoutToken(claims: Claims = {}): Promise<string> {
    const nowS = Math.floor(Date.now() / 1_000);
    const honest: Claims = {
      iss: this.url,
      aud: fakeClientId,
      iat: nowS,
      exp: nowS + 120,
      jti: crypto.randomUUID(),
      sub: this.subject,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    };
    return this.sign(withoutUndefined({ ...honest, ...claims }), { typ: 'logout+jwt' });
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.requests.push(url.pathname);
    if (url.pathname === '/.well-known/openid-configuration') return Response.json(this.#metadata());
    if (url.pathname === '/keys') return Response.json({ keys: this.keys.map(({ jwk }) => jwk) });
    if (url.pathname === '/authorize') return this.#authorize(url.searchParams);
    if (url.pathname === '/token') return this.#token(new URLSearchParams(await request.text()));
    if (url.pathname === '/user') return Response.json({ sub: this.subject, ...this.forgery.userInfo });
    return new Response('nothing here', { status: 404 });
  }

  #metadata(): Claims {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/keys`,
      userinfo_endpoint: `${this.url}/user`,
      end_session_endpoint: `${this.url}/end`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      // It claims to support what must never be accepted.
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      backchannel_logout_supported: true,
    };
  }

  #authorize(given: URLSearchParams): Response {
    const code = crypto.randomUUID();
    this.#codes.set(code, { nonce: given.get('nonce') ?? '', challenge: given.get('code_challenge') ?? '' });
    const back = new URL(given.get('redirect_uri') ?? '');
    const parameters = { code, state: given.get('state') ?? '', ...this.forgery.callback };
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value);
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  async #token(given: URLSearchParams): Promise<Response> {
    const code = this.#codes.get(given.get('code') ?? '');
    this.#codes.delete(given.get('code') ?? '');
    const hash = new Bun.CryptoHasher('sha256').update(given.get('code_verifier') ?? '').digest('base64url');
    if (code === undefined || hash !== code.challenge)
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const nowS = Math.floor(Date.now() / 1_000);
    const honest = {
      iss: this.url,
      sub: this.subject,
      aud: fakeClientId,
      iat: nowS,
      exp: nowS + 300,
      nonce: code.nonce,
    };
    const claims = withoutUndefined({
      ...honest,
      sid: `sid-of-${this.subject}`,
      ...this.person,
      ...this.forgery.claims,
    });
    const token = this.forgery.token === undefined ? await this.sign(claims) : await this.forgery.token(claims);
    return Response.json({ access_token: 'at', token_type: 'Bearer', expires_in: 300, id_token: token });
  }
}

const withoutUndefined = (claims: Claims): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
