/** Sign-in over a real store with a clock of our own: how sessions age, what is counted, and what the operator's password does. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fixedKeys } from '../../../test/harness/fixed-keys.ts';
import { engines, type StorePlace } from '../../../test/harness/store-places.ts';
import { networkOf } from '../../access/address.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { createDigests } from '../../secrets/digests.ts';
import type { Store } from '../../store/store.ts';
import { sessionBounds, setUpLinkLifetimeMs, signInBounds } from '../contracts/account-contract.ts';
import { createAudit } from './audit.ts';
import type { Passwords } from './passwords.ts';
import { createSessions, type OpenedSession, type Sessions } from './sessions.ts';
import { applyOperatorPassword, openSetUp } from './set-up.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

/** Quick, and counts: the cost of the real ones is tested beside them. */
class PlainPasswords implements Passwords {
  verified: (string | undefined)[] = [];
  hash = async (password: string): Promise<string> => `hash of ${password}`;
  make = (): string => 'made';
  async verify(password: string, hash: string | undefined): Promise<boolean> {
    this.verified.push(hash);
    return hash === `hash of ${password}`;
  }
}

const digests = createDigests(fixedKeys(new Uint8Array(32).fill(4)));
const digest = digests.of;
const client = { address: '192.0.2.1', agent: 'a browser' };
const password = 'a fine password';
let place: StorePlace;
let store: Store;
let clockMs: number;
let passwordsOf: 'all' | 'owners';
let passwords: PlainPasswords;
let sessions: Sessions;
let signIn: SignIn;
let first: OpenedSession;
const nowMs = (): number => clockMs;
const firstStart = () => ({ ...store, passwords, digests, nowMs });

beforeEach(async () => {
  clockMs = Date.parse('2030-01-01');
  passwordsOf = 'all';
  place = await engines[0].place();
  store = await place.open(nowMs);
  passwords = new PlainPasswords();
  sessions = createSessions({ table: store.sessions, digests, nowMs });
  const audit = createAudit({ table: store.audit, nowMs });
  signIn = createSignIn({
    ...store,
    sessions,
    tries: store.signInTries,
    passwords,
    audit,
    digests,
    networkOf,
    ticketFor: () => undefined,
    passwordsFor: () => passwordsOf,
    nowMs,
  });
  const code = await openSetUp(firstStart());
  first = await signIn.setUp({ code, name: 'Ann', password }, client);
});
afterEach(() => place.dispose());

const faultOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof GatewayError ? error.code : 'no fault';
};
const enter = async (given: string, name = 'ann', address = client.address): Promise<OpenedSession> => {
  const opened = await signIn.signIn({ name, password: given }, { ...client, address });
  if ('ticket' in opened) throw new Error('a second factor is asked for');
  return opened;
};

describe('a session', () => {
  test('lives as long as it is used, up to its end', async () => {
    const { cookieValue } = first;
    for (let days = 0; days < 30; days += 6) {
      expect(await sessions.find(cookieValue, client)).toBeDefined();
      clockMs += 6 * 24 * 60 * 60 * 1_000;
    }
    expect(await sessions.find(cookieValue, client)).toBeUndefined();
  });

  test('ends when it is unused', async () => {
    clockMs += sessionBounds.idleMs - 1;
    expect(await sessions.find(first.cookieValue, client)).toBeDefined();
    clockMs += sessionBounds.idleMs;
    expect(await sessions.find(first.cookieValue, client)).toBeUndefined();
    await sessions.tidy();
    expect(await place.query('SELECT id FROM sessions')).toEqual([]);
  });

  test('says at most once a minute that it is used, and from where', async () => {
    const seen = async (address: string) => (await sessions.find(first.cookieValue, { ...client, address }))?.session;
    clockMs += sessionBounds.touchEveryMs - 1;
    expect((await seen('192.0.2.9'))?.address).toBe('192.0.2.1');
    clockMs += 1;
    expect(await seen('192.0.2.9')).toMatchObject({ address: '192.0.2.9', lastSeenAtMs: clockMs });
  });

  test('is nothing but its whole cookie', async () => {
    const { cookieValue } = first;
    for (const value of ['', cookieValue.slice(1), `${cookieValue}A`, digest(cookieValue), ' '.repeat(43)])
      expect(await sessions.find(value, client)).toBeUndefined();
  });
});

