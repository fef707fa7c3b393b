/** What changes of the people: accounts, roles, limits. An account that the file does not name is never deleted. */

import type { LevelTerms } from '../../access/organization.ts';
import { newAccountRecord } from '../../admin/accounts/accounts.ts';
import { nameKeyOf } from '../../admin/accounts/name-key.ts';
import { playgroundTokenId } from '../../admin/tokens/account-tokens.ts';
import type { OrganizationState, PersonState } from '../../store/organization/change-set-store.ts';
import type { Draft } from './draft.ts';
import type { Mistakes } from './mistakes.ts';
import type { FilePerson, OrgFile } from './org-file.ts';
import type { FileEntry } from './section-reader.ts';
import { differences, fieldsOf, levelTermsOf, shownLevel } from './terms.ts';

/** A person after the change. */
export interface PlannedPerson {
  readonly id: string;
  readonly name: string;
  readonly terms: LevelTerms;
  readonly isChanged: boolean;
}

export interface PeoplePlan {
  /** By their names as they are compared. */
  readonly byKey: ReadonlyMap<string, PlannedPerson>;
  readonly byId: ReadonlyMap<string, PlannedPerson>;
}

interface PeopleParts {
  readonly draft: Draft;
  readonly mistakes: Mistakes;
  readonly state: OrganizationState;
  readonly isPruning: boolean;
}

export function planPeople(file: OrgFile, parts: PeopleParts): PeoplePlan {
  const { draft, state, isPruning } = parts;
  const known = new Map(state.people.map((person) => [nameKeyOf(person.name), person]));
  const named = new Map((file.people ?? []).map((entry) => [entry.key, entry]));
  const after = new Map<string, PlannedPerson>();
  for (const [key, person] of known) {
    const entry = named.get(key);
    if (entry === undefined) after.set(key, { ...person, terms: person.terms ?? {}, isChanged: false });
    else after.set(key, changePerson(entry, person, parts));
  }
  for (const [key, entry] of named) if (!known.has(key)) after.set(key, addPerson(entry, parts));
  if (file.people !== undefined) {
    const others = [...known].filter(([key, { disabledAtMs }]) => !named.has(key) && disabledAtMs === undefined);
    const owners = others.filter(([, { role }]) => role === 'owner');
    // Owners keep their access whatever a file says: without one a mistake could not be undone.
    const removed = isPruning ? others.filter(([, { role }]) => role !== 'owner') : [];
    for (const [, person] of removed) disablePerson(person, parts);
    draft.countUnnamed('person', isPruning ? owners.length : others.length);
    requireOwner(file.people, known, parts);
  }
  return { byKey: after, byId: new Map([...after.values()].map((person) => [person.id, person])) };
}

function addPerson({ name, value }: FileEntry<FilePerson>, { draft }: PeopleParts): PlannedPerson {
  const role = value.role ?? 'member';
  // The hash is made when it is certain that the account is written.
  const account = newAccountRecord({ name, role, passwordHash: '', atMs: draft.atMs, mustChangePassword: true });
  const { id } = account;
  draft.rows.accounts.push(account);
  draft.say('+', `person ${name} (${role})`, {
    action: 'account-create',
    subject: `account:${id}`,
    detail: { name, role },
  });
  if (value.disabled === true) {
    const names = { shown: name, key: account.nameKey };
    draft.rows.accountChanges.push({ id, name: names, role, disabledAtMs: draft.atMs });
  }
  const terms = levelTermsOf(value.terms ?? {}, {}, draft.atMs);
  if (Object.keys(terms).length > 0) draft.rows.accountTerms.push({ id, terms });
  return { id, name, terms, isChanged: true };
}

