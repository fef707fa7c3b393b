/** Second factors at a running Weir: authenticator apps, passkeys and recovery codes, and every way around them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Role } from '../../src/access/account.ts';
import type { PasskeyCreationView, PendingSignInView } from '../../src/admin/contracts/contract.ts';
import { type Authenticator, createAuthenticator } from '../harness/authenticator.ts';
import { ConsoleClient, type ConsoleReply, codeOf } from '../harness/console-client.ts';
import { ownerOf, passwordOf } from '../harness/console-session.ts';
import { totpCode } from '../harness/totp-codes.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let weir: RunningWeir;
let owner: ConsoleClient;
let site: { readonly origin: string; readonly rpId: string };

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_SERVER_TRUSTED_PROXIES: '127.0.0.0/8' } });
  owner = await ownerOf(weir);
  const { origin, hostname } = new URL(weir.url);
  site = { origin, rpId: hostname };
});
afterAll(() => weir.remove());

const fieldsOf = ({ body }: ConsoleReply): Record<string, unknown> => body as Record<string, unknown>;
const outcome = (reply: ConsoleReply) => [reply.status, codeOf(reply)];
const refused = [401, 'second_factor_failed'];

let people = 0;
async function newPerson(role: Role = 'member'): Promise<{ name: string; id: string; client: ConsoleClient }> {
  const name = `person ${++people}`;
  const made = await owner.post('/accounts', { name, role, password: passwordOf(name) });
  const client = new ConsoleClient(weir);
  expect((await client.signIn(name, passwordOf(name))).status).toBe(200);
  return { name, id: (fieldsOf(made)['account'] as { id: string }).id, client };
}

/** Another browser that has given the right password. */
async function pendingOf(name: string) {
  const client = new ConsoleClient(weir);
  const reply = await client.signIn(name, passwordOf(name));
  expect(reply.status).toBe(200);
  expect(client.cookie).toBe('');
  const pending = reply.body as PendingSignInView;
  const finish = (given: object, options = {}) =>
    client.post('/session/second-factor', { ticket: pending.ticket, ...given }, options);
  return { client, pending, finish };
}

async function withTotp(role: Role = 'member') {
  const person = await newPerson(role);
  const password = passwordOf(person.name);
  const begun = fieldsOf(await person.client.post('/factors/totp', { password }));
  const secret = String(begun['secret']);
  const used = totpCode(secret);
  const confirmed = await person.client.post('/factors/totp/confirm', { code: used });
  expect(confirmed.status).toBe(200);
  return { ...person, password, secret, used, begun, codes: fieldsOf(confirmed)['recoveryCodes'] as string[] };
}

async function addPasskey(client: ConsoleClient, name: string, authenticator: Authenticator): Promise<ConsoleReply> {
  const options = (await client.post('/factors/passkeys/options', { password: passwordOf(name) }))
    .body as PasskeyCreationView;
  return client.post('/factors/passkeys', {
    name: 'Laptop',
    credential: authenticator.create({ ...site, challenge: options.challenge }),
  });
}

