/** What an issuer may send that must not sign anyone in: each is refused with a code of its own, and audited. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { ConsoleClient } from '../../harness/console-client.ts';
import { ownerOf } from '../../harness/console-session.ts';
import { CookieBrowser } from '../../harness/cookie-browser.ts';
import { FakeIssuer, type Forgery, fakeClientId, newKey } from '../../harness/fake-issuer.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

let issuer: FakeIssuer;
let other: FakeIssuer;
let weir: RunningWeir;
let owner: ConsoleClient;

beforeAll(async () => {
  issuer = await FakeIssuer.start();
  other = await FakeIssuer.start();
  weir = await startWeir({
    env: { FAKE_SECRET: 'the secret of the client' },
    yaml: {
      sign_in: {
        issuers: {
          fake: {
            issuer: issuer.url,
            client_id: fakeClientId,
            client_secret_env: 'FAKE_SECRET',
            label: 'Fake Ltd',
            clock_skew_s: 5,
          },
          closed: {
            issuer: other.url,
            client_id: fakeClientId,
            create_accounts: false,
            allowed_groups: ['gateway-users'],
            allowed_domains: ['company.example'],
          },
        },
      },
    },
  });
  owner = await ownerOf(weir);
});
afterAll(async () => {
  await weir.remove();
  await issuer.stop();
  await other.stop();
});
beforeEach(() => {
  for (const each of [issuer, other]) {
    each.forgery = {};
    each.subject = 'user-1';
    each.person = { preferred_username: 'ivy', groups: ['staff'] };
  }
});

const startOf = (name: string) => `${weir.url}/console/sign-in/${name}`;
const outcomeOf = (url: string): string => new URL(url).searchParams.get('refused') ?? 'signed in';

async function outcome(name = 'fake', forgery: Forgery = {}, from = issuer): Promise<string> {
  from.forgery = forgery;
  const browser = new CookieBrowser();
  const visit = await browser.open(startOf(name));
  return outcomeOf(visit.url);
}

/** The newest entry of the audit log. */
async function lastRefusal(): Promise<{ subject: string; detail: Record<string, unknown> } | undefined> {
  const { body } = await owner.get('/audit?action=sign-in-refused&limit=1');
  return (body as { items: { subject: string; detail: Record<string, unknown> }[] }).items[0];
}

const nowS = (): number => Math.floor(Date.now() / 1_000);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an honest token', () => {
  test('signs a person in, with an account of its own', async () => {
    const browser = new CookieBrowser();
    const visit = await browser.open(`${startOf('fake')}?to=${encodeURIComponent('/console/tokens?x=1')}`);
    expect(new URL(visit.url).pathname + new URL(visit.url).search).toBe('/console/tokens?x=1');
    const reply = await fetch(`${weir.url}/console/api/session`, { headers: { cookie: browser.cookiesFor(weir.url) } });
    expect(await reply.json()).toMatchObject({ account: { name: 'ivy', role: 'member' } });
    expect(browser.cookiesFor(weir.url)).not.toContain('weir_sign_in_');
  });

  test('leads nowhere but to the console afterwards', async () => {
    for (const to of [
      'https://evil.example/',
      '//evil.example',
      '/console/sign-in/fake',
      '/console\\..\\x',
      'console',
    ]) {
      const visit = await new CookieBrowser().open(`${startOf('fake')}?to=${encodeURIComponent(to)}`);
      expect(visit.url).toBe(`${weir.url}/console`);
    }
  });
});