function changePerson(entry: FileEntry<FilePerson>, person: PersonState, parts: PeopleParts): PlannedPerson {
  const { draft, mistakes } = parts;
  const { id } = person;
  const { name, value } = entry;
  const role = value.role ?? person.role;
  const wasDisabled = person.disabledAtMs !== undefined;
  const disabled = value.disabled ?? wasDisabled;
  const found = differences(
    { name: person.name, role: person.role, disabled: String(wasDisabled) },
    { name, role, disabled: String(disabled) },
  );
  if (found.length > 0) {
    const names = { shown: name, key: entry.key };
    const disabledAtMs = disabled ? (person.disabledAtMs ?? draft.atMs) : 0;
    draft.rows.accountChanges.push({ id, name: names, role, disabledAtMs });
    if (disabled && !wasDisabled) endTokensOfSignIns(person, parts);
    const detail = Object.fromEntries(found.map(({ field }) => [field, { name, role, disabled }[field] ?? '']));
    draft.say('~', `person ${person.name}: ${found.map(({ text }) => text).join('; ')}`, {
      action: 'account-change',
      subject: `account:${id}`,
      detail,
    });
  }
  const before = person.terms ?? {};
  if (value.terms === undefined) return { id, name, terms: before, isChanged: false };
  const given = value.terms;
  const terms = mistakes.take([...entry.path, 'terms', 'budgets'], () => levelTermsOf(given, before, draft.atMs));
  const changed = differences(shownLevel(before, draft.atMs), shownLevel(terms ?? before, draft.atMs));
  if (terms === undefined || changed.length === 0) return { id, name, terms: before, isChanged: false };
  draft.rows.accountTerms.push({ id, terms: Object.keys(terms).length === 0 ? undefined : terms });
  draft.say('~', `person ${name}: ${changed.map(({ text }) => text).join('; ')}`, {
    action: 'account-terms',
    subject: `account:${id}`,
    detail: { name, fields: fieldsOf(changed) },
  });
  return { id, name, terms, isChanged: true };
}

/** Accounts are not deleted: the audit log and their tokens refer to them. */
function disablePerson(person: PersonState, parts: PeopleParts): void {
  const { draft } = parts;
  const { id, name, role } = person;
  const names = { shown: name, key: nameKeyOf(name) };
  draft.rows.accountChanges.push({ id, name: names, role, disabledAtMs: draft.atMs });
  endTokensOfSignIns(person, parts);
  draft.say('-', `person ${name} (the account is disabled)`, {
    action: 'account-change',
    subject: `account:${id}`,
    detail: { disabled: true },
  });
}

/** The tokens of the playground and of signed-in programs end with the sign-ins of the account. */
function endTokensOfSignIns({ id }: PersonState, { draft, state }: PeopleParts): void {
  const ended = state.tokens.filter(
    (token) => token.ownerId === id && (token.isOfSignIn || token.id === playgroundTokenId(id)),
  );
  draft.rows.revokedTokens.push(...ended.map((token) => token.id));
}

/** There is always an owner who can sign in. */
function requireOwner(
  entries: readonly FileEntry<FilePerson>[],
  known: ReadonlyMap<string, PersonState>,
  { mistakes }: PeopleParts,
): void {
  const isOwner = ({ role, disabledAtMs }: PersonState): boolean => role === 'owner' && disabledAtMs === undefined;
  const owners = [...known].filter(([, person]) => isOwner(person));
  const entryOf = (key: string) => entries.find((entry) => entry.key === key);
  const staysOwner = (value: FilePerson | undefined): boolean =>
    (value?.role ?? 'owner') === 'owner' && value?.disabled !== true;
  if (owners.length === 0 || owners.some(([key]) => staysOwner(entryOf(key)?.value))) return;
  const isDisabled = ({ key, value }: FileEntry<FilePerson>): boolean =>
    value.disabled ?? known.get(key)?.disabledAtMs !== undefined;
  if (entries.some((entry) => entry.value.role === 'owner' && !isDisabled(entry))) return;
  const last = owners.map(([key]) => entryOf(key)).find((entry) => entry !== undefined);
  if (last !== undefined)
    mistakes.add(
      [...last.path, last.value.role === 'owner' ? 'disabled' : 'role'],
      'is the last owner; name another owner first',
    );
}
