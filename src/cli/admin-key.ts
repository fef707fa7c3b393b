/** `weir admin-key`: create, list and revoke keys of the admin API. */

import type { AccountRecord } from '../access/account.ts';
import type { Actor } from '../admin/accounts/sessions.ts';
import type { AdminKeyView } from '../admin/contracts/admin-key-contract.ts';
import { accountBounds } from '../admin/contracts/contract.ts';
import type { AdminKeys } from '../admin/keys/admin-keys.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Store } from '../store/store.ts';
import { ArgumentError, type Arguments, type CommandWords } from './arguments.ts';
import { accountNamed, teamNamed, unitsOf } from './named-records.ts';
import { type Output, printJson } from './output.ts';
import { alignedTable, printable } from './table.ts';
import { runVerb } from './verbs.ts';

interface AdminKeyDependencies extends Output {
  readonly keys: AdminKeys;
  readonly store: Pick<Store, 'accounts' | 'organization'>;
  readonly nowMs: () => number;
}

const usage = `Usage:
  weir admin-key create --name N --role owner|admin|member|viewer [--scopes A,B] [--team TEAM]
                        [--networks CIDR,CIDR] [--expires ISO] [--account PERSON] [--json]
  weir admin-key list [--json]
  weir admin-key revoke ID [--json]

A key never has more rights than the account that it is created for: --account, or the only owner. Without scopes it can
do everything that its role can; a scope is an area and read or write, such as tokens:write,usage:read. A key of a team
sees and changes nothing else; its role is admin or viewer. ID is a key's ID or its name. Calls: docs/admin-api.md.`;

const words = {
  create: {
    usage,
    flags: {
      name: 'value',
      role: 'value',
      scopes: 'value',
      team: 'value',
      networks: 'value',
      expires: 'value',
      account: 'value',
      json: 'switch',
    },
  },
  list: { usage, flags: { json: 'switch' } },
  revoke: { usage, flags: { json: 'switch' }, operandsMin: 1 },
} as const satisfies Record<string, CommandWords>;

export function adminKeyCommand(dependencies: AdminKeyDependencies, argv: readonly string[]): Promise<number> {
  return runVerb({ name: 'admin-key', usage, words, commands }, dependencies, argv);
}

type Run = (dependencies: AdminKeyDependencies, given: Arguments) => Promise<void>;

const commands: Readonly<Record<keyof typeof words, Run>> = {
  async create(dependencies, given) {
    const { keys, store, nowMs, out, err } = dependencies;
    const person = given.valueOf('account');
    const creator = person === undefined ? await onlyOwner(store) : await accountNamed(store, person);
    const team = given.valueOf('team');
    const list = (flag: string) => given.valueOf(flag)?.split(',');
    const issued = await keys.create(actorOf(creator, nowMs()), {
      name: given.valueOf('name'),
      role: given.valueOf('role'),
      scopes: list('scopes'),
      teamId: team === undefined ? undefined : teamNamed(await unitsOf(store), team).id,
      networks: list('networks'),
      expiresAt: given.valueOf('expires'),
    });
    if (given.has('json')) return printJson(dependencies, issued);
    err(`The admin key "${printable(issued.name)}" (${issued.id}) was created. It can't be shown again:\n`);
    return out(`${issued.key}\n`);
  },
  async list(dependencies, given) {
    const views = await allKeys(dependencies);
    if (given.has('json')) return printJson(dependencies, views);
    if (views.length === 0) {
      return dependencies.err(
        'No admin keys yet. Create one with `weir admin-key create --name deploy --role admin`.\n',
      );
    }
    const titles = ['ID', 'NAME', 'KEY', 'STATE', 'ROLE', 'TEAM', 'SCOPES', 'CREATED BY', 'EXPIRES', 'LAST USED'];
    const rows = views.map((view) => [
      ...[view.id, view.name, view.hint, view.state, view.role, view.teamName ?? '-', view.scopes?.join(',') ?? 'all'],
      ...[view.createdBy, view.expiresAt ?? 'never', view.lastUsedAt ?? 'never'],
    ]);
    return dependencies.out(
      alignedTable(
        titles.map((title) => ({ title })),
        rows,
      ),
    );
  },
  async revoke(dependencies, given) {
    const reference = given.operands[0] ?? '';
    const views = await allKeys(dependencies);
    const named = views.filter(({ name, state }) => name === reference && state !== 'revoked');
    const found = views.find(({ id }) => id === reference) ?? named[0];
    if (found === undefined) throw new GatewayError('not_found', 'No admin key has this ID or name.', { param: 'id' });
    if (found.id !== reference && named.length > 1) {
      throw new ArgumentError(`${named.length} admin keys have this name. Use the ID of one.`, usage);
    }
    const view = await dependencies.keys.revoke(await overseer(dependencies), found.id);
    if (given.has('json')) return printJson(dependencies, view);
    return dependencies.err(
      `The admin key "${printable(view.name)}" (${view.id}) was revoked. It stops working now.\n`,
    );
  },
};

/** The command line has the database itself, so that it may do what an owner may. */
async function overseer({ store, nowMs }: AdminKeyDependencies): Promise<Actor> {
  const owner = (await ownersOf(store))[0];
  if (owner === undefined) throw noOwner();
  return actorOf(owner, nowMs());
}

async function allKeys(dependencies: AdminKeyDependencies): Promise<readonly AdminKeyView[]> {
  const actor = await overseer(dependencies);
  const views: AdminKeyView[] = [];
  for (let after: string | undefined; ; ) {
    const page = await dependencies.keys.list(actor, { limit: 200, after });
    views.push(...page.items);
    after = page.next;
    if (after === undefined) return views;
  }
}

async function ownersOf({ accounts }: AdminKeyDependencies['store']): Promise<readonly AccountRecord[]> {
  const all = await accounts.list(accountBounds.accountsListedMax);
  return all.filter(({ role, disabledAtMs }) => role === 'owner' && disabledAtMs === undefined);
}

async function onlyOwner(store: AdminKeyDependencies['store']): Promise<AccountRecord> {
  const [owner, other] = await ownersOf(store);
  if (owner === undefined) throw noOwner();
  if (other !== undefined) throw new ArgumentError('There are several owners. Choose one with --account.', usage);
  return owner;
}

const noOwner = (): GatewayError =>
  new GatewayError(
    'not_found',
    'Keys belong to accounts, and there is no owner yet. Set the console up first: `weir set-up-link`.',
    { param: 'id' },
  );

/** What the audit log says about where it was done. */
const client = { address: 'command line', agent: 'weir admin-key' } as const;

function actorOf(account: AccountRecord, atMs: number): Actor {
  const times = { createdAtMs: atMs, lastSeenAtMs: atMs, expiresAtMs: atMs };
  return { account, client, session: { id: 'command-line', accountId: account.id, ...times, ...client } };
}
