/** Signing in through npm's `oidc-provider`, over HTTP: accounts, groups to teams and roles, and logouts over both ends. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { ConsoleClient } from '../../harness/console-client.ts';
import { ownerOf, passwordOf } from '../../harness/console-session.ts';
import { CookieBrowser, passProvider } from '../../harness/cookie-browser.ts';
import { oidcClient, type RunningProvider, startOidcProvider } from '../../harness/oidc-provider.ts';
import { freePort } from '../../harness/ports.ts';
import { folderWithTeams, membershipsIn } from '../../harness/team-folder.ts';
import { until } from '../../harness/until.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

let provider: RunningProvider;
let weir: RunningWeir;
let owner: ConsoleClient;
let dataFolder: string;

beforeAll(async () => {
  const port = await freePort();
  provider = await startOidcProvider(port);
  dataFolder = await folderWithTeams('Research', 'Sales');
  weir = await startWeir({
    port,
    dataFolder,
    yaml: {
      sign_in: {
        issuers: {
          company: {
            issuer: provider.issuer,
            label: 'Company account',
            client_id: oidcClient.id,
            client_secret: oidcClient.secret,
            link_accounts: true,
            rules: [
              { group: 'leads', team: 'Research', team_role: 'admin' },
              { group: 'researchers', team: 'research' },
              { group: 'sellers', team: 'team_sales', team_role: 'viewer' },
              { group: 'nowhere', team: 'No such team' },
              { group: 'gateway-admins', role: 'admin' },
            ],
          },
        },
      },
    },
  });
  owner = await ownerOf(weir);
});
afterAll(async () => {
  await weir.remove();
  await provider.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

const start = () => `${weir.url}/console/sign-in/company`;

async function signIn(login: string): Promise<CookieBrowser> {
  const browser = new CookieBrowser();
  const page = await passProvider(browser, start(), login);
  expect(page.url).toBe(`${weir.url}/console`);
  return browser;
}

interface SignedIn {
  readonly account: { readonly id: string; readonly name: string; readonly role: string };
}

async function sessionOf(browser: CookieBrowser): Promise<SignedIn | undefined> {
  const reply = await fetch(`${weir.url}/console/api/session`, { headers: { cookie: browser.cookiesFor(weir.url) } });
  return reply.status === 200 ? ((await reply.json()) as SignedIn) : undefined;
}

test('groups become teams and roles at every sign-in, and what people gave by hand stays', async () => {
  provider.groups.set('ada', ['researchers', 'nowhere']);
  const first = await sessionOf(await signIn('ada'));
  expect(first?.account).toMatchObject({ name: 'ada', role: 'member' });
  expect(await membershipsIn(weir)).toEqual(['ada team_research member oidc:company']);

  provider.groups.set('ada', ['researchers', 'leads', 'sellers', 'gateway-admins']);
  const second = await sessionOf(await signIn('ada'));
  expect(second?.account).toMatchObject({ id: first?.account.id ?? '', role: 'admin' });
  expect(await membershipsIn(weir)).toEqual([
    'ada team_research admin oidc:company',
    'ada team_sales viewer oidc:company',
  ]);

  provider.groups.set('ada', ['sellers']);
  expect((await sessionOf(await signIn('ada')))?.account.role).toBe('member');
  expect(await membershipsIn(weir)).toEqual(['ada team_sales viewer oidc:company']);

  const { body } = await owner.get('/audit?action=account-change&limit=1');
  expect(body).toMatchObject({ items: [{ detail: { issuer: 'company', role: 'member', left: ['team_research'] } }] });
});

test('a first sign-in is linked to the account of that name, but never to an owner', async () => {
  await owner.post('/accounts', { name: 'Bo', role: 'viewer', password: passwordOf('Bo') });
  const session = await sessionOf(await signIn('bo'));
  // The rules are about roles, so the role follows them.
  expect(session?.account).toMatchObject({ name: 'Bo', role: 'member' });
  const page = await passProvider(new CookieBrowser(), start(), 'olga');
  expect(new URL(page.url).searchParams.get('refused')).toBe('name_taken');
});

test('a sign-out leads to the end of the session at the provider', async () => {
  const browser = await signIn('cleo');
  const reply = await fetch(`${weir.url}/console/api/session`, {
    method: 'DELETE',
    headers: { cookie: browser.cookiesFor(weir.url), origin: weir.url },
  });
  const { logoutUrl } = (await reply.json()) as { logoutUrl: string };
  expect(await sessionOf(browser)).toBeUndefined();
  const address = new URL(logoutUrl);
  expect(`${address.origin}${address.pathname}`).toBe(`${provider.issuer}/session/end`);
  const page = await browser.open(logoutUrl);
  expect([page.status, page.text.includes('xsrf')]).toEqual([200, true]);
});

test('a logout at the provider ends the session here', async () => {
  const browser = await signIn('dan');
  const bystander = await signIn('eve');
  const page = await browser.open(`${provider.issuer}/session/end`);
  const xsrf = /name="xsrf" value="(\w+)"/.exec(page.text)?.[1] ?? '';
  await browser.open(`${provider.issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
  await until(async () => (await sessionOf(browser)) === undefined, 30_000, 'the end of the session');
  expect((await sessionOf(bystander))?.account.name).toBe('eve');
});

test('with passwords for owners only, others are refused with a hint, and the owner still can', async () => {
  await owner.post('/accounts', { name: 'Pia', role: 'admin', password: passwordOf('Pia') });
  await owner.call('PATCH', '/settings', { body: { values: { 'sign_in.passwords': 'owners' } } });
  const refused = await owner.post('/session', { name: 'Pia', password: passwordOf('Pia') });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([401, expect.stringContaining('Only owners')]);
  expect((await owner.signIn('Olga', passwordOf('Olga'))).status).toBe(200);
  expect((await owner.get('/sign-in/issuers')).body).toEqual({
    items: [{ name: 'company', label: 'Company account' }],
    passwords: 'owners',
  });
  // The account that an issuer made has no password that could be right.
  expect((await owner.post('/session', { name: 'ada', password: ' ' })).status).toBe(401);
});

test('the test of an issuer says what works, and what is wrong', async () => {
  const { status, body } = await owner.post('/sign-in/issuers/company/test');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ok: true,
    checks: [
      { name: 'discovery', state: 'ok', value: provider.issuer },
      { name: 'keys', state: 'ok', value: '1' },
      { name: 'code_flow', state: 'ok' },
      { name: 'pkce', state: 'ok' },
      { name: 'logout', state: 'ok', finding: 'logout_both' },
      { name: 'teams', state: 'warn', value: 'No such team' },
    ],
  });
  await provider.stop();
  const again = await owner.post('/sign-in/issuers/company/test');
  expect(again.body).toMatchObject({
    ok: false,
    checks: [{ name: 'discovery', state: 'failed', refusal: 'provider_unreachable' }, { name: 'teams' }],
  });
});
