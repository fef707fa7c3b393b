/** Passwords: their cost, that an unknown name costs the same, and how many are checked at once. */

import { expect, spyOn, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { createPasswords, createTurns } from './passwords.ts';

test('a password is hashed with argon2id at the requested cost, with a new salt each time', async () => {
  const passwords = createPasswords();
  const [one, two] = [await passwords.hash('a fine password'), await passwords.hash('a fine password')];
  expect(one).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
  expect(one).not.toBe(two);
  expect(await passwords.verify('a fine password', one)).toBe(true);
  expect(await passwords.verify('a fine passwore', one)).toBe(false);
});

test('the same letter counts however it was typed', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('caf\u00e9 \uff11\uff12\uff13');
  expect(await passwords.verify('cafe\u0301 123', hash)).toBe(true);
});

test('without an account the same work is done and the answer is no', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('a fine password');
  const verify = spyOn(Bun.password, 'verify');
  try {
    expect(await passwords.verify('a wrong password', hash)).toBe(false);
    expect(await passwords.verify('a wrong password', undefined)).toBe(false);
    // The hash contains the cost, before its salt.
    const costs = verify.mock.calls.map(([, given]) => String(given).split('$').slice(0, 4).join('$'));
    expect(costs).toEqual(Array(2).fill('$argon2id$v=19$m=19456,t=2,p=1'));
  } finally {
    verify.mockRestore();
  }
});

test('a made password is long, readable, and never the same', () => {
  const { make } = createPasswords();
  const made = new Set(Array.from({ length: 200 }, make));
  expect(made.size).toBe(200);
  for (const password of made) expect(password).toMatch(/^([a-hjkmnp-z2-9]{4}-){4}[a-hjkmnp-z2-9]{4}$/);
});

test('only so many run at once, only so many wait, and a failure gives its turn on', async () => {
  const inTurn = createTurns(2, 3);
  let running = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const work = (fails: boolean) =>
    inTurn(async () => {
      most = Math.max(most, ++running);
      await gate.promise;
      running--;
      if (fails) throw new Error('failed');
      return 'done';
    });
  const begun = [work(true), work(false), work(true), work(false), work(false)];
  const refused = await work(false).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(GatewayError);
  gate.resolve();
  const ends = (await Promise.allSettled(begun)).map(({ status }) => status);
  expect(ends).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(most).toBe(2);
  expect(await inTurn(async () => 'again')).toBe('again');
});
