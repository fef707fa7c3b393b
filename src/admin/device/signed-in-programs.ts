/** What a person does with sign-ins in the console: look at a code, answer it, list the programs and end them. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { findClient } from '../../settings/sign-in-clients.ts';
import type { KnownSignInRow, SignInRow } from '../../store/device/sign-in-store.ts';
import type { OrganizationStore } from '../../store/organization/organization-store.ts';
import type { Actor } from '../accounts/sessions.ts';
import {
  type DeviceRequestView,
  deviceAnswerSchema,
  deviceBounds,
  deviceCodeSchema,
  plainUserCode,
  type SignedInProgramView,
  shownUserCode,
} from '../contracts/device-contract.ts';
import { checked } from '../tokens/token-terms.ts';
import { createDeviceGrants, type DeviceGrantOptions, type DeviceGrants } from './device-grants.ts';
import type { SpendOf } from './spend.ts';

interface SignedInProgramOptions extends DeviceGrantOptions {
  readonly spendOf: SpendOf;
  /** Read for every call, because it may change while Weir runs. */
  readonly managedSettings: () => string | undefined;
  readonly organization: Pick<OrganizationStore, 'byId' | 'membershipsOf'>;
}

export interface DeviceSignIns extends DeviceGrants {
  /** The sign-in that the user code belongs to. */
  request(actor: Actor, input: unknown): Promise<DeviceRequestView>;
  answer(actor: Actor, input: unknown): Promise<void>;
  list(actor: Actor): Promise<readonly SignedInProgramView[]>;
  end(actor: Actor, id: string): Promise<void>;
  /** Ends all of an account and revokes their tokens: how many there were. */
  endOf(accountId: string): Promise<number>;
  spendOf: SpendOf;
  /** What the operator wants signed-in programs to use, as the text of a JSON object. */
  managedSettings(): string | undefined;
  tidy(): Promise<void>;
}

export function createDeviceSignIns(options: SignedInProgramOptions): DeviceSignIns {
  const { signIns, tokens, digests, tries, audit, nowMs } = options;
  const nameOf = (clientId: string): string => findClient(clientId, options.clients())?.name ?? clientId;

  /** Each try counts until the code turns out to be right, so that parallel tries do not exceed the limit. */
  async function pending(actor: Actor, typed: string): Promise<KnownSignInRow> {
    const scope = `device-code:${actor.account.id}`;
    const counted = await tries.count(scope, nowMs(), deviceBounds.windowMs);
    if (counted.tries > deviceBounds.wrongCodesMax) {
      const retryAfterMs = Math.max(1_000, counted.startedAtMs + deviceBounds.windowMs - nowMs());
      const minutes = Math.ceil(retryAfterMs / 60_000);
      const message = `Too many wrong codes. Minutes until the next try: ${minutes}.`;
      throw new GatewayError('sign_in_limited', message, { retryAfterMs });
    }
    const code = plainUserCode(typed);
    const row = (await digests.find(code, (digest) => signIns.byUserDigest(digest)))?.found;
    if (row === undefined || row.state !== 'pending' || row.expiresAtMs <= nowMs()) throw unknownCode();
    await tries.giveBack(scope);
    return row;
  }

  /** A team or project of which the person is more than a viewer. */
  async function requireUnit(actor: Actor, unitId: string): Promise<void> {
    const unit = await options.organization.byId(unitId);
    const teamId = unit?.kind === 'project' ? unit.parentId : unit?.kind === 'team' ? unit.id : undefined;
    const memberships = teamId === undefined ? [] : await options.organization.membershipsOf(actor.account.id);
    if (memberships.some((member) => member.teamId === teamId && member.role !== 'viewer')) return;
    throw new GatewayError('field_invalid', 'unitId: must be a team or project of yours', { param: 'unitId' });
  }

  const written = (actor: Actor, action: 'program-sign-in' | 'program-deny' | 'program-sign-out', row: SignInRow) =>
    audit.write(actor, { action, subject: `program:${row.id}`, detail: { client: row.clientId, from: row.address } });

  return {
    ...createDeviceGrants(options),
    async request(actor, input) {
      const { code } = checked(deviceCodeSchema, input);
      return requestView(await pending(actor, code), plainUserCode(code), nameOf);
    },
    async answer(actor, input) {
      const { code, approve, unitId } = checked(deviceAnswerSchema, input);
      const row = await pending(actor, code);
      const { account } = actor;
      if (!approve) {
        if (!(await signIns.deny(row.id, account.id, nowMs()))) throw unknownCode();
        await written(actor, 'program-deny', row);
        return;
      }
      if (unitId !== undefined) await requireUnit(actor, unitId);
      const tokenId = await tokens.create(account, nameOf(row.clientId), unitId);
      if (!(await signIns.approve(row.id, account.id, tokenId, nowMs()))) {
        await tokens.revoke(tokenId);
        throw unknownCode();
      }
      await written(actor, 'program-sign-in', row);
    },
    async list({ account }) {
      const rows = await signIns.list(account.id, nowMs(), deviceBounds.listedMax);
      return rows.map((row) => programView(row, nameOf));
    },
    async end(actor, id) {
      const rows = await signIns.list(actor.account.id, nowMs(), deviceBounds.listedMax);
      const row = rows.find((each) => each.id === id);
      if (row === undefined || !(await signIns.end(id))) {
        throw new GatewayError('not_found', 'Signed-in program not found.', { param: 'id' });
      }
      if (row.tokenId !== undefined) await tokens.revoke(row.tokenId);
      await written(actor, 'program-sign-out', row);
    },
    async endOf(accountId) {
      const ended = await signIns.endOf(accountId);
      for (const { tokenId } of ended) if (tokenId !== undefined) await tokens.revoke(tokenId);
      return ended.length;
    },
    spendOf: options.spendOf,
    managedSettings: options.managedSettings,
    async tidy() {
      for (const { tokenId } of await signIns.endExpired(nowMs())) {
        if (tokenId !== undefined) await tokens.revoke(tokenId);
      }
      await signIns.expire(nowMs() - deviceBounds.keptMs);
    },
  };
}

function unknownCode(): GatewayError {
  const message = 'code: is unknown, expired or already answered. Check it, or start again in the program.';
  return new GatewayError('field_invalid', message, { param: 'code' });
}

const iso = (atMs: number): string => new Date(atMs).toISOString();

const requestView = (row: SignInRow, code: string, nameOf: (clientId: string) => string): DeviceRequestView => ({
  code: shownUserCode(code),
  clientId: row.clientId,
  clientName: nameOf(row.clientId),
  address: row.address,
  agent: row.agent,
  requestedAt: iso(row.createdAtMs),
  expiresAt: iso(row.expiresAtMs),
});

const programView = (row: SignInRow, nameOf: (clientId: string) => string): SignedInProgramView => ({
  id: row.id,
  clientId: row.clientId,
  clientName: nameOf(row.clientId),
  address: row.address,
  agent: row.agent,
  tokenId: row.tokenId ?? '',
  createdAt: iso(row.createdAtMs),
  refreshedAt: iso(row.refreshedAtMs === 0 ? row.createdAtMs : row.refreshedAtMs),
  expiresAt: iso(row.expiresAtMs),
});
