/** Who a person is by the claims of an issuer. */

import { describe, expect, test } from 'bun:test';
import type { IssuerConfig } from '../../settings/sign-in-settings.ts';
import { type Claims, claimAt, groupsIn, personIn } from './claims.ts';
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
  expect(refusal({ email: 'a@Company.Example' }, { allowedDomains })).toBe('none');
  for (const email of [
    'a@evil-company.example',
    'a@sub.company.example',
    'company.example@evil.example',
    undefined,
    '',
  ])
    expect(refusal({ email }, { allowedDomains })).toBe('domain_not_allowed');
});

test('a subject is a text of the length that the standard allows', () => {
  expect(refusal({ sub: 's'.repeat(255) })).toBe('none');
  for (const sub of ['s'.repeat(256), '', 'a\u0000', 7, undefined]) expect(refusal({ sub })).toBe('token_invalid');
});
