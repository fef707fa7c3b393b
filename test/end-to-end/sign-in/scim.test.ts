/** A directory over SCIM: requests as Okta and Entra ID send them, and what they do to accounts, sessions, tokens and teams. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { ConsoleClient } from '../../harness/console-client.ts';
import { ownerName, ownerOf, passwordOf } from '../../harness/console-session.ts';
import { CookieBrowser, passProvider } from '../../harness/cookie-browser.ts';
import { oidcClient, type RunningProvider, startOidcProvider } from '../../harness/oidc-provider.ts';
import { freePort } from '../../harness/ports.ts';
import { folderWithTeams, membershipsIn } from '../../harness/team-folder.ts';
import { until } from '../../harness/until.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

const secret = 'the token of the directory';
const core = 'urn:ietf:params:scim:schemas:core:2.0';
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
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
    env: { WEIR_SCIM_TOKEN: secret.replaceAll(' ', '-') },
    yaml: {
      scim: {
        team_role: 'viewer',
        rules: [
          { group: 'Leads', team: 'Research', team_role: 'admin' },
          { group: 'Gateway admins', role: 'admin' },
        ],
      },
      sign_in: {
        issuers: {
          company: { issuer: provider.issuer, client_id: oidcClient.id, client_secret: oidcClient.secret },
        },
      },
    },
  });
  owner = await ownerOf(weir);
});
afterAll(async () => {
  await weir?.remove();
  await provider?.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

interface Resource {
  readonly id: string;
  readonly active: boolean;
  readonly userName: string;
  readonly externalId?: string;
  readonly groups: readonly { readonly value: string; readonly display: string }[];
  readonly members: readonly { readonly value: string }[];
  readonly meta: { readonly version: string; readonly location: string };
  readonly totalResults: number;
  readonly Resources: readonly Resource[];
  readonly scimType: string;
  readonly detail: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Resource;
}

async function scim(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = { authorization: `Bearer ${secret.replaceAll(' ', '-')}` },
): Promise<Reply> {
  const reply = await fetch(`${weir.url}/scim/v2${path}`, {
    method,
    headers: { 'content-type': 'application/scim+json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: (text === '' ? {} : JSON.parse(text)) as Resource };
}

const find = (type: 'Users' | 'Groups', filter: string, more = '') =>
  scim('GET', `/${type}?filter=${encodeURIComponent(filter)}${more}`);
const patch = (path: string, ...Operations: readonly object[]) =>
  scim('PATCH', path, { schemas: [patchOp], Operations });

/** As Okta sends it. */
const oktaUser = (userName: string, more: object = {}) => ({
  schemas: [`${core}:User`],
  userName,
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: `${userName}@company.example`, type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: `00u-${userName}`,
  groups: [],
  password: '1mz050nq',
  active: true,
  ...more,
});
const makeUser = async (name: string, more: object = {}) => (await scim('POST', '/Users', oktaUser(name, more))).body;

async function signIn(login: string): Promise<CookieBrowser> {
  const browser = new CookieBrowser();
  await passProvider(browser, `${weir.url}/console/sign-in/company`, login);
  return browser;
}

async function sessionOf(browser: CookieBrowser) {
  const reply = await fetch(`${weir.url}/console/api/session`, { headers: { cookie: browser.cookiesFor(weir.url) } });
  return reply.status === 200
    ? ((await reply.json()) as { account: { id: string; name: string; role: string } }).account
    : undefined;
}

const placesOf = async (name: string) =>
  (await membershipsIn(weir)).filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

describe('the service', () => {
  test('needs its token, and says what it supports', async () => {
    const without = await scim('GET', '/Users', undefined, {});
    expect(without).toMatchObject({ status: 401, body: { status: '401' } });
    expect(without.headers.get('www-authenticate')).toBe('Bearer');
    expect((await scim('GET', '/Users', undefined, { authorization: `Bearer ${weir.token}` })).status).toBe(401);
    const config = await scim('GET', '/ServiceProviderConfig');
    expect(config.headers.get('content-type')).toStartWith('application/scim+json');
    expect(config.body).toMatchObject({ patch: { supported: true }, bulk: { supported: false } });
    expect((await scim('GET', '/ResourceTypes')).body.Resources.map(({ id }) => id)).toEqual(['User', 'Group']);
    expect((await scim('GET', '/Schemas')).body.totalResults).toBe(3);
    expect((await scim('GET', `/Schemas/${core}:User`)).body.id).toBe(`${core}:User`);
    expect(await scim('GET', '/Bulk')).toMatchObject({ status: 404, body: { status: '404' } });
  });
});

