/** Teams, projects, members and their tokens through the admin API of a real process: roles, limits and usage. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { IssuedTokenView, OwnedTokenView, PageView } from '../../src/admin/contracts/account-contract.ts';
import type { BreakdownView, CountView } from '../../src/admin/contracts/analytics-contract.ts';
import type {
  MemberView,
  OrganizationView,
  PersonTermsView,
  ProjectView,
  TeamView,
} from '../../src/admin/contracts/organization-contract.ts';
import { ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a password for all of them';
let weir: RunningWeir;
let owner: ConsoleClient;
const people = new Map<string, { readonly id: string; readonly client: ConsoleClient }>();
let team = '';
let project = '';

const paramOf = ({ body }: ConsoleReply) => (body as { error?: { param?: string } }).error?.param;
const refusal = (reply: ConsoleReply) => [codeOf(reply), paramOf(reply)].filter(Boolean).join(' ') || `${reply.status}`;
const bodyOf = <Body>(reply: ConsoleReply): Body => {
  if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body as Body;
};

function who(name: string): ConsoleClient {
  const found = people.get(name);
  if (found === undefined) throw new Error(`there is no account ${name}`);
  return found.client;
}
const idOf = (name: string): string => people.get(name)?.id ?? '';

async function signedIn(name: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(weir);
  bodyOf(await client.signIn(name, password));
  return client;
}

async function addPerson(name: string, role?: string): Promise<void> {
  const reply = await owner.post('/accounts', { name, role: 'member', password });
  const { id } = bodyOf<{ account: { id: string } }>(reply).account;
  if (role !== undefined) bodyOf(await owner.call('PUT', `/teams/${team}/members/${id}`, { body: { role } }));
  people.set(name, { id, client: await signedIn(name) });
}

const change = (client: ConsoleClient, path: string, body: object) => client.call('PATCH', path, { body });
const create = async (client: ConsoleClient, fields: object) =>
  bodyOf<IssuedTokenView>(await client.post('/tokens', fields));
const namesSeen = async (client: ConsoleClient, query = '') =>
  bodyOf<PageView<OwnedTokenView>>(await client.get(`/tokens?limit=100${query}`)).items.map(({ name }) => name);
const tree = async (client: ConsoleClient) => bodyOf<OrganizationView>(await client.get('/organization'));

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: password } });
  owner = await signedIn('admin');
  const terms = {
    models: ['sandbox-*'],
    tools: ['web_*'],
    labels: ['blue'],
    rpm: 600,
    budgets: [{ unit: 'usd', limit: '50', period: 'month' }],
  };
  team = bodyOf<TeamView>(await owner.post('/teams', { name: 'Search', terms })).id;
  project = bodyOf<ProjectView>(await owner.post(`/teams/${team}/projects`, { name: 'Ranking' })).id;
  await addPerson('lead', 'admin');
  await addPerson('dev', 'member');
  await addPerson('auditor', 'viewer');
  await addPerson('newcomer');
});
afterAll(() => weir?.remove());

describe('the tree', () => {
  test('shows budgets with what is spent, held and left, and who is where', async () => {
    const { teams, mayManage, terms } = await tree(owner);
    expect([mayManage, terms]).toEqual([true, {}]);
    expect(teams).toHaveLength(1);
    expect(teams[0]).toMatchObject({ id: team, name: 'Search', members: 3, mayManage: true });
    expect(teams[0]?.terms.budgets).toEqual([
      {
        id: 'b1',
        unit: 'usd',
        limit: '50.00',
        period: 'month',
        spent: '0.00',
        held: '0.00',
        left: '50.00',
        share: 0,
        resetsAt: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00.000Z$/),
      },
    ]);
  });

  test('has only the teams of a member, without the limits of the organization', async () => {
    const seen = await tree(who('dev'));
    expect(seen.terms).toBeUndefined();
    expect(seen.teams.map(({ name, role, mayManage }) => [name, role, mayManage])).toEqual([
      ['Search', 'member', false],
    ]);
    expect((await tree(who('lead'))).teams[0]?.mayManage).toBe(true);
    expect((await tree(who('newcomer'))).teams).toEqual([]);
  });

  test('keeps the id of a budget when it changes, and never uses one again', async () => {
    const budget = { unit: 'requests', limit: 10, period: 'day' };
    const path = `/projects/${project}`;
    const ids = async (budgets: object) => {
      const { terms } = bodyOf<ProjectView>(await change(owner, path, { terms: { budgets } }));
      return (terms.budgets ?? []).map(({ id, limit }) => `${id} ${limit}`);
    };
    expect(await ids([budget, { ...budget, period: 'week' }])).toEqual(['b1 10', 'b2 10']);
    expect(await ids([{ ...budget, id: 'b1', limit: 20 }])).toEqual(['b1 20']);
    expect(await ids([{ ...budget, id: 'b1' }, budget])).toEqual(['b1 10', 'b3 10']);
    const other = await change(owner, path, { terms: { budgets: [{ ...budget, id: 'b1', unit: 'tokens' }] } });
    expect(refusal(other)).toBe('field_invalid budgets');
    expect(await ids([])).toEqual([]);
    expect(await ids([budget])).toEqual(['b4 10']);
    bodyOf(await change(owner, path, { terms: { budgets: null } }));
  });

  test('refuses what is no budget, by the name of the field', async () => {
    const budget = { unit: 'usd', limit: '5', period: 'month' };
    const until = new Date(Date.now() + 86_400_000).toISOString();
    for (const [given, param] of [
      [{ ...budget, limit: 0 }, 'terms.budgets[0].limit'],
      [{ ...budget, unit: 'tokens', limit: '1.5' }, 'terms.budgets[0].limit'],
      [{ ...budget, period: 'year' }, 'terms.budgets[0].period'],
      [{ ...budget, raise: { limit: 5, until } }, 'terms.budgets[0].raise.limit'],
      [{ ...budget, raise: { limit: 6, until: '2020-01-01' } }, 'terms.budgets[0].raise.until'],
    ] as const) {
      const reply = await change(owner, `/teams/${team}`, { terms: { budgets: [given] } });
      expect([refusal(reply), param]).toEqual([`field_invalid ${param}`, param]);
    }
    const raised = await change(owner, `/teams/${team}`, {
      terms: { budgets: [{ ...budget, id: 'b1', limit: '50', raise: { limit: '60', until } }] },
    });
    expect(bodyOf<TeamView>(raised).terms.budgets?.[0]).toMatchObject({
      left: '60.00',
      raise: { limit: '60.00', until },
    });
    bodyOf(await change(owner, `/teams/${team}`, { terms: { budgets: [{ ...budget, id: 'b1', limit: '50' }] } }));
  });
});

describe('an admin of a team', () => {
  test('changes its name, projects and members, but neither its limits nor its existence', async () => {
    const lead = who('lead');
    expect(refusal(await change(lead, `/teams/${team}`, { terms: { rpm: 10_000 } }))).toBe('role_not_allowed terms');
    expect(bodyOf<TeamView>(await change(lead, `/teams/${team}`, { name: 'Search and find' })).name).toBe(
      'Search and find',
    );
    bodyOf(await change(lead, `/teams/${team}`, { name: 'Search' }));
    expect(refusal(await lead.call('DELETE', `/teams/${team}`))).toBe('role_not_allowed');
    expect(refusal(await lead.post('/teams', { name: 'Mine' }))).toBe('role_not_allowed');
    const made = bodyOf<ProjectView>(await lead.post(`/teams/${team}/projects`, { name: 'Index' }));
    expect(refusal(await lead.post(`/teams/${team}/projects`, { name: 'index' }))).toBe('field_invalid name');
    expect((await lead.call('DELETE', `/projects/${made.id}`)).status).toBe(204);
  });

  test('gives a project at most what the team has', async () => {
    const give = async (terms: object) => refusal(await change(who('lead'), `/projects/${project}`, { terms }));
    expect(await give({ models: ['gpt-4.1'] })).toBe('role_not_allowed models');
    expect(await give({ models: ['*'] })).toBe('role_not_allowed models');
    expect(await give({ labels: ['red'] })).toBe('role_not_allowed labels');
    expect(await give({ tools: ['computer'] })).toBe('role_not_allowed tools');
    expect(await give({ rpm: 601 })).toBe('role_not_allowed rpm');
    expect(await give({ budgets: [{ unit: 'usd', limit: 51, period: 'month' }] })).toBe('role_not_allowed budgets');
    expect(await give({ models: ['sandbox-c*'], tools: ['web_search'], labels: ['blue'], rpm: 600 })).toBe('200');
    expect(await give({ tools: [] })).toBe('200');
    expect(await give({ budgets: [{ unit: 'usd', limit: 50, period: 'month' }] })).toBe('200');
    expect(await give({ models: null, tools: null, labels: null, rpm: null, budgets: null })).toBe('200');
  });

  test('adds people by their name, with a role up to their own, and ends their tokens with the membership', async () => {
    const lead = who('lead');
    const put = await lead.call('PUT', `/teams/${team}/members/Newcomer`, { body: { role: 'member' } });
    expect(bodyOf<MemberView>(put)).toMatchObject({ accountId: idOf('newcomer'), role: 'member', source: 'manual' });
    const { id } = await create(who('newcomer'), { name: 'of the newcomer', unitId: project });
    expect(
      refusal(await who('newcomer').call('PUT', `/teams/${team}/members/newcomer`, { body: { role: 'admin' } })),
    ).toBe('role_not_allowed');
    expect((await lead.call('DELETE', `/teams/${team}/members/${idOf('newcomer')}`)).status).toBe(204);
    expect(bodyOf<OwnedTokenView>(await owner.get(`/tokens/${id}`)).state).toBe('revoked');
    const { items } = bodyOf<PageView<MemberView>>(await who('dev').get(`/teams/${team}/members`));
    expect(items.map(({ name }) => name)).toEqual(['lead', 'dev', 'auditor']);
  });

  test('manages the tokens of the team, within what the team has', async () => {
    const lead = who('lead');
    const service = await create(lead, { name: 'service', unitId: team, ownerId: null, labels: ['blue'] });
    expect(service).toMatchObject({ teamName: 'Search', access: 'full' });
    expect(service.ownerId).toBeUndefined();
    const dev = await create(who('dev'), { name: 'of dev', unitId: project });
    for (const [fields, expected] of [
      [{ models: ['gpt-4.1'] }, 'role_not_allowed models'],
      [{ labels: ['red'] }, 'role_not_allowed labels'],
      [{ tools: ['*'] }, 'role_not_allowed tools'],
      [{ tools: ['web_search'] }, '200'],
      [{ tools: [] }, '200'],
      [{ maySteer: true }, 'role_not_allowed maySteer'],
      [{ unitId: null }, 'role_not_allowed unitId'],
      [{ ownerId: idOf('newcomer') }, 'role_not_allowed ownerId'],
      [{ ownerId: idOf('auditor') }, 'role_not_allowed ownerId'],
      [{ models: ['sandbox-chat'], rpm: 5 }, '200'],
      [{ unitId: team }, '200'],
      [{ unitId: project }, '200'],
    ] as const) {
      expect([fields, refusal(await change(lead, `/tokens/${dev.id}`, fields))]).toEqual([fields, expected]);
    }
    expect(bodyOf<IssuedTokenView>(await lead.post(`/tokens/${dev.id}/rotate`)).token).not.toBe(dev.token);
    expect(bodyOf<OwnedTokenView>(await lead.call('DELETE', `/tokens/${service.id}`)).state).toBe('revoked');
  });

  test('keeps what an owner gave a token, and cannot take the secret of an owner’s token', async () => {
    const rich = await create(owner, { name: 'rich', unitId: team, maySteer: true, labels: ['red'], ownerId: null });
    expect(refusal(await change(who('lead'), `/tokens/${rich.id}`, { name: 'renamed', rpm: 3 }))).toBe('200');
    const { maySteer, labels } = bodyOf<OwnedTokenView>(await owner.get(`/tokens/${rich.id}`));
    expect([maySteer, labels]).toEqual([true, ['red']]);
    const theirs = await create(owner, { name: 'of the owner', unitId: team });
    expect(refusal(await who('lead').post(`/tokens/${theirs.id}/rotate`))).toBe('role_not_allowed');
    expect(refusal(await who('lead').call('DELETE', `/tokens/${theirs.id}`))).toBe('200');
  });

  test('gives a token of the team no more models than they have themselves', async () => {
    const path = `/accounts/${idOf('lead')}/terms`;
    bodyOf(await change(owner, path, { terms: { models: ['sandbox-chat'] } }));
    const make = (fields: object) => who('lead').post('/tokens', { name: 'narrow', unitId: team, ...fields });
    expect(refusal(await make({ ownerId: null }))).toBe('role_not_allowed models');
    expect(refusal(await make({ ownerId: null, models: ['sandbox-*'] }))).toBe('role_not_allowed models');
    expect((await make({ ownerId: null, models: ['sandbox-chat'] })).status).toBe(200);
    // Their own are limited by their account anyway.
    expect((await make({})).status).toBe(200);
    bodyOf(await change(owner, path, { terms: { models: null } }));
  });
});

describe('members and viewers of a team', () => {
  test('a member makes tokens of their own in it and sees only those', async () => {
    const dev = who('dev');
    expect(refusal(await dev.post('/tokens', { name: 'x', unitId: team, ownerId: null }))).toBe(
      'role_not_allowed ownerId',
    );
    expect(refusal(await dev.post(`/teams/${team}/projects`, { name: 'x' }))).toBe('role_not_allowed');
    expect(refusal(await change(dev, `/projects/${project}`, { name: 'x' }))).toBe('role_not_allowed');
    await create(who('lead'), { name: 'of lead', unitId: team });
    expect(await namesSeen(dev, `&team=${team}`)).toEqual(['of dev']);
    expect(await namesSeen(who('lead'), `&team=${team}`)).toContain('of dev');
  });

  test('a viewer reads every token of it and changes none', async () => {
    const auditor = who('auditor');
    expect(await namesSeen(auditor)).toEqual(expect.arrayContaining(['of dev', 'of lead']));
    const [item] = bodyOf<PageView<OwnedTokenView>>(await auditor.get(`/tokens?q=of+dev&team=${team}`)).items;
    expect(item).toMatchObject({ name: 'of dev', teamName: 'Search', projectName: 'Ranking', access: 'read' });
    const path = `/tokens/${item?.id}`;
    for (const reply of [
      await change(auditor, path, { name: 'x' }),
      await auditor.post(`${path}/rotate`),
      await auditor.call('DELETE', path),
    ]) {
      expect(codeOf(reply)).toBe('role_not_allowed');
    }
    expect(refusal(await auditor.post('/tokens', { name: 'x', unitId: team }))).toBe('role_not_allowed unitId');
    expect((await auditor.post('/tokens', { name: 'personal' })).status).toBe(200);
  });

  test('usage is that of the team for its admin and viewer, and one’s own for a member', async () => {
    const call = async ({ token }: IssuedTokenView) => {
      const reply = await fetch(`${weir.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'hi' }] }),
      });
      await reply.arrayBuffer();
    };
    await call(await create(who('dev'), { name: 'used in the project', unitId: project }));
    await call(await create(who('lead'), { name: 'used in the team', unitId: team }));
    await call(await create(who('lead'), { name: 'used elsewhere' }));
    const count = async (client: ConsoleClient, query: string) =>
      bodyOf<CountView>(await client.get(`/usage/count?${query}`)).requests;
    await until(async () => (await count(owner, '')) === 3);
    const counts = async (client: ConsoleClient) =>
      Promise.all(['', `team=${team}`, `project=${project}`].map((query) => count(client, query)));
    expect(await counts(owner)).toEqual([3, 2, 1]);
    expect(await counts(who('lead'))).toEqual([3, 2, 1]);
    expect(await counts(who('auditor'))).toEqual([2, 2, 1]);
    expect(await counts(who('dev'))).toEqual([1, 1, 1]);
    expect(await counts(who('newcomer'))).toEqual([0, 0, 0]);
    const { items } = bodyOf<BreakdownView>(await owner.get('/usage/breakdown?by=project&order=requests'));
    expect(items.map(({ label, requests }) => [label, requests])).toEqual([
      ['', 2],
      ['Ranking', 1],
    ]);
    const file = (await owner.get(`/usage/export/sums?by=team,project&team=${team}`)).body as string;
    expect(file.split('\n')[0]).toStartWith('team,team_name,project,project_name,requests');
    expect(file).toContain('Search');
    const rows = (await owner.get(`/usage/export?project=${project}`)).body as string;
    expect(rows).toContain('teamId,teamName,projectId,projectName');
    expect(rows).toContain(`${team},Search,${project},Ranking`);
  });
});

test('people see their own limits and teams, and only administrators those of others', async () => {
  const path = `/accounts/${idOf('dev')}/terms`;
  const terms = { budgets: [{ unit: 'usd', limit: 3, period: 'week' }] };
  expect(refusal(await change(who('dev'), path, { terms }))).toBe('role_not_allowed');
  bodyOf(await change(owner, path, { terms }));
  const view = bodyOf<PersonTermsView>(await who('dev').get(path));
  expect(view.memberships).toEqual([{ teamId: team, teamName: 'Search', role: 'member', source: 'manual' }]);
  expect(view.terms.budgets?.[0]).toMatchObject({ id: 'b1', limit: '3.00', left: '3.00' });
  expect(refusal(await who('lead').get(path))).toBe('not_found id');
});

test('what is in use stays, and every change is in the audit log', async () => {
  expect(refusal(await owner.call('DELETE', `/teams/${team}`))).toBe('field_invalid id');
  const other = bodyOf<TeamView>(await owner.post('/teams', { name: 'Short-lived' }));
  expect(refusal(await owner.post('/teams', { name: 'short-LIVED' }))).toBe('field_invalid name');
  expect((await owner.call('DELETE', `/teams/${other.id}`)).status).toBe(204);
  expect(refusal(await owner.call('DELETE', `/teams/${other.id}`))).toBe('not_found id');
  const { items } = bodyOf<PageView<{ action: string; subject: string }>>(await owner.get('/audit?limit=200'));
  const actions = new Set(items.map(({ action }) => action));
  for (const kind of ['team', 'project']) {
    for (const act of ['create', 'change', 'delete']) expect(actions).toContain(`${kind}-${act}`);
  }
  for (const action of ['member-change', 'member-remove', 'account-terms']) expect(actions).toContain(action);
});