describe('tries', () => {
  test('a right one is not counted, and a wrong one is forgotten after a while', async () => {
    for (let index = 0; index < 30; index++) await enter(password);
    for (let index = 0; index < signInBounds.triesMax; index++)
      expect(await faultOf(enter('wrong'))).toBe('sign_in_failed');
    expect(await faultOf(enter(password))).toBe('sign_in_limited');
    expect(await faultOf(enter(password, 'ann', '192.0.2.2'))).toBe('no fault');
    clockMs += signInBounds.windowMs;
    expect(await faultOf(enter(password))).toBe('no fault');
  });

  test('an IPv6 network is one address', async () => {
    for (let index = 0; index < signInBounds.triesMax; index++)
      await faultOf(enter('wrong', 'nobody', `2001:db8::${index.toString(16)}`));
    expect(await faultOf(enter('wrong', 'nobody', '2001:db8::ffff'))).toBe('sign_in_limited');
  });

  test('a name is guarded from everywhere, by a pace that grows slower and locks no account out', async () => {
    for (let index = 0; index < signInBounds.triesPerNameMax; index++)
      expect(await faultOf(enter('wrong', 'ANN', `198.51.100.${index}`))).toBe('sign_in_failed');
    // The first beyond the bound is let through, the second has to wait for its turn.
    expect(await faultOf(enter('wrong', 'ann', '203.0.113.1'))).toBe('sign_in_failed');
    expect(await faultOf(enter(password, 'ann', '203.0.113.2'))).toBe('sign_in_limited');
    clockMs += signInBounds.paceMsMin;
    expect(await faultOf(enter(password, 'ann', '203.0.113.3'))).toBe('no fault');
    for (let index = 0; index < 10 * signInBounds.triesPerPace; index++)
      await faultOf(enter('wrong', 'ann', `203.0.114.${index}`));
    clockMs += signInBounds.paceMsMax - 1;
    expect(await faultOf(enter(password, 'ann', '203.0.113.4'))).toBe('sign_in_limited');
    clockMs += signInBounds.paceMsMax;
    expect(await faultOf(enter(password, 'ann', '203.0.113.4'))).toBe('no fault');
  });

  test('one address that all callers share is slowed down, and no caller waits for another name', async () => {
    for (let index = 0; index < signInBounds.triesPerAddressMax; index++) await faultOf(enter('wrong', `n${index}`));
    expect(await faultOf(enter('wrong', 'somebody'))).toBe('sign_in_failed');
    expect(await faultOf(enter('wrong', 'somebody'))).toBe('sign_in_limited');
    expect(await faultOf(enter(password))).toBe('no fault');
  });

  test('a password is looked at also where there is no such account', async () => {
    passwords.verified = [];
    await faultOf(enter('x', 'nobody'));
    await faultOf(enter('x', 'ann'));
    expect(passwords.verified).toEqual([undefined, `hash of ${password}`]);
  });

  test('an open session is no way to find the password out', async () => {
    const change = (current: string) => signIn.changePassword(first.actor, { current, next: 'another password' });
    for (let index = 0; index < signInBounds.triesMax; index++)
      expect(await faultOf(change('wrong'))).toBe('field_invalid');
    expect(await faultOf(change(password))).toBe('sign_in_limited');
  });

  test('what was typed in the place of a name is not written down', async () => {
    await faultOf(enter('x', 'my secret password'));
    const [entry] = (await store.audit.list({ action: 'sign-in-refused' }, { limit: 1 })).items;
    expect(entry).toMatchObject({ accountName: '', subject: '', address: '192.0.2.1' });
  });
});

describe('the first start', () => {
  test('a link ends after a day and there is none once set-up is done', async () => {
    const fresh = await engines[0].place();
    try {
      const other = await fresh.open(nowMs);
      const code = (await openSetUp({ ...firstStart(), ...other })) ?? '';
      const account = { id: 'a', name: 'a', nameKey: 'a', role: 'owner', passwordHash: 'h' } as const;
      const createdAtMs = clockMs + setUpLinkLifetimeMs;
      expect(await other.setUp.complete({ ...account, createdAtMs }, digest(code))).toBe(false);
      expect(await other.setUp.complete({ ...account, createdAtMs: createdAtMs - 1 }, digest(code))).toBe(true);
    } finally {
      await fresh.dispose();
    }
    expect(await openSetUp(firstStart())).toBeUndefined();
  });

  test('the operator’s password makes an owner; only another one changes it again', async () => {
    await applyOperatorPassword(firstStart(), 'operator one');
    const { actor, cookieValue } = await enter('operator one', 'admin');
    expect(actor.account.role).toBe('owner');
    await signIn.changePassword(actor, { current: 'operator one', next: 'chosen in the console' });
    await applyOperatorPassword(firstStart(), 'operator one');
    expect(await faultOf(enter('chosen in the console', 'admin'))).toBe('no fault');
    await store.accounts.update(actor.account.id, { role: 'viewer', disabledAtMs: clockMs });
    await applyOperatorPassword(firstStart(), 'operator two');
    expect(await sessions.find(cookieValue, client)).toBeUndefined();
    expect((await enter('operator two', 'admin')).actor.account.role).toBe('owner');
    expect(await faultOf(enter('chosen in the console', 'admin'))).toBe('sign_in_failed');
  });
});