describe('users', () => {
  test('are made as Okta does: looked for, created, found, changed', async () => {
    expect((await find('Users', 'userName eq "ada"', '&startIndex=1&count=100')).body).toMatchObject({
      totalResults: 0,
      Resources: [],
    });
    const made = await scim('POST', '/Users', oktaUser('ada'));
    expect(made.status).toBe(201);
    const { id, meta } = made.body;
    expect(made.headers.get('location')).toBe(`${weir.url}/scim/v2/Users/${id}`);
    expect(made.body).toMatchObject({ userName: 'ada', externalId: '00u-ada', active: true, displayName: 'Test User' });
    expect(JSON.stringify(made.body)).not.toContain('1mz050nq');
    for (const filter of ['userName eq "ADA"', 'externalId eq "00u-ada"', `id eq "${id}" and active eq true`]) {
      expect((await find('Users', filter)).body.Resources.map((user) => user.id)).toEqual([id]);
    }
    expect(await scim('POST', '/Users', oktaUser('Ada'))).toMatchObject({
      status: 409,
      body: { status: '409', scimType: 'uniqueness' },
    });
    const named = oktaUser('ada', { displayName: 'Ada L' });
    const old = { authorization: `Bearer ${secret.replaceAll(' ', '-')}`, 'if-match': meta.version };
    expect((await scim('PUT', `/Users/${id}`, named, old)).body).toMatchObject({ displayName: 'Ada L', active: true });
    expect((await scim('PUT', `/Users/${id}`, named, old)).status).toBe(412);
    const again = await scim('GET', `/Users/${id}`);
    const same = { ...old, 'if-none-match': again.headers.get('etag') ?? '' };
    expect((await scim('GET', `/Users/${id}`, undefined, same)).status).toBe(304);
    const audit = await owner.get('/audit?action=account-create&limit=1');
    expect(audit.body).toMatchObject({ items: [{ accountName: 'scim', subject: `account:${id}` }] });
  });

  test('are changed as Entra ID does', async () => {
    const { id } = await makeUser('bob', { externalId: undefined, groups: undefined });
    const reply = await patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'robert@company.example' },
      { op: 'Replace', path: 'userName', value: 'robert' },
      { op: 'Add', path: 'externalId', value: 'robert-at-entra' },
      { op: 'Add', path: `${core.replace('core', 'extension:enterprise')}:User:department`, value: 'Research' },
    );
    expect(reply).toMatchObject({
      status: 200,
      body: { userName: 'robert', externalId: 'robert-at-entra', emails: [{ value: 'robert@company.example' }] },
    });
    expect((await find('Users', 'emails[type eq "work"].value eq "robert@company.example"')).body.totalResults).toBe(1);
    expect((await patch(`/Users/${id}`, { op: 'Replace', path: 'userName', value: 'ada' })).body.scimType).toBe(
      'uniqueness',
    );
    expect((await patch(`/Users/${id}`, { op: 'Replace', path: 'userName', value: '' })).body.scimType).toBe(
      'invalidValue',
    );
    const { body } = await scim('GET', '/Users?startIndex=2&count=1&attributes=userName');
    expect(body).toMatchObject({ startIndex: 2, itemsPerPage: 1 });
    expect(body.totalResults).toBeGreaterThanOrEqual(3);
    expect(Object.keys(body.Resources[0] ?? {}).toSorted()).toEqual(['id', 'meta', 'schemas', 'userName']);
    expect((await find('Users', 'userName is "x"')).body.scimType).toBe('invalidFilter');
  });

  test('sign in through the issuer; a deactivated one loses sessions and tokens, and comes back when it is active', async () => {
    const { id } = await makeUser('cleo');
    const browser = await signIn('cleo');
    expect(await sessionOf(browser)).toMatchObject({ id, name: 'cleo', role: 'member' });
    const reply = await fetch(`${weir.url}/console/api/tokens`, {
      method: 'POST',
      headers: { cookie: browser.cookiesFor(weir.url), origin: weir.url, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'of cleo' }),
    });
    const { token } = (await reply.json()) as { token: string };
    const status = async () =>
      (await fetch(`${weir.base}/token`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status()).toBe(200);

    const off = await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    expect(await sessionOf(browser)).toBeUndefined();
    await until(async () => (await status()) === 401, 30_000, 'the end of the token');
    expect(await sessionOf(await signIn('cleo'))).toBeUndefined();

    await patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect(await sessionOf(await signIn('cleo'))).toMatchObject({ id });
    // Whom an administrator disabled, the directory cannot enable.
    await owner.call('PATCH', `/accounts/${id}`, { body: { disabled: true } });
    expect(await scim('PUT', `/Users/${id}`, oktaUser('cleo'))).toMatchObject({
      status: 403,
      body: { scimType: 'mutability' },
    });
  });

  test('are found at the sign-in by the id of the directory, or by their address', async () => {
    const byId = await makeUser('dan.long@company.example', { externalId: 'dan' });
    expect(await sessionOf(await signIn('dan'))).toMatchObject({ id: byId.id, name: 'dan.long@company.example' });
    const byMail = await makeUser('eve@company.example', { externalId: 'other' });
    expect(await sessionOf(await signIn('eve'))).toMatchObject({ id: byMail.id });
  });

  test('who are removed are disabled, in no team, and come back with nothing of before', async () => {
    const { id } = await makeUser('fay');
    await scim('POST', '/Groups', { schemas: [`${core}:Group`], displayName: 'Sales', members: [{ value: id }] });
    expect(await placesOf('fay')).toEqual(['team_sales viewer scim']);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
    expect((await find('Users', 'userName eq "fay"')).body.totalResults).toBe(0);
    expect(await placesOf('fay')).toEqual([]);
    const { body } = await owner.get('/accounts');
    const listed = (body as { items: { id: string; state: string }[] }).items.find((account) => account.id === id);
    expect(listed?.state).toBe('disabled');
    expect(await makeUser('fay')).toMatchObject({ id, active: true, groups: [] });
  });

  test('who had a name before has neither its password nor its link to the issuer when another person gets it', async () => {
    const { id } = await makeUser('nina', { externalId: 'nina-1' });
    expect(
      (await owner.call('POST', `/accounts/${id}/password`, { body: { password: passwordOf('nina') } })).status,
    ).toBe(200);
    const former = new ConsoleClient(weir);
    expect((await former.signIn('nina', passwordOf('nina'))).status).toBe(200);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect(await makeUser('nina', { externalId: 'nina-2' })).toMatchObject({ id, active: true });
    expect((await new ConsoleClient(weir).signIn('nina', passwordOf('nina'))).status).toBe(401);
    expect((await former.get('/session')).status).toBe(401);
  });

  test('do not include an owner with a password, nor the last one', async () => {
    const [olga] = (await find('Users', `userName eq "${ownerName}"`)).body.Resources;
    for (const reply of [
      await patch(`/Users/${olga?.id}`, { op: 'replace', value: { active: false } }),
      await scim('DELETE', `/Users/${olga?.id}`),
      await patch(`/Users/${olga?.id}`, { op: 'replace', path: 'userName', value: 'another' }),
    ]) {
      expect(reply).toMatchObject({ status: 403, body: { scimType: 'mutability' } });
      expect(reply.body.detail).toContain(ownerName);
    }
    expect((await owner.signIn(ownerName, passwordOf(ownerName))).status).toBe(200);
    // One whom the directory made may go, but not as the last.
    const made = await makeUser('olaf');
    await owner.call('PATCH', `/accounts/${made.id}`, { body: { role: 'owner' } });
    expect((await patch(`/Users/${made.id}`, { op: 'replace', value: { active: false } })).status).toBe(200);
  });
});