describe('an authenticator app', () => {
  test('is asked for after the password, and each code works once', async () => {
    const { name, secret, begun, used, codes } = await withTotp();
    expect(String(begun['uri'])).toStartWith('otpauth://totp/Weir');
    expect(begun['qr']).toMatchObject({ size: expect.any(Number), path: expect.stringMatching(/^M\d/) });
    const { client, pending, finish } = await pendingOf(name);
    expect(pending).toEqual({ secondFactor: ['totp', 'recovery'], ticket: expect.any(String) });
    // The code that confirmed the app was used then.
    expect(outcome(await finish({ totp: used }))).toEqual(refused);
    const code = totpCode(secret, 1);
    const reply = await finish({ totp: code });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ account: { name } });
    expect((await client.get('/session')).status).toBe(200);
    const again = await pendingOf(name);
    expect(outcome(await again.finish({ totp: code }))).toEqual(refused);
    expect(outcome(await again.finish({ totp: totpCode(secret) }))).toEqual(refused);
    expect((await again.finish({ recovery: codes[0] })).status).toBe(200);
  });

  test('a ticket works once, from the same network, for its account and its password', async () => {
    const { name, secret, codes } = await withTotp();
    const { finish, pending } = await pendingOf(name);
    const elsewhere = { headers: { 'x-forwarded-for': '203.0.113.9' } };
    expect(outcome(await finish({ recovery: codes[0] }, elsewhere))).toEqual(refused);
    expect(outcome(await finish({ ticket: `${pending.ticket}0`, recovery: codes[0] }))).toEqual(refused);
    const stranger = await withTotp();
    expect(outcome(await finish({ totp: totpCode(stranger.secret) }))).toEqual(refused);
    expect((await finish({ recovery: codes[0] })).status).toBe(200);
    expect(outcome(await finish({ recovery: codes[1] }))).toEqual(refused);
    const late = await pendingOf(name);
    const id = (await owner.get('/accounts')).body as { items: { id: string; name: string }[] };
    const account = id.items.find((one) => one.name === name)?.id;
    await owner.post(`/accounts/${account}/password`, { password: 'another password' });
    expect(outcome(await late.finish({ totp: totpCode(secret) }))).toEqual(refused);
  });

  test('five wrong codes end a ticket, and a code of another kind is no code', async () => {
    const { name, secret, codes } = await withTotp();
    const { finish } = await pendingOf(name);
    for (const given of [{ totp: '000000' }, { recovery: totpCode(secret) }, { recovery: 'aaaa-bbbb' }])
      expect(outcome(await finish(given))).toEqual(refused);
    expect(outcome(await finish({}))).toEqual([400, 'field_missing']);
    expect(outcome(await finish({ totp: '123456', recovery: codes[0] }))).toEqual([400, 'field_invalid']);
    for (let count = 0; count < 2; count++) expect(outcome(await finish({ totp: '000001' }))).toEqual(refused);
    expect(outcome(await finish({ totp: totpCode(secret) }))).toEqual([429, 'sign_in_limited']);
  });

  test('recovery codes work once each, and new ones replace them', async () => {
    const { name, client, password, codes } = await withTotp();
    expect(new Set(codes).size).toBe(10);
    const enter = async (recovery: string | undefined) => outcome(await (await pendingOf(name)).finish({ recovery }));
    expect(await enter(codes[0]?.toUpperCase().replaceAll('-', ' '))).toEqual([200, '']);
    expect(await enter(codes[0])).toEqual(refused);
    expect((await client.get('/factors')).body).toMatchObject({ recoveryCodesLeft: 9, required: false });
    const fresh = fieldsOf(await client.post('/factors/recovery-codes', { password }))['recoveryCodes'] as string[];
    expect(await enter(codes[1])).toEqual(refused);
    expect(await enter(fresh[1])).toEqual([200, '']);
  });

  test('is added, removed and replaced with the password only, and removed with a code', async () => {
    const { name, client, password, secret, codes } = await withTotp();
    const wrong = { password: 'a wrong password' };
    for (const path of ['/factors/totp', '/factors/recovery-codes', '/factors/passkeys/options'])
      expect(outcome(await client.post(path, wrong))).toEqual([400, 'field_invalid']);
    expect(outcome(await client.post('/factors/totp', { password }))).toEqual([400, 'field_invalid']);
    const disable = (given: object) => client.post('/factors/totp/disable', { password, ...given });
    expect(outcome(await disable({ code: '000000' }))).toEqual([400, 'field_invalid']);
    expect(outcome(await disable({ ...wrong, code: totpCode(secret) }))).toEqual([400, 'field_invalid']);
    expect((await disable({ code: codes[3] })).status).toBe(204);
    expect((await client.get('/factors')).body).toEqual({ passkeys: [], recoveryCodesLeft: 0, required: false });
    expect((await new ConsoleClient(weir).signIn(name, passwordOf(name))).body).toMatchObject({ account: { name } });
  });
});

