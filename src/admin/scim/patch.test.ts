/** Filters and patches in the shapes that Okta and Entra ID send. */

import { describe, expect, test } from 'bun:test';
import { matches, readFilter } from './filter.ts';
import { patched } from './patch.ts';
import { readUser } from './resources.ts';
import { ScimError } from './scim-error.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const user = {
  id: 'acc_1',
  userName: 'Ada@company.example',
  externalId: 'Ext-1',
  active: true,
  name: { givenName: 'Ada', familyName: 'L' },
  emails: [
    { type: 'work', value: 'ada@company.example', primary: true },
    { type: 'home', value: 'ada@home.example' },
  ],
  [enterprise]: { department: 'Research' },
};

describe('a filter', () => {
  test.each([
    ['userName eq "ada@COMPANY.example"', true],
    ['externalId eq "Ext-1"', true],
    ['externalId eq "ext-1"', false],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ada"', true],
    [`${enterprise}:department eq "research"`, true],
    ['emails[type eq "work" and value co "company"]', true],
    ['emails[type eq "work"].value eq "ada@home.example"', false],
    ['emails eq "ada@home.example"', true],
    ['emails.value ew "home.example"', true],
    ['active eq true and userName eq "x" or name.givenName pr', true],
    ['active eq true and (userName eq "x" or title pr)', false],
    ['not (active eq False)', true],
    ['USERNAME NE "bob"', true],
    ['userName eq "a \\"quoted\\" one"', false],
  ])('%s', (text, expected) => {
    expect(matches(readFilter(text), user)).toBe(expected);
  });

  test.each([
    '',
    'userName',
    'userName eq',
    'userName is "x"',
    'userName eq x',
    '(userName pr',
    'a eq "x',
    '"x" eq "y"',
  ])('is refused: %s', (text) => {
    expect(() => readFilter(text)).toThrow(ScimError);
  });

  test('is bounded', () => {
    expect(() => readFilter(`${'('.repeat(60)}a pr${')'.repeat(60)}`)).toThrow('nests');
    expect(() => readFilter(`a eq "${'x'.repeat(3_000)}"`)).toThrow('2000');
  });
});

const patch = (...Operations: readonly object[]) => patched(user, { Operations });

describe('a patch', () => {
  test('of Okta has no path', () => {
    expect(patch({ op: 'replace', value: { active: false } })).toEqual({ ...user, active: false });
  });

  test('of Entra ID has capitals, filters in paths, texts as flags, and paths as keys', () => {
    const after = patch(
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'new@company.example' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
      { op: 'Replace', path: `${enterprise}:department`, value: 'Sales' },
      { op: 'Add', value: { 'name.familyName': 'Lovelace', [`${enterprise}:employeeNumber`]: '7', title: 'Countess' } },
      { op: 'Remove', path: 'emails[type eq "home"]' },
    );
    expect(after).toMatchObject({
      emails: [{ type: 'work', value: 'new@company.example', primary: true }],
      phoneNumbers: [{ type: 'mobile', value: '1' }],
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      title: 'Countess',
      [enterprise]: { department: 'Sales', employeeNumber: '7' },
    });
    expect(readUser(after).active).toBe(false);
    expect(readUser(patch({ op: 'Add', path: 'active', value: [{ value: 'False' }] })).active).toBe(false);
    expect(user.emails.length).toBe(2);
  });

  test('changes members in every shape', () => {
    const group = { displayName: 'g', members: [{ value: 'a' }, { value: 'b' }] };
    const members = (...Operations: readonly object[]) =>
      (patched(group, { Operations })['members'] as { value: string }[]).map(({ value }) => value);
    expect(members({ op: 'add', path: 'members', value: [{ value: 'b' }, { value: 'c' }] })).toEqual(['a', 'b', 'c']);
    expect(members({ op: 'Add', path: 'members', value: [{ $ref: null, value: 'c' }] })).toEqual(['a', 'b', 'c']);
    expect(members({ op: 'remove', path: 'members[value eq "a"]' })).toEqual(['b']);
    expect(members({ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'a' }] })).toEqual(['b']);
    expect(members({ op: 'replace', path: 'members', value: [{ value: 'z' }] })).toEqual(['z']);
    expect(patched(group, { Operations: [{ op: 'remove', path: 'members' }] })).toEqual({ displayName: 'g' });
  });

  test.each([
    [{ op: 'move', path: 'title', value: 'x' }],
    [{ op: 'remove' }],
    [{ op: 'replace', value: 'x' }],
    [{ op: 'replace', path: '__proto__.x', value: 'x' }],
    [{ op: 'add', value: JSON.parse('{"__proto__": {"x": 1}}') as object }],
    [{ op: 'replace', path: 'emails[type eq', value: 'x' }],
    [{ op: 'replace', path: 'emails[type', value: 'x' }],
  ])('is refused: %j', (operation) => {
    expect(() => patch(operation)).toThrow(ScimError);
  });
});