describe('groups', () => {
  test('give teams and roles by rules and by name, and take them again', async () => {
    const [gus, hal] = [await makeUser('gus'), await makeUser('hal')];
    const group = { schemas: [`${core}:Group`], displayName: 'Leads', members: [] };
    const leads = await scim('POST', '/Groups', group);
    expect(leads.status).toBe(201);
    expect((await scim('POST', '/Groups', group)).body.scimType).toBe('uniqueness');
    const path = `/Groups/${leads.body.id}`;
    // Okta adds both, Entra ID one.
    await patch(path, { op: 'add', path: 'members', value: [{ value: gus.id, display: 'gus' }] });
    await patch(path, { op: 'Add', path: 'members', value: [{ $ref: null, value: hal.id }] });
    expect([await placesOf('gus'), await placesOf('hal')]).toEqual([
      ['team_research admin scim'],
      ['team_research admin scim'],
    ]);
    expect((await scim('GET', `/Users/${gus.id}`)).body.groups).toMatchObject([{ display: 'Leads' }]);
    await patch(path, { op: 'remove', path: `members[value eq "${gus.id}"]` });
    await patch(path, { op: 'Remove', path: 'members', value: [{ $ref: null, value: hal.id }] });
    expect([await placesOf('gus'), await placesOf('hal')]).toEqual([[], []]);

    const found = await find('Groups', 'displayName eq "leads"', '&excludedAttributes=members');
    expect(found.body.Resources[0]).not.toHaveProperty('members');
    // A new name is another team; Okta sends the id with it.
    await patch(path, { op: 'add', path: 'members', value: [{ value: gus.id }] });
    await patch(path, { op: 'replace', value: { id: leads.body.id, displayName: 'Research' } });
    expect(await placesOf('gus')).toEqual(['team_research viewer scim']);
    expect((await scim('DELETE', path)).status).toBe(204);
    expect(await placesOf('gus')).toEqual([]);
  });

  test('give roles in the console, and leave what people did by hand', async () => {
    const { id } = await makeUser('ida');
    await owner.call('PUT', '/teams/team_sales/members/ida', { body: { role: 'admin' } });
    const admins = await scim('POST', '/Groups', { displayName: 'Gateway admins', members: [{ value: id }] });
    const role = async () =>
      ((await owner.get('/accounts')).body as { items: { id: string; role: string }[] }).items.find(
        (account) => account.id === id,
      )?.role;
    expect(await role()).toBe('admin');
    await scim('PUT', `/Groups/${admins.body.id}`, { displayName: 'Gateway admins', members: [] });
    expect(await role()).toBe('member');
    expect(await placesOf('ida')).toEqual(['team_sales admin manual']);
    const unknown = await patch(`/Groups/${admins.body.id}`, {
      op: 'add',
      path: 'members',
      value: [{ value: 'acc_x' }],
    });
    expect(unknown).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    const audit = await owner.get('/audit?action=group-change&limit=1');
    expect(audit.body).toMatchObject({ items: [{ accountName: 'scim', detail: { name: 'Gateway admins' } }] });
  });
});

test('the last owner stays active, also one whom the directory made', async () => {
  const { id } = await makeUser('otto');
  await owner.call('PATCH', `/accounts/${id}`, { body: { role: 'owner' } });
  const [olga] = (await find('Users', `userName eq "${ownerName}"`)).body.Resources;
  await owner.call('PATCH', `/accounts/${olga?.id}`, { body: { disabled: true } });
  for (const reply of [
    await patch(`/Users/${id}`, { op: 'replace', value: { active: false } }),
    await scim('DELETE', `/Users/${id}`),
  ]) {
    expect(reply).toMatchObject({ status: 403, body: { detail: expect.stringContaining('last owner') } });
  }
});

test('it is off without a token', async () => {
  const other = await startWeir();
  const reply = await fetch(`${other.url}/scim/v2/Users`);
  expect([reply.status, await reply.text()]).toEqual([404, expect.stringContaining('WEIR_SCIM_TOKEN')]);
  await other.remove();
});
