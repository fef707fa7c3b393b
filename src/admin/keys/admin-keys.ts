/** What people do with admin keys: list, create, narrow and revoke them. A key that one may not see does not exist. */

import { adminKeyPrefix } from '../../access/token-format.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { AdminKeyChanges, AdminKeyRecord, AdminKeyStore } from '../../store/admin-keys/admin-key-store.ts';
import type { OrganizationStore } from '../../store/organization/organization-store.ts';
import type { Audit, AuditEntry } from '../accounts/audit.ts';
import type { Actor } from '../accounts/sessions.ts';
import {
  type AdminKeysView,
  type AdminKeyView,
  adminKeyBounds,
  adminKeyChangesSchema,
  type IssuedAdminKeyView,
  newAdminKeySchema,
} from '../contracts/admin-key-contract.ts';
import type { TeamAccess } from '../organization/team-access.ts';
import { cursorOf, cursorText } from '../page.ts';
import { beyond } from '../tokens/token-ceiling.ts';
import { checked, isoText, withoutAbsent } from '../tokens/token-terms.ts';
import { rightsOf } from './key-rights.ts';
import { allScopes, includesScope, scopeAreas } from './scopes.ts';

interface AdminKeysOptions {
  readonly table: AdminKeyStore;
  readonly access: TeamAccess;
  readonly organization: Pick<OrganizationStore, 'byId' | 'membershipsOf'>;
  readonly accountOf: Parameters<typeof rightsOf>[1]['accountOf'];
  readonly digests: Digests;
  readonly mint: () => string;
  readonly audit: Audit;
  readonly nowMs: () => number;
}

export interface AdminKeys {
  list(actor: Actor, page: { readonly limit: number; readonly after?: string | undefined }): Promise<AdminKeysView>;
  create(actor: Actor, input: unknown): Promise<IssuedAdminKeyView>;
  /** Another name or other networks, fewer scopes, an earlier end. */
  change(actor: Actor, id: string, input: unknown): Promise<AdminKeyView>;
  revoke(actor: Actor, id: string): Promise<AdminKeyView>;
}

const hintLength = 4;

