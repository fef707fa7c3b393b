/** Groups of a directory: their members get the teams and roles that rules and names give them. */

import type { ScimGroupRow } from '../../store/scim/scim-store.ts';
import { nameKeyOf } from '../accounts/name-key.ts';
import type { Client } from '../accounts/sessions.ts';
import { type Listed, listed, matches, type Resource, type Wanted } from './filter.ts';
import { directoryName } from './memberships.ts';
import { patched } from './patch.ts';
import { groupResource, readGroup, type SentGroup, type Shown } from './resources.ts';
import { invalidValue, ScimError } from './scim-error.ts';
import { applyToAll, type UserOptions, usersListedMax } from './users.ts';

const groupsListedMax = 10_000;

type Check = (before: Resource) => void;

export interface ScimGroups {
  /** Without members where they are not wanted: there may be many. */
  list(wanted: Wanted, shown: Shown, withMembers: boolean): Promise<Listed>;
  get(id: string, shown: Shown): Promise<Resource>;
  create(body: unknown, shown: Shown, client: Client): Promise<Resource>;
  replace(id: string, body: unknown, shown: Shown, client: Client, check: Check): Promise<Resource>;
  patch(id: string, body: unknown, shown: Shown, client: Client, check: Check): Promise<Resource>;
  remove(id: string, shown: Shown, client: Client, check: Check): Promise<void>;
  /** Applies all groups again: rules and teams may have changed. */
  reconcile(client: Client): Promise<void>;
}

export function createScimGroups(options: UserOptions): ScimGroups {
  const { store, audit, nowMs } = options;
  const { scim, accounts } = store;

  async function known(id: string): Promise<ScimGroupRow> {
    const row = await scim.group(id);
    if (row === undefined) throw new ScimError(404, `Group ${id} not found.`);
    return row;
  }

  async function namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    if (ids.length > 50) return new Map((await accounts.list(usersListedMax)).map(({ id, name }) => [id, name]));
    const found = await Promise.all(ids.map((id) => accounts.byId(id)));
    return new Map(found.flatMap((account) => (account === undefined ? [] : [[account.id, account.name]])));
  }

  async function resourceOf(row: ScimGroupRow, shown: Shown): Promise<Resource> {
    const members = await scim.members(row.id);
    return groupResource(row, members, await namesOf(members), shown);
  }

  const written = (
    client: Client,
    action: 'group-create' | 'group-change' | 'group-delete',
    id: string,
    detail: Readonly<Record<string, string | readonly string[]>>,
  ) => audit.write({ accountName: directoryName, client }, { action, subject: `group:${id}`, detail });

  /** Returns who joined and left. */
  async function setMembers(id: string, wanted: readonly string[] | undefined) {
    if (wanted === undefined) return { add: [], remove: [] };
    const before = new Set(await scim.members(id));
    const add = wanted.filter((member) => !before.has(member));
    const names = await namesOf(add);
    const unknown = add.find((member) => !names.has(member));
    if (unknown !== undefined) throw invalidValue(`There is no user ${unknown.slice(0, 100)}. Create it first.`);
    const after = new Set(wanted);
    const change = { add, remove: [...before].filter((member) => !after.has(member)) };
    await scim.changeMembers(id, change);
    return change;
  }

  async function change(row: ScimGroupRow, sent: SentGroup, client: Client): Promise<void> {
    const { id } = row;
    const { displayName, externalId } = sent;
    const isSame = displayName === row.displayName && externalId === row.externalId;
    const { add, remove } = await setMembers(id, sent.members);
    if (isSame && add.length === 0 && remove.length === 0) return;
    const { createdAtMs } = row;
    const named = { id, displayName, nameKey: nameKeyOf(displayName), createdAtMs, changedAtMs: nowMs() };
    const outcome = await scim.updateGroup({ ...named, ...(externalId !== undefined && { externalId }) });
    if (outcome === 'name-taken') throw nameTaken(displayName);
    if (outcome === 'absent') throw new ScimError(404, `Group ${id} not found.`);
    const detail = { name: displayName, joined: add.slice(0, 100), left: remove.slice(0, 100) };
    await written(client, 'group-change', id, detail);
    // Another name may be another team for everyone in it.
    await applyToAll(options, [...add, ...remove, ...(isSame ? [] : await scim.members(id))], client);
  }

  return {
    async list({ filter, ...range }, shown, withMembers) {
      const rows = await scim.groups(groupsListedMax);
      const plain = (row: ScimGroupRow): Resource => groupResource(row, [], new Map(), shown);
      const whole = (row: ScimGroupRow): Promise<Resource> => resourceOf(row, shown);
      // A filter may ask for the groups of a member.
      const needsMembers = /members/i.test(JSON.stringify(filter ?? ''));
      const found = [];
      for (const row of needsMembers ? rows : []) {
        if (filter !== undefined && matches(filter, await whole(row))) found.push(row);
      }
      const wanted = { ...range, filter: needsMembers ? undefined : filter };
      return listed(needsMembers ? found : rows, wanted, plain, withMembers ? whole : async (row) => plain(row));
    },
    get: async (id, shown) => resourceOf(await known(id), shown),
    async create(body, shown, client) {
      const { displayName, externalId, members } = readGroup(body);
      const atMs = nowMs();
      const row: ScimGroupRow = {
        id: `grp_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`,
        displayName,
        nameKey: nameKeyOf(displayName),
        ...(externalId !== undefined && { externalId }),
        createdAtMs: atMs,
        changedAtMs: atMs,
      };
      if (!(await scim.insertGroup(row))) throw nameTaken(displayName);
      const { add } = await setMembers(row.id, members);
      await written(client, 'group-create', row.id, { name: displayName, joined: add.slice(0, 100) });
      await applyToAll(options, add, client);
      return resourceOf(row, shown);
    },
    async replace(id, body, shown, client, check) {
      const row = await known(id);
      check(await resourceOf(row, shown));
      const sent = readGroup(body);
      await change(row, { ...sent, members: sent.members ?? [] }, client);
      return resourceOf(await known(id), shown);
    },
    async patch(id, body, shown, client, check) {
      const row = await known(id);
      const resource = await resourceOf(row, shown);
      check(resource);
      const sent = readGroup(patched(resource, body));
      await change(row, { ...sent, members: sent.members ?? [] }, client);
      return resourceOf(await known(id), shown);
    },
    async remove(id, shown, client, check) {
      const row = await known(id);
      check(await resourceOf(row, shown));
      const members = (await scim.removeGroup(id)) ?? [];
      await written(client, 'group-delete', id, { name: row.displayName });
      await applyToAll(options, members, client);
    },
    async reconcile(client) {
      for (const { id } of await scim.groups(groupsListedMax))
        await applyToAll(options, await scim.members(id), client);
    },
  };
}

const nameTaken = (name: string): ScimError =>
  new ScimError(409, `Another group has the displayName ${name}.`, 'uniqueness');