describe('a passkey', () => {
  test('is the second step, and the whole sign-in where it verified the person', async () => {
    const { name, id, client } = await newPerson();
    const authenticator = createAuthenticator('ES256');
    const added = await addPasskey(client, name, authenticator);
    expect((fieldsOf(added)['recoveryCodes'] as string[]).length).toBe(10);
    const { pending, finish } = await pendingOf(name);
    expect(pending).toMatchObject({
      secondFactor: ['passkey', 'recovery'],
      passkey: { rpId: site.rpId, allowCredentials: [{ type: 'public-key', id: authenticator.id }] },
    });
    const challenge = pending.passkey?.challenge ?? '';
    const shown = authenticator.get({ ...site, challenge, flags: 1 });
    expect((await finish({ passkey: shown })).status).toBe(200);
    expect(outcome(await finish({ passkey: shown }))).toEqual(refused);

    const visitor = new ConsoleClient(weir);
    const options = async () => String(fieldsOf(await visitor.post('/session/passkey/options'))['challenge']);
    const enter = (credential: object) => visitor.post('/session/passkey', { credential });
    const first = authenticator.get({ ...site, challenge: await options() }, id);
    expect((await enter(first)).body).toMatchObject({ account: { name } });
    // The same answer again, without a verified person, with another person's handle, for a challenge that Weir did not issue.
    expect(outcome(await enter(first))).toEqual(refused);
    const forged = async (given: object, handle = id) =>
      outcome(await enter(authenticator.get({ ...site, challenge: await options(), ...given }, handle)));
    expect(await forged({ flags: 1 })).toEqual(refused);
    expect(await forged({}, 'acc_other')).toEqual(refused);
    expect(await forged({ challenge: Buffer.from(pending.ticket).toString('base64url') })).toEqual(refused);
    expect(await forged({ challenge: Buffer.from('nonsense').toString('base64url') })).toEqual(refused);
    expect(await forged({ origin: 'https://evil.example' })).toEqual(refused);
    expect(await forged({ rpId: 'evil.example' })).toEqual(refused);
    expect(await forged({ counter: 1 })).toEqual(refused);
    expect(await forged({ counter: 1_000 })).toEqual([200, '']);
    expect(await forged({ counter: 1_000 })).toEqual(refused);
    const unknown = createAuthenticator();
    expect(outcome(await enter(unknown.get({ ...site, challenge: await options() })))).toEqual(refused);
  });

  test('is registered for the session that asked, once, on this site', async () => {
    const [one, other] = [await newPerson(), await newPerson()];
    const optionsFor = async ({ client, name }: typeof one) =>
      (await client.post('/factors/passkeys/options', { password: passwordOf(name) })).body as PasskeyCreationView;
    const add = async (client: ConsoleClient, given: object) =>
      outcome(
        await client.post('/factors/passkeys', {
          name: 'Key',
          credential: createAuthenticator('EdDSA').create({ ...site, challenge: '', ...given }),
        }),
      );
    const { challenge, pubKeyCredParams } = await optionsFor(one);
    expect(pubKeyCredParams.map(({ alg }) => alg)).toEqual([-7, -8, -257]);
    expect(await add(other.client, { challenge })).toEqual([400, 'field_invalid']);
    expect(await add(one.client, { challenge, origin: 'https://evil.example' })).toEqual([400, 'field_invalid']);
    expect(await add(one.client, { challenge, rpId: 'evil.example' })).toEqual([400, 'field_invalid']);
    expect(await add(one.client, { challenge })).toEqual([200, '']);
    expect(await add(one.client, { challenge })).toEqual([400, 'field_invalid']);
  });

  test('is removed with the password, by its owner', async () => {
    const [one, other] = [await newPerson(), await newPerson()];
    const authenticator = createAuthenticator('RS256');
    await addPasskey(one.client, one.name, authenticator);
    const path = `/factors/passkeys/${authenticator.id}/remove`;
    expect(outcome(await other.client.post(path, { password: passwordOf(other.name) }))).toEqual([404, 'not_found']);
    expect(outcome(await one.client.post(path, { password: 'wrong' }))).toEqual([400, 'field_invalid']);
    expect((await one.client.post(path, { password: passwordOf(one.name) })).status).toBe(204);
    expect((await one.client.get('/factors')).body).toMatchObject({ passkeys: [] });
  });
});

