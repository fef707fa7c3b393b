/** Invitations at a running Weir: who may give what, and that a link makes one account and nothing else. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { ownerOf, personOf } from '../harness/console-session.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let weir: RunningWeir;
let owner: ConsoleClient;
let admin: ConsoleClient;

beforeAll(async () => {
  weir = await startWeir();
  owner = await ownerOf(weir);
  admin = await personOf(weir, owner, 'admin');
});
afterAll(() => weir.remove());

const fieldsOf = ({ body }: ConsoleReply): Record<string, unknown> => body as Record<string, unknown>;
const outcome = (reply: ConsoleReply) => [reply.status, codeOf(reply)];
const refused = [403, 'invitation_refused'];
const password = 'a long password';

async function invite(client: ConsoleClient, given: object = { role: 'member' }) {
  const reply = await client.post('/invitations', given);
  expect(reply.status).toBe(200);
  const { invitation, url } = reply.body as { invitation: { id: string; expiresAt: string }; url: string };
  expect(url).toStartWith(`${weir.url}/console/invitation#`);
  return { ...invitation, code: url.split('#')[1] ?? '' };
}

const accept = (code: string, name: string, client = new ConsoleClient(weir)) =>
  client.post('/invitation', { code, name, password });

describe('a link', () => {
  test('shows what it offers, makes the account once, and signs it in', async () => {
    const { code, id } = await invite(owner, { role: 'viewer', note: 'for Kim' });
    const visitor = new ConsoleClient(weir);
    const offered = await visitor.post('/invitation/read', { code });
    expect(offered.body).toEqual({ role: 'viewer', invitedBy: 'Olga', expiresAt: expect.any(String) });
    const both = await Promise.all(['Kim', 'Kit', 'Kai'].map((name) => accept(code, name)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403, 403]);
    expect(both.find(({ status }) => status === 200)?.body).toMatchObject({ account: { role: 'viewer' } });
    expect(outcome(await visitor.post('/invitation/read', { code }))).toEqual(refused);
    const listed = fieldsOf(await owner.get('/invitations'))['items'] as Record<string, unknown>[];
    expect(listed[0]).toMatchObject({ id, state: 'accepted', note: 'for Kim', invitedBy: 'Olga' });
    expect(JSON.stringify(listed)).not.toContain(code);
    const audit = JSON.stringify((await owner.get('/audit?limit=500')).body);
    expect(audit).toContain('invitation-accept');
    expect(audit).not.toContain(code);
    expect(weir.output()).not.toContain(code);
  });

  test('survives a name that is taken and a weak password', async () => {
    const { code } = await invite(owner);
    expect(outcome(await accept(code, 'OLGA'))).toEqual([400, 'field_invalid']);
    const weak = await new ConsoleClient(weir).post('/invitation', { code, name: 'Lea', password: 'short' });
    expect(outcome(weak)).toEqual([400, 'field_invalid']);
    expect((await accept(code, 'Lea')).status).toBe(200);
  });

  test('ends when it is revoked, and when its giver may no longer give it', async () => {
    const revoked = await invite(owner);
    expect((await owner.call('DELETE', `/invitations/${revoked.id}`)).status).toBe(204);
    expect(outcome(await owner.call('DELETE', `/invitations/${revoked.id}`))).toEqual([404, 'not_found']);
    expect(outcome(await accept(revoked.code, 'Max'))).toEqual(refused);
    const temporary = fieldsOf(await owner.post('/accounts', { name: 'Temp', role: 'admin', password }))['account'];
    const { id } = temporary as { id: string };
    const temp = new ConsoleClient(weir);
    await temp.signIn('Temp', password);
    const { code } = await invite(temp, { role: 'admin' });
    await owner.call('PATCH', `/accounts/${id}`, { body: { role: 'member' } });
    expect(outcome(await accept(code, 'Max'))).toEqual(refused);
    await owner.call('PATCH', `/accounts/${id}`, { body: { role: 'admin' } });
    await owner.call('PATCH', `/accounts/${id}`, { body: { disabled: true } });
    expect(outcome(await accept(code, 'Max'))).toEqual(refused);
  });

  test('expires after seven days, or sooner, and in thirty at most', async () => {
    const days = async (given: object) =>
      Math.round((Date.parse((await invite(owner, { role: 'member', ...given })).expiresAt) - Date.now()) / 86_400_000);
    expect(await days({})).toBe(7);
    expect(await days({ expiresInMs: 30 * 86_400_000 })).toBe(30);
    for (const expiresInMs of [30 * 86_400_000 + 1, 1])
      expect(outcome(await owner.post('/invitations', { role: 'member', expiresInMs }))).toEqual([
        400,
        'field_invalid',
      ]);
  });

  test('of a team’s admin leads into that team alone; they see and revoke no others', async () => {
    const teamOf = async (name: string) => fieldsOf(await owner.post('/teams', { name }))['id'] as string;
    const [mine, other] = [await teamOf('Mine'), await teamOf('Other')];
    const made = fieldsOf(await owner.post('/accounts', { name: 'Lead', role: 'member', password }))['account'];
    const { id: leadId } = made as { id: string };
    await owner.call('PUT', `/teams/${mine}/members/${leadId}`, { body: { role: 'admin' } });
    const lead = new ConsoleClient(weir);
    await lead.signIn('Lead', password);
    const foreign = await invite(owner, { role: 'member', teamId: other });
    const { code, id } = await invite(lead, { role: 'member', teamId: mine, teamRole: 'viewer' });
    for (const given of [
      { role: 'member', teamId: other },
      { role: 'member' },
      { role: 'viewer', teamId: mine },
      { role: 'admin', teamId: mine },
    ])
      expect(outcome(await lead.post('/invitations', given))).toEqual([403, 'role_not_allowed']);
    const seen = fieldsOf(await lead.get('/invitations'))['items'] as { id: string; teamName: string }[];
    expect(seen.map((one) => [one.id, one.teamName])).toEqual([[id, 'Mine']]);
    expect(outcome(await lead.call('DELETE', `/invitations/${foreign.id}`))).toEqual([404, 'not_found']);
    expect((await accept(code, 'Newcomer')).status).toBe(200);
    const members = fieldsOf(await lead.get(`/teams/${mine}/members`))['items'] as { name: string; role: string }[];
    expect(members.map(({ name, role }) => [name, role])).toContainEqual(['Newcomer', 'viewer']);
    const late = await invite(lead, { role: 'member', teamId: mine });
    expect((await lead.call('DELETE', `/invitations/${late.id}`)).status).toBe(204);
    // Who is no longer its admin gave nothing that lasts.
    const last = await invite(lead, { role: 'member', teamId: mine });
    await owner.call('PUT', `/teams/${mine}/members/${leadId}`, { body: { role: 'member' } });
    expect(outcome(await accept(last.code, 'Too late'))).toEqual(refused);
    expect(fieldsOf(await lead.get('/invitations'))['items']).toEqual([]);
  });

  test('cannot be guessed for long', async () => {
    const tries = async () => outcome(await accept('A'.repeat(43), 'Max'));
    let last: unknown[] = [];
    for (let count = 0; count < 25; count++) last = await tries();
    expect(last).toEqual([429, 'sign_in_limited']);
  });
});

describe('the giver', () => {
  test('gives at most what they have', async () => {
    expect(outcome(await admin.post('/invitations', { role: 'owner' }))).toEqual([403, 'role_not_allowed']);
    await invite(admin, { role: 'admin' });
    await invite(owner, { role: 'owner' });
    for (const role of ['member', 'viewer'] as const) {
      const person = await personOf(weir, owner, role);
      expect(outcome(await person.post('/invitations', { role: 'viewer' }))).toEqual([403, 'role_not_allowed']);
      const listed = await person.get('/invitations');
      // A member would see those of teams whose admin they are.
      if (role === 'member') expect(fieldsOf(listed)['items']).toEqual([]);
      else expect(outcome(listed)).toEqual([403, 'role_not_allowed']);
    }
  });

  test('names a team that exists', async () => {
    const given = { role: 'member', teamId: 'team_none', teamRole: 'member' };
    expect(outcome(await owner.post('/invitations', given))).toEqual([400, 'field_invalid']);
    expect(outcome(await owner.post('/invitations', { ...given, teamId: 'org' }))).toEqual([400, 'field_invalid']);
    expect(outcome(await owner.post('/invitations', { role: 'member', teamRole: 'admin' }))).toEqual([
      400,
      'field_invalid',
    ]);
  });
});
