/**
 * The account of a person who signs in through an issuer: found by its identity, linked or made at the first sign-in,
 * and given the role and the teams of the issuer's rules at every one.
 */

import type { AccountRecord } from '../../access/account.ts';
import { type MembershipRecord, organizationId, type TeamRole, type UnitRecord } from '../../access/organization.ts';
import type { IssuerConfig } from '../../settings/sign-in-settings.ts';
import type { AccountStore } from '../../store/accounts/account-store.ts';
import type { OrganizationStore } from '../../store/organization/organization-store.ts';
import type { IdentityStore } from '../../store/sign-in/identity-store.ts';
import { newAccountRecord } from '../accounts/accounts.ts';
import type { Audit } from '../accounts/audit.ts';
import { nameKeyOf } from '../accounts/name-key.ts';
import type { Client } from '../accounts/sessions.ts';
import type { Person } from './claims.ts';
import { SignInRefusal } from './refusal.ts';
import { higherRole, ruledBy } from './rules.ts';

interface ProvisionOptions {
  readonly accounts: AccountStore;
  readonly identities: IdentityStore;
  readonly organization: OrganizationStore;
  /** The account that a directory made for this person, where it did and may be signed in to through this issuer. */
  readonly directoryAccount: (person: Person, config: IssuerConfig) => Promise<AccountRecord | undefined>;
  readonly audit: Audit;
  readonly warn: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly nowMs: () => number;
}

/** Units are few; a directory of more teams than this is read by its first ones. */
export const unitsReadMax = 10_000;

type Provision = (person: Person, config: IssuerConfig, client: Client) => Promise<AccountRecord>;

export function createProvision(options: ProvisionOptions): Provision {
  const { accounts, identities, audit, nowMs } = options;

  const existing = async (id: string): Promise<AccountRecord> => {
    const account = await accounts.byId(id);
    if (account === undefined) throw new SignInRefusal('account_missing');
    if (account.disabledAtMs !== undefined) throw new SignInRefusal('account_disabled', account.name);
    return account;
  };

  const identityOf = ({ issuer, subject }: Person, accountId: string) => {
    const atMs = nowMs();
    return { issuer, subject, accountId, createdAtMs: atMs, lastUsedAtMs: atMs };
  };

  /** The account of that name, or of the directory, where the issuer may take it over. */
  async function adopted(person: Person, config: IssuerConfig, client: Client): Promise<AccountRecord | undefined> {
    const provided = await options.directoryAccount(person, config);
    if (provided !== undefined) {
      await requireUnlinked(person, provided);
      return linked(person, provided, config, client);
    }
    const found = await accounts.byName(nameKeyOf(person.name));
    if (found === undefined) return undefined;
    const { account } = found;
    // Owners are the way in when the issuer is down or lies, so that no issuer becomes one by a name.
    const isOpen = config.linkAccounts && person.isNameSure && account.role !== 'owner';
    if (!isOpen) throw new SignInRefusal('name_taken', account.name);
    await requireUnlinked(person, account);
    return linked(person, account, config, client);
  }

  /** Another person of the issuer may have had the name or the address before. */
  async function requireUnlinked(person: Person, { id, name }: AccountRecord): Promise<void> {
    const others = await identities.ofAccount(id);
    if (others.some(({ issuer }) => issuer === person.issuer)) throw new SignInRefusal('name_taken', name);
  }

  async function linked(
    person: Person,
    account: AccountRecord,
    config: IssuerConfig,
    client: Client,
  ): Promise<AccountRecord> {
    await existing(account.id);
    if ((await identities.link(identityOf(person, account.id))) === 'absent')
      throw new SignInRefusal('account_missing');
    await audit.write(
      { accountId: account.id, accountName: account.name, client },
      { action: 'identity-link', subject: `account:${account.id}`, detail: { issuer: config.name } },
    );
    return account;
  }

  async function made(person: Person, config: IssuerConfig, client: Client): Promise<AccountRecord> {
    if (!config.createAccounts) throw new SignInRefusal('account_missing');
    const role = ruledBy(config.rules, person.groups, config.defaultRole).role ?? config.defaultRole;
    const account = newAccountRecord({ name: person.name, role, passwordHash: '', atMs: nowMs() });
    const outcome = await identities.link(identityOf(person, account.id), account);
    if (outcome === 'name-taken') throw new SignInRefusal('name_taken', person.name);
    if (outcome === 'linked') {
      // Another sign-in of the same person was faster.
      const first = await identities.bySubject(person.issuer, person.subject);
      return existing(first?.accountId ?? '');
    }
    const detail = { name: person.name, role, issuer: config.name };
    await audit.write(
      { accountId: account.id, accountName: account.name, client },
      { action: 'account-create', subject: `account:${account.id}`, detail },
    );
    return existing(account.id);
  }

  return async (person, config, client) => {
    const known = await identities.bySubject(person.issuer, person.subject);
    const account =
      known === undefined
        ? ((await adopted(person, config, client)) ?? (await made(person, config, client)))
        : await existing(known.accountId);
    if (known !== undefined) await identities.seen(person.issuer, person.subject, nowMs());
    await applyRules(options, account, person, config, client);
    return existing(account.id);
  };
}