describe('administrators', () => {
  test('remove the factors of people, not of owners unless they are one, and not their own', async () => {
    const person = await withTotp();
    const admin = await newPerson('admin');
    const me = fieldsOf(await owner.get('/session'))['account'] as { id: string };
    const remove = (client: ConsoleClient, id: string) => client.call('DELETE', `/accounts/${id}/factors`);
    expect(outcome(await remove(admin.client, me.id))).toEqual([403, 'role_not_allowed']);
    expect(outcome(await remove(admin.client, admin.id))).toEqual([400, 'field_invalid']);
    expect(outcome(await remove(person.client, admin.id))).toEqual([403, 'role_not_allowed']);
    expect((await remove(admin.client, person.id)).body).toEqual({ factorsRemoved: 1 });
    expect((await new ConsoleClient(weir).signIn(person.name, person.password)).body).toMatchObject({
      account: { name: person.name },
    });
    const audit = (await owner.get('/audit?action=factor-remove')).body as { items: Record<string, unknown>[] };
    expect(audit.items[0]).toMatchObject({ accountName: admin.name, subject: `account:${person.id}` });
  });

  test('require a second factor: until there is one, a session can only add it', async () => {
    const admin = await newPerson('admin');
    const member = await newPerson();
    const set = (value: string) =>
      owner.call('PATCH', '/settings', { body: { values: { 'sign_in.second_factor': value } } });
    const done = await set('required_for_admins');
    expect(done.status).toBe(200);
    try {
      const view = fieldsOf(await admin.client.get('/session'));
      expect(view['restriction']).toBe('second-factor');
      expect(view['routes']).toContain('POST /console/api/factors/totp');
      expect(view['routes']).not.toContain('GET /console/api/tokens');
      expect(outcome(await admin.client.get('/tokens'))).toEqual([403, 'second_factor_required']);
      expect((await member.client.get('/tokens')).status).toBe(200);
      expect((await addPasskey(admin.client, admin.name, createAuthenticator())).status).toBe(200);
      expect((await admin.client.get('/tokens')).status).toBe(200);
      expect((await admin.client.get('/session')).body).not.toHaveProperty('restriction');
      // The owner has none either, so they add one before they can change the setting back.
      expect(outcome(await set('optional'))).toEqual([403, 'second_factor_required']);
    } finally {
      await addPasskey(owner, 'Olga', createAuthenticator());
      expect((await set('optional')).status).toBe(200);
    }
  });
});

describe('a password that an administrator gave out', () => {
  test('opens nothing but the choice of another', async () => {
    const made = fieldsOf(await owner.post('/accounts', { name: 'Nina', role: 'member' }));
    const given = String(made['password']);
    const nina = new ConsoleClient(weir);
    const view = fieldsOf(await nina.signIn('Nina', given));
    expect(view).toMatchObject({ restriction: 'password', account: { mustChangePassword: true } });
    for (const path of ['/tokens', '/factors', '/sessions', '/usage/overview'])
      expect(outcome(await nina.get(path))).toEqual([403, 'password_change_required']);
    const change = (current: string, next: string) => nina.post('/session/password', { current, next });
    expect(outcome(await change(given, given))).toEqual([400, 'field_invalid']);
    expect((await change(given, 'Nina’s own password')).status).toBe(200);
    expect((await nina.get('/tokens')).status).toBe(200);
    const { id } = made['account'] as { id: string };
    const reset = fieldsOf(await owner.post(`/accounts/${id}/password`, {}));
    expect(fieldsOf(await nina.signIn('Nina', String(reset['password'])))['restriction']).toBe('password');
    await owner.post(`/accounts/${id}/password`, { password: 'chosen together' });
    expect(fieldsOf(await nina.signIn('Nina', 'chosen together'))).not.toHaveProperty('restriction');
  });
});

test('no secret is in the log, in the audit log, or in the database as it is', async () => {
  const { secret, codes } = await withTotp();
  const audit = JSON.stringify((await owner.get('/audit?limit=500')).body);
  for (const hidden of [secret, ...codes]) {
    expect(weir.output()).not.toContain(hidden);
    expect(audit).not.toContain(hidden);
  }
});
