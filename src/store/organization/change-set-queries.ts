/** Reads everything that a file can describe, and writes a whole change of it in one transaction of few statements. */

import type { AuditRecord } from '../../access/account.ts';
import type { MembershipRecord } from '../../access/organization.ts';
import { accounts, newAccounts } from '../accounts/account-queries.ts';
import type { AccountChange, NewAccount } from '../accounts/account-store.ts';
import { log } from '../accounts/audit-queries.ts';
import { revokeSessionsOf } from '../accounts/session-queries.ts';
import { dropDeliveries } from '../alerts/alert-queries.ts';
import type { ChannelRecord, RuleRecord } from '../alerts/alert-records.ts';
import { putAlertChannel, putAlertRule, removeAlertChannel, removeAlertRule } from '../alerts/alert-rule-queries.ts';
import type {
  EntryChange,
  EntrySection,
  NewProviderRow,
  ProviderRowChange,
} from '../configuration/configuration-store.ts';
import {
  addProviderEntry,
  changeProviderEntry,
  entries,
  newEntry,
  removeEntry,
} from '../configuration/console-entry-queries.ts';
import { endSignInsOf } from '../device/sign-in-queries.ts';
import { forRows, insertOf, updateOf } from '../sql/many-rows.ts';
import { read, transaction } from '../sql/query.ts';
import { asNumber, type SqlValue, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { optional, type RowIn, table, text } from '../sql/table.ts';
import { type NewTokenRow, newTokens, newTokenValues, type TokenRow, tokens } from '../tokens/token-queries.ts';
import { memberships, type NewUnitRow, newUnits, type UnitRow, units } from './unit-queries.ts';

const people = table('accounts', { ...accounts.columns, terms: optional(text) });
export type PersonRow = RowIn<typeof people>;

/** Nothing that is listed here is more: a file of this size cannot be reviewed. */
const rowsMax = 100_000;

const tokenRevision = statement('SELECT value FROM revisions WHERE id = 1');
const allUnits = statement(`SELECT ${units.list} FROM units ORDER BY created_at_ms, id LIMIT ${rowsMax}`);
const allMembers = statement(
  `SELECT ${memberships.list} FROM memberships ORDER BY team_id, account_id LIMIT ${rowsMax}`,
);
const allPeople = statement(`SELECT ${people.list} FROM accounts ORDER BY created_at_ms, id LIMIT ${rowsMax}`);

export interface OrganizationRows {
  readonly revision: number;
  readonly units: readonly UnitRow[];
  readonly members: readonly MembershipRecord[];
  readonly people: readonly PersonRow[];
}

/** The revision first: what changes during the reads makes the change that is based on them stale. */
export const readOrganization = read(function* (): Steps<OrganizationRows> {
  const revision = asNumber((yield step(tokenRevision))[0]?.[0]);
  const unitRows = (yield step(allUnits)).map((row) => units.read(row));
  const members = (yield step(allMembers)).map((row) => memberships.read(row));
  return { revision, units: unitRows, members, people: (yield step(allPeople)).map((row) => people.read(row)) };
});

/** A token that was not revoked; that of a signed-in program comes and goes with its sign-in. */
export interface LivingTokenRow extends TokenRow {
  readonly isOfSignIn: boolean;
}

const livingTokens = statement(
  `SELECT ${tokens.listOf('t')}, (SELECT COUNT(*) FROM sign_ins s WHERE s.token_id = t.id)
   FROM tokens t WHERE t.revoked_at_ms IS NULL AND t.id > $1 ORDER BY t.id LIMIT $2`,
);

export const listLivingTokens = read(function* (afterId: string, limit: number): Steps<readonly LivingTokenRow[]> {
  const rows = yield step(livingTokens, afterId, limit);
  return rows.map((row) => ({ ...tokens.read(row), isOfSignIn: asNumber(row[tokens.width]) > 0 }));
});

/** A change of one account beside its terms; disabling it ends its sessions and signed-in programs. */
export interface AccountRowChange extends Pick<AccountChange, 'role' | 'disabledAtMs'> {
  readonly id: string;
  readonly name: { readonly shown: string; readonly key: string };
}

/** Everything that changes, and the revisions that it is based on. */
export interface ChangeSetRows {
  readonly atMs: number;
  /** Absent where nothing of the organization changes. */
  readonly organizationRevision?: number;
  /** Absent where nothing of the configuration changes. */
  readonly configurationRevision?: number;
  /** New and changed ones, teams before their projects. */
  readonly units: readonly NewUnitRow[];
  /** Without tokens and projects by then. */
  readonly removedUnits: readonly string[];
  readonly accounts: readonly NewAccount[];
  readonly accountChanges: readonly AccountRowChange[];
  readonly accountTerms: readonly { readonly id: string; readonly terms: string | null }[];
  readonly members: readonly MembershipRecord[];
  readonly removedMembers: readonly Pick<MembershipRecord, 'teamId' | 'accountId'>[];
  readonly tokens: readonly NewTokenRow[];
  readonly tokenChanges: readonly { readonly id: string; readonly name: string; readonly terms: string }[];
  readonly revokedTokens: readonly string[];
  readonly newProviders: readonly NewProviderRow[];
  readonly providerChanges: readonly ProviderRowChange[];
  /** Routes and prices, new and changed ones. */
  readonly entries: readonly (EntryChange & { readonly entry: string })[];
  readonly removedEntries: readonly { readonly section: EntrySection; readonly name: string }[];
  readonly channels: readonly ChannelRecord[];
  readonly removedChannels: readonly string[];
  readonly rules: readonly RuleRecord[];
  readonly removedRules: readonly string[];
  readonly audit: readonly AuditRecord[];
}

const takeRevision = statement('UPDATE revisions SET value = value + 1 WHERE id = $1 AND value = $2 RETURNING id');
const takenNames = statementsBy((count: number) => {
  const places = Array.from({ length: count }, (_, at) => `$${at + 1}`).join(', ');
  return `SELECT id FROM accounts WHERE name_key IN (${places}) LIMIT 1`;
});

const putUnits = insertOf(
  newUnits,
  'ON CONFLICT (id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key, terms = excluded.terms',
);
const insertAccounts = insertOf(newAccounts);
const putMembers = insertOf(
  memberships,
  'ON CONFLICT (team_id, account_id) DO UPDATE SET role = excluded.role, source = excluded.source',
);
const insertTokens = insertOf(newTokens);
const putEntries = insertOf(
  entries,
  `ON CONFLICT (section, name) DO UPDATE SET
     entry = excluded.entry, updated_at_ms = excluded.updated_at_ms, updated_by = excluded.updated_by`,
);
const insertAudit = insertOf(log);
const setTokens = updateOf('tokens', 'name', 'terms');
const setAccountTerms = updateOf('accounts', 'terms');
const setAccount = statement(
  'UPDATE accounts SET name = $2, name_key = $3, role = $4, disabled_at_ms = $5 WHERE id = $1',
);
const revokeAll = statementsBy((count: number) => {
  const places = Array.from({ length: count }, (_, at) => `$${at + 2}`).join(', ');
  return `UPDATE tokens SET revoked_at_ms = $1 WHERE revoked_at_ms IS NULL AND id IN (${places})`;
});
const idsPerStatement = 100;
const removeMember = statement('DELETE FROM memberships WHERE team_id = $1 AND account_id = $2');
const removeMembers = statement('DELETE FROM memberships WHERE team_id = $1');
const removeUnit = statement('DELETE FROM units WHERE id = $1');

function* inGroups(ids: readonly string[], work: (group: readonly string[]) => Steps<void>): Steps<void> {
  for (let from = 0; from < ids.length; from += idsPerStatement) yield* work(ids.slice(from, from + idsPerStatement));
}

/** `stale`: another process changed something since it was read, and nothing was written. */
export type ChangeSetOutcome = 'written' | 'stale';

export const writeChangeSet = transaction(function* (set: ChangeSetRows): Steps<ChangeSetOutcome> {
  const { organizationRevision, configurationRevision } = set;
  for (const [id, value] of [
    [1, organizationRevision],
    [2, configurationRevision],
  ] as const) {
    if (value !== undefined && (yield step(takeRevision, id, value)).length === 0) {
      // The first revision may have been taken already: servers read again what is as it was.
      return 'stale';
    }
  }
  // New accounts do not count in a revision.
  let isTaken = false;
  yield* inGroups(
    set.accounts.map(({ nameKey }) => nameKey),
    function* (group) {
      isTaken ||= (yield step(takenNames(group.length), ...group)).length > 0;
    },
  );
  if (isTaken) return 'stale';
  yield* writePeople(set);
  yield* writeOrganization(set);
  yield* writeConfiguration(set);
  yield* writeAlerts(set);
  yield* forRows(
    insertAudit,
    set.audit.map((record) => log.values(record)),
  );
  return 'written';
});

function* writePeople({ accounts: added, accountChanges, accountTerms, atMs }: ChangeSetRows): Steps<void> {
  const rows = added.map((account) => newAccounts.values({ ...account, passwordChangedAtMs: account.createdAtMs }));
  yield* forRows(insertAccounts, rows);
  for (const { id, name, role, disabledAtMs } of accountChanges) {
    const { name: shown } = accounts.columns;
    const disabled = disabledAtMs === undefined || disabledAtMs === 0 ? null : Math.round(disabledAtMs);
    yield step(setAccount, id, shown.bind(name.shown), shown.bind(name.key), role ?? null, disabled);
    if (disabled === null) continue;
    yield* revokeSessionsOf.steps(id, '', atMs);
    yield* endSignInsOf.steps(id);
  }
  yield* forRows(
    setAccountTerms,
    accountTerms.map(({ id, terms }): SqlValue[] => [id, terms]),
  );
}

function* writeOrganization(set: ChangeSetRows): Steps<void> {
  yield* forRows(
    putUnits,
    set.units.map((unit) => newUnits.values(unit)),
  );
  yield* forRows(
    putMembers,
    set.members.map((member) => memberships.values(member)),
  );
  for (const { teamId, accountId } of set.removedMembers) yield step(removeMember, teamId, accountId);
  yield* forRows(
    insertTokens,
    set.tokens.map((token) => newTokenValues(token)),
  );
  yield* forRows(
    setTokens,
    set.tokenChanges.map(({ id, name, terms }): SqlValue[] => [id, name, terms]),
  );
  yield* inGroups(set.revokedTokens, function* (group) {
    yield step(revokeAll(group.length), Math.round(set.atMs), ...group);
  });
  for (const id of set.removedUnits) {
    yield step(removeMembers, id);
    yield step(removeUnit, id);
  }
}

function* writeConfiguration(set: ChangeSetRows): Steps<void> {
  for (const row of set.newProviders) yield* addProviderEntry.steps(row);
  for (const change of set.providerChanges) yield* changeProviderEntry.steps(change);
  yield* forRows(
    putEntries,
    set.entries.map((row) => newEntry(row, row.entry)),
  );
  for (const { section, name } of set.removedEntries) yield* removeEntry.steps(section, name);
}

function* writeAlerts({ channels, removedChannels, rules, removedRules, atMs }: ChangeSetRows): Steps<void> {
  for (const channel of channels) yield* putAlertChannel.steps(channel);
  for (const rule of rules) yield* putAlertRule.steps(rule);
  for (const id of removedRules) yield* removeAlertRule.steps(id);
  for (const id of removedChannels) {
    yield* removeAlertChannel.steps(id);
    yield* dropDeliveries.steps(id, 'The channel was deleted.', Math.round(atMs));
  }
}
