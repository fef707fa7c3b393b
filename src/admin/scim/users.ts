/** Accounts as the users of a directory: made, changed, deactivated and removed by it. */

import type { AccountRecord } from '../../access/account.ts';
import type { ScimUserRow } from '../../store/scim/scim-store.ts';
import { type Accounts, newAccountRecord } from '../accounts/accounts.ts';
import { nameKeyOf } from '../accounts/name-key.ts';
import type { Client } from '../accounts/sessions.ts';
import { accountName } from '../contracts/account-contract.ts';
import { type Filter, type Listed, listed, type Resource, type Wanted } from './filter.ts';
import { applyGroups, directoryName, isBreakGlass, type MembershipOptions } from './memberships.ts';
import { patched } from './patch.ts';
import { readUser, type SentUser, type Shown, userResource } from './resources.ts';
import { invalidValue, ScimError } from './scim-error.ts';

export interface UserOptions extends MembershipOptions {
  readonly endAccess: Accounts['endAccess'];
}

/** More accounts than this are not listed. */
export const usersListedMax = 10_000;

/** `check` throws where the resource is not the one that the caller means. */
type Check = (before: Resource) => void;

export interface ScimUsers {
  list(wanted: Wanted, shown: Shown): Promise<Listed>;
  get(id: string, shown: Shown): Promise<Resource>;
  create(body: unknown, shown: Shown, client: Client): Promise<Resource>;
  replace(id: string, body: unknown, shown: Shown, client: Client, check: Check): Promise<Resource>;
  patch(id: string, body: unknown, shown: Shown, client: Client, check: Check): Promise<Resource>;
  remove(id: string, shown: Shown, client: Client, check: Check): Promise<void>;
}

interface Known {
  readonly account: AccountRecord;
  readonly row: ScimUserRow | undefined;
}