describe('refused', () => {
  const cases: readonly [what: string, code: string, forgery: () => Forgery | Promise<Forgery>][] = [
    ['a wrong nonce', 'token_nonce', () => ({ claims: { nonce: 'another' } })],
    ['no nonce', 'token_nonce', () => ({ claims: { nonce: undefined } })],
    ['a wrong audience', 'token_audience', () => ({ claims: { aud: 'another-client' } })],
    ['a second audience without azp', 'token_audience', () => ({ claims: { aud: [fakeClientId, 'another'] } })],
    ['another authorized party', 'token_audience', () => ({ claims: { azp: 'another' } })],
    ['a wrong issuer', 'token_issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['a redirect of another issuer', 'token_issuer', () => ({ callback: { iss: 'https://evil.example' } })],
    ['an expired token', 'token_expired', () => ({ claims: { iat: nowS() - 600, exp: nowS() - 60 } })],
    ['a token of the future', 'token_time', () => ({ claims: { iat: nowS() + 600, exp: nowS() + 900 } })],
    ['no expiry', 'token_expired', () => ({ claims: { exp: undefined } })],
    ['alg none', 'token_algorithm', () => ({ token: (claims) => `${part({ alg: 'none' })}.${part(claims)}.` })],
    [
      'a token signed with the client secret',
      'token_algorithm',
      () => ({
        token(claims) {
          const text = `${part({ alg: 'HS256' })}.${part(claims)}`;
          return `${text}.${createHmac('sha256', 'the secret of the client').update(text).digest('base64url')}`;
        },
      }),
    ],
    ['an unknown key', 'token_key', async () => ({ key: await newKey('never-published') })],
    ['a wrong signature under a known key id', 'token_signature', async () => ({ key: await newKey('key-1') })],
    ['no token at all', 'token_invalid', () => ({ token: () => 'no token' })],
    ['a subject that is no text', 'token_invalid', () => ({ claims: { sub: 7 } })],
    ['an error of the issuer', 'access_denied', () => ({ callback: { error: 'access_denied' } })],
    ['another error of the issuer', 'provider_refused', () => ({ callback: { error: 'server_error' } })],
    ['a code that the issuer does not know', 'code_refused', () => ({ callback: { code: 'made-up' } })],
    ['a state that is none of ours', 'state_invalid', () => ({ callback: { state: 'A'.repeat(43) } })],
  ];
  for (const [what, code, forgery] of cases) {
    test(what, async () => {
      expect(await outcome('fake', await forgery())).toBe(code);
      expect(await lastRefusal()).toMatchObject({ subject: 'issuer:fake', detail: { reason: code } });
    });
  }

  test('a replayed callback, with and without its cookie', async () => {
    const browser = new CookieBrowser();
    const callback = await browser.open(startOf('fake'), undefined, `${startOf('fake')}/callback`);
    const cookies = browser.cookiesFor(weir.url);
    expect(outcomeOf((await browser.open(callback.url)).url)).toBe('signed in');
    expect(outcomeOf((await browser.open(callback.url)).url)).toBe('state_invalid');
    const again = new CookieBrowser();
    again.setCookies(weir.url, cookies);
    expect(outcomeOf((await again.open(callback.url)).url)).toBe('state_used');
  });

  test('a replayed code under a fresh state', async () => {
    const first = new CookieBrowser();
    const used = await first.open(startOf('fake'), undefined, `${startOf('fake')}/callback`);
    await first.open(used.url);
    const code = new URL(used.url).searchParams.get('code') ?? '';
    expect(await outcome('fake', { callback: { code } })).toBe('code_refused');
  });

  test('a callback in another browser, and for another issuer', async () => {
    const browser = new CookieBrowser();
    const callback = await browser.open(startOf('fake'), undefined, `${startOf('fake')}/callback`);
    expect(outcomeOf((await new CookieBrowser().open(callback.url)).url)).toBe('state_invalid');
    expect(outcomeOf((await browser.open(callback.url.replace('/fake/', '/closed/'))).url)).toBe('state_invalid');
  });

  test('an issuer that is not configured', async () => {
    expect(outcomeOf((await new CookieBrowser().open(startOf('nowhere'))).url)).toBe('issuer_unknown');
  });

  test('a disabled account', async () => {
    issuer.subject = 'user-2';
    issuer.person = { preferred_username: 'dora' };
    expect(await outcome()).toBe('signed in');
    const { body } = await owner.get('/accounts');
    const dora = (body as { items: { id: string; name: string }[] }).items.find(({ name }) => name === 'dora');
    await owner.call('PATCH', `/accounts/${dora?.id}`, { body: { disabled: true } });
    expect(await outcome()).toBe('account_disabled');
  });

  test('a name that another account has: an issuer does not take accounts over', async () => {
    issuer.subject = 'user-3';
    issuer.person = { preferred_username: 'OLGA' };
    expect(await outcome()).toBe('name_taken');
  });

  test('people without access, each for their reason', async () => {
    const closed = (person: Record<string, unknown>) => {
      other.person = person;
      return outcome('closed', {}, other);
    };
    const email = 'eve@company.example';
    expect(await closed({ preferred_username: 'eve', groups: [] })).toBe('domain_not_allowed');
    expect(await closed({ preferred_username: 'eve', email: 'eve@evil.example', groups: ['gateway-users'] })).toBe(
      'domain_not_allowed',
    );
    expect(await closed({ preferred_username: 'eve', email, email_verified: false })).toBe('domain_not_allowed');
    expect(await closed({ preferred_username: 'eve', email, groups: ['gateway-users'] })).toBe('domain_not_allowed');
    const known = { preferred_username: 'eve', email, email_verified: true };
    expect(await closed({ ...known, groups: ['others'] })).toBe('group_missing');
    expect(await closed({ ...known, groups: ['gateway-users'] })).toBe('account_missing');
  });
});

test('keys rotate at the issuer, and the next sign-in works', async () => {
  expect(await outcome()).toBe('signed in');
  await issuer.rotate('key-2');
  expect(await outcome()).toBe('signed in');
  const reads = issuer.requests.filter((path) => path === '/keys').length;
  expect(await outcome()).toBe('signed in');
  expect(issuer.requests.filter((path) => path === '/keys').length).toBe(reads);
  // The key before the rotation signs nothing any more.
  expect(await outcome('fake', { key: await newKey('key-1') })).toBe('token_key');
});

test('names and groups that the ID token lacks come from the user info endpoint, of the same user only', async () => {
  issuer.subject = 'user-4';
  issuer.person = {};
  expect(await outcome('fake', { userInfo: { preferred_username: 'una' } })).toBe('signed in');
  const { body } = await owner.get('/accounts');
  expect((body as { items: { name: string }[] }).items.map(({ name }) => name)).toContain('una');
  expect(await outcome('fake', { userInfo: { sub: 'another', preferred_username: 'una' } })).not.toBe('signed in');
});

describe('back-channel logout', () => {
  const send = (token: string, name = 'fake') =>
    fetch(`${startOf(name)}/back-channel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });
  const isSignedIn = async (browser: CookieBrowser): Promise<boolean> => {
    const headers = { cookie: browser.cookiesFor(weir.url) };
    return (await fetch(`${weir.url}/console/api/session`, { headers })).status === 200;
  };
  const signedIn = async (): Promise<CookieBrowser> => {
    const browser = new CookieBrowser();
    await browser.open(startOf('fake'));
    expect(await isSignedIn(browser)).toBe(true);
    return browser;
  };

  test('a forged, wrong or replayed token ends nothing', async () => {
    const browser = await signedIn();
    const nowSeconds = nowS();
    const wrong: readonly Record<string, unknown>[] = [
      { aud: 'another' },
      { iss: other.url },
      { nonce: 'a nonce' },
      { events: {} },
      { events: undefined },
      { jti: undefined },
      { sub: undefined },
      { iat: nowSeconds - 3_600 },
      { iat: nowSeconds + 600 },
      { exp: nowSeconds - 60 },
    ];
    for (const claims of wrong) {
      const reply = await send(await issuer.logoutToken(claims));
      expect([reply.status, Object.keys(claims)]).toEqual([400, Object.keys(claims)]);
    }
    issuer.forgery = { key: await newKey('key-2') };
    expect((await send(await issuer.logoutToken())).status).toBe(400);
    issuer.forgery = {};
    expect((await send('')).status).toBe(400);
    expect((await send(await issuer.logoutToken(), 'closed')).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('a token ends the sessions of its session id, or all of its user, once', async () => {
    const first = await signedIn();
    issuer.subject = 'user-5';
    issuer.person = { preferred_username: 'finn' };
    const second = await signedIn();
    const token = await issuer.logoutToken({ sid: 'sid-of-user-1', sub: undefined });
    const reply = await send(token);
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
    expect((await send(token)).status).toBe(400);
    expect((await send(await issuer.logoutToken())).status).toBe(200);
    expect(await isSignedIn(second)).toBe(false);
    const { body } = await owner.get('/audit?action=session-revoke&limit=1');
    expect(body).toMatchObject({ items: [{ accountName: 'finn', detail: { issuer: 'fake', sessionsRevoked: 1 } }] });
  });
});

test('no secret and no token is in the log, the audit log or a view', async () => {
  const audit = JSON.stringify((await owner.get('/audit?limit=100')).body);
  const views = JSON.stringify((await owner.get('/sign-in/settings')).body);
  for (const text of [weir.output(), audit, views]) {
    expect(text).not.toContain('the secret of the client');
    expect(text).not.toContain('eyJ');
  }
});