export function createAdminKeys(options: AdminKeysOptions): AdminKeys {
  const { table, access, organization, audit, nowMs } = options;
  const rules = { scopes: allScopes, nowMs };
  const newKeys = newAdminKeySchema(rules);
  const keyChanges = adminKeyChangesSchema(rules);

  /** Could the actor have created it? */
  async function mayGive(actor: Actor, { role, teamId }: Pick<AdminKeyRecord, 'role' | 'teamId'>): Promise<boolean> {
    const standing = await access.standingOf(actor);
    if (teamId !== undefined) return standing.manages(teamId);
    return standing.managesAll && (role !== 'owner' || actor.account.role === 'owner');
  }

  async function visible(actor: Actor, id: string): Promise<AdminKeyRecord> {
    const [record, standing] = await Promise.all([table.byId(id), access.standingOf(actor)]);
    const isSeen = standing.managesAll || (record?.teamId !== undefined && standing.manages(record.teamId));
    if (record === undefined || !isSeen) throw new GatewayError('not_found', 'Admin key not found.', { param: 'id' });
    return record;
  }

  async function viewOf(actor: Actor, record: AdminKeyRecord): Promise<AdminKeyView> {
    const [creator, team, mayChange, hasRights] = await Promise.all([
      options.accountOf(record.createdBy),
      record.teamId === undefined ? undefined : organization.byId(record.teamId),
      mayGive(actor, record),
      rightsOf(record, options).then(
        () => true,
        () => false,
      ),
    ]);
    const state = stateOf(record, hasRights, nowMs());
    return withoutAbsent<AdminKeyView>({
      id: record.id,
      name: record.name,
      hint: `${adminKeyPrefix}…${record.hint}`,
      role: record.role,
      scopes: record.scopes,
      teamId: record.teamId,
      teamName: team?.name,
      networks: record.networks,
      createdBy: creator?.name ?? record.createdBy,
      createdAt: new Date(record.createdAtMs).toISOString(),
      expiresAt: isoText(record.expiresAtMs),
      lastUsedAt: isoText(record.lastUsedAtMs),
      state,
      mayChange: mayChange && state !== 'revoked',
    });
  }

  const written = (actor: Actor, action: AuditEntry['action'], id: string, detail: AuditEntry['detail'] = {}) =>
    audit.write(actor, { action, subject: `admin-key:${id}`, detail });

  /** The teams whose keys the actor sees; undefined for all keys. */
  async function teamsOf(actor: Actor): Promise<readonly string[] | undefined> {
    const standing = await access.standingOf(actor);
    if (standing.managesAll) return undefined;
    const memberships = await organization.membershipsOf(actor.account.id);
    return memberships.map(({ teamId }) => teamId).filter((teamId) => standing.manages(teamId));
  }

  async function requireGrant(actor: Actor, given: Pick<AdminKeyRecord, 'role' | 'teamId'>): Promise<void> {
    if (given.teamId !== undefined) return void (await access.requireTeam(actor, given.teamId, 'manage'));
    if (await mayGive(actor, given)) return;
    if (actor.account.role === 'admin') {
      throw beyond('role', 'only an owner can create a key of an owner');
    }
    throw beyond('teamId', 'choose a team whose admin you are; only an owner or admin of Weir creates other keys');
  }

  return {
    async list(actor, { limit, after }) {
      const page = await table.list({ limit, after: cursorOf(after) }, await teamsOf(actor));
      const items = await Promise.all(page.items.map((record) => viewOf(actor, record)));
      return { items, ...(page.next !== undefined && { next: cursorText(page.next) }), areas: scopeAreas };
    },
    async create(actor, input) {
      const { name, role, teamId, scopes, networks, expiresAt } = checked(newKeys, input);
      await requireGrant(actor, { role, ...(teamId !== undefined && { teamId }) });
      const key = options.mint();
      const record = withoutAbsent<AdminKeyRecord>({
        ...{ id: newAdminKeyId(), hint: key.slice(-hintLength), name, role, teamId },
        scopes: scopes ?? undefined,
        networks: networks ?? undefined,
        expiresAtMs: expiresAt ?? undefined,
        ...{ createdBy: actor.account.id, createdAtMs: nowMs(), lastUsedAtMs: undefined, revokedAtMs: undefined },
      });
      if (!(await table.insert(record, options.digests.of(key), adminKeyBounds.activeMax))) {
        throw invalid('name', `there are ${adminKeyBounds.activeMax} admin keys; revoke some of them first`);
      }
      const detail = withoutAbsent<NonNullable<AuditEntry['detail']>>({
        name,
        role,
        team: teamId,
        scopes: record.scopes,
      });
      await written(actor, 'admin-key-create', record.id, detail);
      return { key, ...(await viewOf(actor, record)) };
    },
    async change(actor, id, input) {
      const record = await visible(actor, id);
      if (!(await mayGive(actor, record))) {
        throw new GatewayError('role_not_allowed', 'Only an owner can change a key of an owner.');
      }
      const given = checked(keyChanges, input);
      const changes = narrowed(record, given);
      if (!(await table.change(id, changes))) throw invalid('id', 'the key was revoked');
      await written(actor, 'admin-key-change', id, { name: changes.name, fields: Object.keys(given) });
      return viewOf(actor, { ...record, ...changes });
    },
    async revoke(actor, id) {
      const record = await visible(actor, id);
      if (await table.revoke(id, nowMs())) await written(actor, 'admin-key-revoke', id, { name: record.name });
      return viewOf(actor, await visible(actor, id));
    },
  };
}

const newAdminKeyId = (): string => `key_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;

const invalid = (param: string, why: string): GatewayError =>
  new GatewayError('field_invalid', `${param}: ${why}`, { param });

interface Narrowing {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | null | undefined;
  readonly networks?: readonly string[] | null | undefined;
  readonly expiresAt?: number | null | undefined;
}

/** A key that exists gets no more rights and no more time: its holder may be another than its creator thinks of. */
function narrowed(record: AdminKeyRecord, { name, scopes, networks, expiresAt }: Narrowing): AdminKeyChanges {
  const isWider = scopes === null || scopes?.some((scope) => !includesScope(record.scopes, scope)) === true;
  if (isWider && record.scopes !== undefined) {
    throw invalid('scopes', 'a key gets no scopes that it did not have; create a new key');
  }
  if (
    expiresAt !== undefined &&
    (expiresAt ?? Number.POSITIVE_INFINITY) > (record.expiresAtMs ?? Number.POSITIVE_INFINITY)
  ) {
    throw invalid('expiresAt', 'a key does not get a later end; create a new key');
  }
  return withoutAbsent<AdminKeyChanges>({
    name: name ?? record.name,
    scopes: scopes ?? record.scopes,
    networks: networks === undefined ? record.networks : (networks ?? undefined),
    expiresAtMs: expiresAt ?? record.expiresAtMs,
  });
}

function stateOf(
  { revokedAtMs, expiresAtMs }: AdminKeyRecord,
  hasRights: boolean,
  atMs: number,
): AdminKeyView['state'] {
  if (revokedAtMs !== undefined) return 'revoked';
  if (expiresAtMs !== undefined && expiresAtMs <= atMs) return 'expired';
  return hasRights ? 'active' : 'suspended';
}