export function createScimUsers(options: UserOptions): ScimUsers {
  const { store, config, audit, nowMs } = options;
  const { accounts, scim, organization } = store;

  async function known(id: string): Promise<Known> {
    const [account, row] = await Promise.all([accounts.byId(id), scim.user(id)]);
    if (account === undefined || row?.removedAtMs !== undefined) throw new ScimError(404, `User ${id} not found.`);
    return { account, row };
  }

  const resourceOf = async ({ account, row }: Known, shown: Shown): Promise<Resource> =>
    userResource(account, row, await scim.groupsOf(account.id), shown);

  const written = (client: Client, action: 'account-create' | 'account-change', id: string, detail: AuditDetail) =>
    audit.write({ accountName: directoryName, client }, { action, subject: `account:${id}`, detail });

  async function write(id: string, sent: SentUser, before: ScimUserRow | undefined, deactivatedAtMs?: number) {
    const atMs = nowMs();
    const { externalId } = sent;
    await scim.putUser({
      accountId: id,
      ...(externalId !== undefined && { externalId }),
      attributes: JSON.stringify(sent.attributes),
      createdAtMs: before?.createdAtMs ?? atMs,
      changedAtMs: atMs,
      ...(deactivatedAtMs !== undefined && { deactivatedAtMs }),
    });
  }

  /** Throws where the directory may not disable, rename or remove the account. */
  async function requireOwn(account: AccountRecord, act: string): Promise<void> {
    if (!(await isBreakGlass(accounts, account))) return;
    const detail = `${account.name} is an owner with a password, whom a directory cannot ${act}. Use the console instead.`;
    throw new ScimError(403, detail, 'mutability');
  }

  async function update(account: AccountRecord, change: Parameters<typeof accounts.update>[1]): Promise<void> {
    const outcome = await accounts.update(account.id, change);
    if (outcome === 'changed') return;
    if (outcome === 'name-taken') throw new ScimError(409, 'Another account has this userName.', 'uniqueness');
    if (outcome === 'absent') throw new ScimError(404, `User ${account.id} not found.`);
    throw new ScimError(
      403,
      `${account.name} is the last owner and stays active. Add another owner first.`,
      'mutability',
    );
  }

  /** When the directory disabled the account; undefined while it is active or someone else did. */
  async function activated({ account, row }: Known, active: boolean | undefined): Promise<number | undefined> {
    const isActive = account.disabledAtMs === undefined;
    if (active === undefined || active === isActive) return isActive ? undefined : row?.deactivatedAtMs;
    if (!active) {
      await requireOwn(account, 'disable');
      const atMs = nowMs();
      await update(account, { disabledAtMs: atMs });
      return atMs;
    }
    if (row?.deactivatedAtMs === undefined) {
      throw new ScimError(
        403,
        `An administrator disabled ${account.name} in the console; enable the account there.`,
        'mutability',
      );
    }
    await update(account, { disabledAtMs: 0 });
    return undefined;
  }

  async function change(before: Known, sent: SentUser, client: Client): Promise<void> {
    const { account, row } = before;
    const name = nameOf(sent.userName);
    if (name !== account.name) {
      await requireOwn(account, 'rename');
      await update(account, { name: { shown: name, key: nameKeyOf(name) } });
    }
    const wasActive = account.disabledAtMs === undefined;
    const deactivatedAtMs = await activated(before, sent.active);
    await write(account.id, sent, row, deactivatedAtMs);
    const isEnded = wasActive && deactivatedAtMs !== undefined;
    const ended = isEnded ? { disabled: true, ...(await options.endAccess(account.id)) } : {};
    const isBegun = !wasActive && sent.active === true;
    const detail = { ...(name !== account.name && { name }), ...ended, ...(isBegun && { disabled: false }) };
    if (Object.keys(detail).length > 0 || row === undefined)
      await written(client, 'account-change', account.id, detail);
  }

  async function made(sent: SentUser, client: Client): Promise<string> {
    const name = nameOf(sent.userName);
    const taken = (await accounts.byName(nameKeyOf(name)))?.account;
    const row = taken && (await scim.user(taken.id));
    const role = config.defaultRole;
    if (taken !== undefined) {
      // One that was removed before comes back with its history, and with nothing that it was allowed then.
      if (row?.removedAtMs === undefined) throw new ScimError(409, `userName ${name} is already taken.`, 'uniqueness');
      // The directory says by the id whether it is the same person; otherwise the name is another person's now.
      const keepsIdentities = sent.externalId !== undefined && sent.externalId === row.externalId;
      await options.endAccess(taken.id);
      await accounts.dropCredentials(taken.id, nowMs(), { keepsIdentities });
      await update(taken, { role, disabledAtMs: 0 });
      await write(taken.id, sent, row);
      await written(client, 'account-change', taken.id, { name, role, disabled: false });
      return taken.id;
    }
    const account = newAccountRecord({ name, role, passwordHash: '', atMs: nowMs() });
    if (!(await accounts.insert(account))) throw new ScimError(409, `userName ${name} is already taken.`, 'uniqueness');
    await write(account.id, sent, undefined);
    await written(client, 'account-create', account.id, { name, role });
    return account.id;
  }

  async function matching(filter: Filter | undefined): Promise<readonly Known[]> {
    const key =
      filter?.kind === 'compare' && filter.by === 'eq' && typeof filter.value === 'string' ? filter : undefined;
    const value = String(key?.value ?? '');
    // What directories ask for by the thousand is read by an index.
    const path = key?.path.toLowerCase();
    if (path === 'username') return existing([(await accounts.byName(nameKeyOf(value)))?.account.id]);
    if (path === 'id') return existing([value]);
    if (path === 'externalid') return existing((await scim.byExternalId(value)).map(({ accountId }) => accountId));
    const [all, rows] = await Promise.all([accounts.list(usersListedMax), scim.users(usersListedMax)]);
    const byId = new Map(rows.map((row) => [row.accountId, row]));
    return all
      .map((account) => ({ account, row: byId.get(account.id) }))
      .filter(({ row }) => row?.removedAtMs === undefined);
  }

  async function existing(ids: readonly (string | undefined)[]): Promise<readonly Known[]> {
    const found = await Promise.all(ids.map((id) => known(id ?? '').catch(() => undefined)));
    return found.filter((each) => each !== undefined);
  }

  return {
    async list(wanted, shown) {
      const plain = ({ account, row }: Known): Resource => userResource(account, row, [], shown);
      return listed(await matching(wanted.filter), wanted, plain, (each) => resourceOf(each, shown));
    },
    get: async (id, shown) => resourceOf(await known(id), shown),
    async create(body, shown, client) {
      const sent = readUser(body);
      const id = await made(sent, client);
      if (sent.active === false) await change(await known(id), sent, client);
      return resourceOf(await known(id), shown);
    },
    async replace(id, body, shown, client, check) {
      const before = await known(id);
      check(await resourceOf(before, shown));
      await change(before, readUser(body), client);
      return resourceOf(await known(id), shown);
    },
    async patch(id, body, shown, client, check) {
      const before = await known(id);
      const resource = await resourceOf(before, shown);
      check(resource);
      await change(before, readUser(patched(resource, body)), client);
      return resourceOf(await known(id), shown);
    },
    async remove(id, shown, client, check) {
      const { account, row } = await known(id);
      check(await resourceOf({ account, row }, shown));
      await requireOwn(account, 'remove');
      const atMs = nowMs();
      await update(account, { disabledAtMs: account.disabledAtMs ?? atMs });
      const ended = await options.endAccess(id);
      await scim.leaveGroups(id);
      const left: string[] = [];
      for (const { teamId } of await organization.membershipsOf(id)) {
        if (await organization.removeMember(teamId, id)) left.push(teamId);
      }
      const { removedAtMs: _, ...kept } = row ?? { accountId: id, attributes: '{}', createdAtMs: atMs };
      await scim.putUser({ ...kept, changedAtMs: atMs, deactivatedAtMs: atMs, removedAtMs: atMs });
      await written(client, 'account-change', id, { disabled: true, removed: true, ...ended, left });
    },
  };
}

type AuditDetail = Readonly<Record<string, string | number | boolean | readonly string[]>>;

function nameOf(userName: string): string {
  const { success, data } = accountName.safeParse(userName);
  if (success) return data;
  throw invalidValue('userName must have 1 to 100 printable characters.');
}

/** Every member of a group, after the group or its members changed. */
export async function applyToAll(options: UserOptions, accountIds: Iterable<string>, client: Client): Promise<void> {
  for (const id of new Set(accountIds)) {
    const account = await options.store.accounts.byId(id);
    if (account !== undefined) await applyGroups(options, account, client);
  }
}