async function applyRules(
  options: ProvisionOptions,
  account: AccountRecord,
  person: Person,
  config: IssuerConfig,
  client: Client,
): Promise<void> {
  const { accounts, audit, warn } = options;
  const { role, teams } = ruledBy(config.rules, person.groups, config.defaultRole);
  const detail: Record<string, string | readonly string[]> = {};
  if (role !== undefined && role !== account.role) {
    const outcome = await accounts.update(account.id, { role });
    if (outcome === 'changed') detail['role'] = role;
    else
      warn(`Role not changed by the groups of ${config.name}`, {
        account: account.name,
        role,
        outcome,
      });
  }
  Object.assign(
    detail,
    await applyTeams(options, account, teams, { name: config.name, source: `oidc:${config.name}` }),
  );
  if (Object.keys(detail).length === 0) return;
  await audit.write(
    { accountId: account.id, accountName: account.name, client },
    { action: 'account-change', subject: `account:${account.id}`, detail: { ...detail, issuer: config.name } },
  );
}

/** A team by its name or id, as rules name it. */
export function teamFinder(units: readonly UnitRecord[]): (wanted: string) => UnitRecord | undefined {
  const teams = units.filter(({ kind, parentId }) => kind === 'team' && parentId === organizationId);
  return (wanted) =>
    teams.find(({ id }) => id === wanted) ?? teams.find(({ name }) => nameKeyOf(name) === nameKeyOf(wanted));
}

/** Who gives people their places in teams: an issuer or a directory. */
interface TeamSource {
  readonly name: string;
  readonly source: string;
}

/** Only memberships of this source are changed and removed; those that people made stay. */
export async function applyTeams(
  { organization, warn, nowMs }: Pick<ProvisionOptions, 'organization' | 'warn' | 'nowMs'>,
  account: Pick<AccountRecord, 'id'>,
  wanted: ReadonlyMap<string, TeamRole>,
  { name: sourceName, source }: TeamSource,
): Promise<Record<string, readonly string[]>> {
  const before = await organization.membershipsOf(account.id);
  if (wanted.size === 0 && before.every((member) => member.source !== source)) return {};
  const find = teamFinder(await organization.list(unitsReadMax));
  const target = new Map<string, { readonly name: string; readonly role: TeamRole }>();
  for (const [name, role] of wanted) {
    const team = find(name);
    if (team === undefined) warn(`Team of a rule of ${sourceName} not found`, { team: name });
    else target.set(team.id, { name: team.name, role: higherRole(role, target.get(team.id)?.role) });
  }
  const changes = { joined: [] as string[], left: [] as string[] };
  for (const [teamId, { name, role }] of target) {
    const member = before.find((each) => each.teamId === teamId);
    if (member !== undefined && (member.source !== source || member.role === role)) continue;
    const record: MembershipRecord = {
      teamId,
      accountId: account.id,
      role,
      source,
      createdAtMs: member?.createdAtMs ?? nowMs(),
    };
    if (await organization.putMember(record)) changes.joined.push(`${name}: ${role}`);
  }
  for (const member of before) {
    if (member.source !== source || target.has(member.teamId)) continue;
    if (await organization.removeMember(member.teamId, account.id)) changes.left.push(member.teamId);
  }
  return Object.fromEntries(Object.entries(changes).filter(([, list]) => list.length > 0));
}
