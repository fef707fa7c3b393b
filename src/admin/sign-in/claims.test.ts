/** Who a person is by the claims of an issuer. */

import { describe, expect, test } from 'bun:test';
import type { IssuerConfig } from '../../settings/sign-in-settings.ts';
import { type Claims, claimAt, groupsIn, personIn, withInfo } from './claims.ts';
import { SignInRefusal } from './refusal.ts';

const config: IssuerConfig = {
  name: 'company',
  issuer: 'https://id.example',
  clientId: 'weir',
  clientSecret: undefined,
  scopes: ['openid'],
  groupsClaim: 'groups',
  nameClaims: ['preferred_username', 'email', 'sub'],
  rules: [],
  defaultRole: 'member',
  createAccounts: true,
  linkAccounts: false,
  allowedDomains: undefined,
  trustUnverifiedEmail: false,
  allowedGroups: undefined,
  clockSkewS: 60,
  label: 'Company',
};
const person = (claims: Claims, changes: Partial<IssuerConfig> = {}) =>
  personIn({ iss: 'https://id.example', sub: 's1', ...claims }, { ...config, ...changes });
const refusal = (claims: Claims, changes: Partial<IssuerConfig> = {}): string => {
  try {
    person(claims, changes);
    return 'none';
  } catch (error) {
    return error instanceof SignInRefusal ? error.code : 'another error';
  }
};

describe('the name', () => {
  test('is the first claim that says something', () => {
    expect(person({ preferred_username: 'ann', email: 'a@b.example' }).name).toBe('ann');
    expect(person({ preferred_username: ' ', email: 'a@b.example' }).name).toBe('a@b.example');
    expect(person({}).name).toBe('s1');
    expect(refusal({}, { nameClaims: ['email'] })).toBe('name_missing');
  });

  test('has no control characters and a bounded length', () => {
    expect(person({ preferred_username: ' a\u0000n\u202en\n ' }).name).toBe('ann');
    expect([...person({ preferred_username: '😀'.repeat(150) }).name]).toHaveLength(100);
  });

  test('is unsure where it is an address that was not verified', () => {
    expect(person({ email: 'a@b.example', email_verified: false }).isNameSure).toBe(false);
    expect(person({ email: 'a@b.example', email_verified: true }).isNameSure).toBe(true);
    expect(person({ preferred_username: 'ann', email: 'a@b.example', email_verified: false }).isNameSure).toBe(true);
  });
});

describe('groups', () => {
  test('are a list, one text, or nothing', () => {
    expect(groupsIn({ groups: ['a', 7, '', 'b'] }, 'groups')).toEqual(['a', 'b']);
    expect(groupsIn({ groups: 'a' }, 'groups')).toEqual(['a']);
    expect(groupsIn({ groups: { a: true } }, 'groups')).toEqual([]);
    expect(groupsIn({}, 'groups')).toEqual([]);
    expect(groupsIn({ groups: Array.from({ length: 3_000 }, (_, index) => `g${index}`) }, 'groups')).toHaveLength(
      2_000,
    );
  });

  test('are found by a URL and by a path', () => {
    expect(claimAt({ 'https://a.example/groups': ['x'] }, 'https://a.example/groups')).toEqual(['x']);
    expect(claimAt({ realm_access: { roles: ['y'] } }, 'realm_access.roles')).toEqual(['y']);
    expect(claimAt({ realm_access: 'text' }, 'realm_access.length')).toBeUndefined();
    expect(claimAt({}, 'constructor')).toBeUndefined();
  });

  test('are needed where the configuration lists some', () => {
    expect(refusal({ groups: ['a'] }, { allowedGroups: ['b'] })).toBe('group_missing');
    expect(refusal({ groups: ['a', 'b'] }, { allowedGroups: ['b'] })).toBe('none');
  });
});

test('a domain is that of the address, as a whole', () => {
  const allowedDomains = ['company.example'];
  const changes = { allowedDomains };
  expect(refusal({ email: 'a@Company.Example', email_verified: true }, changes)).toBe('none');
  for (const email of [
    'a@evil-company.example',
    'a@sub.company.example',
    'company.example@evil.example',
    undefined,
    '',
  ])
    expect(refusal({ email, email_verified: true }, changes)).toBe('domain_not_allowed');
});

test('a subject is a text of the length that the standard allows', () => {
  expect(refusal({ sub: 's'.repeat(255) })).toBe('none');
  for (const sub of ['s'.repeat(256), '', 'a\u0000', 7, undefined]) expect(refusal({ sub })).toBe('token_invalid');
});

describe('an address that the issuer does not vouch for', () => {
  const allowedDomains = ['company.example'];
  const email = 'eve@company.example';
  const values = [undefined, null, true, 'true', 1, '1', false, 'false', 0, '0', '', 'yes', {}, [true]];
  const yes: readonly unknown[] = [true, 'true', 1, '1'];

  test.each([false, true])('counts for nothing: %p for trust_unverified_email', (trustUnverifiedEmail) => {
    for (const verified of values) {
      for (const owned of values) {
        const claims = {
          email,
          ...(verified !== undefined && { email_verified: verified }),
          ...(owned !== undefined && { xms_edov: owned }),
        };
        const isSilent = verified === undefined && owned === undefined;
        const counts = yes.includes(verified) || yes.includes(owned) || (trustUnverifiedEmail && isSilent);
        const changes = { trustUnverifiedEmail };
        expect([claims, refusal(claims, { ...changes, allowedDomains })]).toEqual([
          claims,
          counts ? 'none' : 'domain_not_allowed',
        ]);
        const { isNameSure, email: known } = person(claims, { ...changes, nameClaims: ['email'] });
        expect([claims, isNameSure, known]).toEqual([claims, counts, counts ? email : undefined]);
      }
    }
  });

  test('is not vouched for by what is said of another address', () => {
    const other = 'eve@evil.example';
    const kept = (claims: Claims, info: Claims) => {
      const { email: address, email_verified: verified } = withInfo(claims, info);
      return [address, verified];
    };
    expect(kept({ email }, { email: other, email_verified: true })).toEqual([email, undefined]);
    expect(kept({ email_verified: true }, { email: other })).toEqual([other, undefined]);
    expect(kept({ email }, { email, email_verified: true })).toEqual([email, true]);
    expect(kept({ email, email_verified: false }, { email, email_verified: true })).toEqual([email, false]);
    expect(kept({}, { email, email_verified: true })).toEqual([email, true]);
    expect(withInfo({ sub: 's', name: 'token' }, { name: 'info', groups: ['a'] })).toEqual({
      ...{ sub: 's', name: 'token', groups: ['a'] },
    });
  });
});
