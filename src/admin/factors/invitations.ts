/** Invitations: one-time links by which a person makes their own account, with the role and team that the giver chose. */

import type { AccountRecord } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { AccountStore } from '../../store/accounts/account-store.ts';
import type { Acceptance, InvitationRecord, InvitationStore } from '../../store/factors/invitation-store.ts';
import type { OrganizationStore } from '../../store/organization/organization-store.ts';
import { newAccountRecord } from '../accounts/accounts.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Passwords } from '../accounts/passwords.ts';
import {
  type Actor,
  type Client,
  isRandomText,
  type OpenedSession,
  randomText,
  type Sessions,
} from '../accounts/sessions.ts';
import { networkScope, type TryLimit } from '../accounts/try-limit.ts';
import { accountBounds, signInBounds } from '../contracts/account-contract.ts';
import {
  acceptInvitationSchema,
  type InvitationView,
  invitationBounds,
  invitationCodeSchema,
  newInvitationSchema,
  type OfferedInvitationView,
} from '../contracts/factor-contract.ts';
import { checked, withoutAbsent } from '../tokens/token-terms.ts';
import { mayInvite, teamsInvitingTo } from './may-invite.ts';

interface InvitationsOptions {
  readonly invitations: InvitationStore;
  readonly accounts: AccountStore;
  readonly organization: Pick<OrganizationStore, 'byId' | 'membershipsOf'>;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly audit: Audit;
  readonly tries: TryLimit;
  readonly digests: Digests;
  readonly networkOf: (address: string) => string;
  readonly nowMs: () => number;
}

interface IssuedInvitation {
  readonly invitation: InvitationView;
  /** Part of the link that is given out; not stored. */
  readonly code: string;
}

export interface Invitations {
  create(actor: Actor, input: unknown): Promise<IssuedInvitation>;
  /** Those that the actor may give themselves. */
  list(actor: Actor): Promise<readonly InvitationView[]>;
  revoke(actor: Actor, id: string): Promise<void>;
  /** What a link offers. */
  read(input: unknown, client: Client): Promise<OfferedInvitationView>;
  /** Makes the account and signs it in. */
  accept(input: unknown, client: Client): Promise<OpenedSession>;
  tidy(): Promise<void>;
}

export function createInvitations(options: InvitationsOptions): Invitations {
  const { invitations, accounts, organization, sessions, passwords, audit, tries, nowMs } = options;

  /** A key of a team gives what an admin of that team gives, whatever else its creator has. */
  async function giverOf({ account, key }: Pick<Actor, 'account' | 'key'>) {
    const team = key?.team;
    const memberships =
      team === undefined ? await organization.membershipsOf(account.id) : [{ teamId: team.id, role: team.role }];
    return { account, memberships };
  }

  async function nameOfTeam(teamId: string | undefined): Promise<string | undefined> {
    return teamId === undefined ? undefined : (await organization.byId(teamId))?.name;
  }

  async function viewOf(record: InvitationRecord, nameOf: (id: string) => string | undefined): Promise<InvitationView> {
    return withoutAbsent<InvitationView>({
      id: record.id,
      role: record.role,
      teamId: record.teamId,
      teamName: await nameOfTeam(record.teamId),
      teamRole: record.teamRole,
      note: record.note === '' ? undefined : record.note,
      state: stateOf(record, nowMs()),
      createdAt: iso(record.createdAtMs),
      expiresAt: iso(record.expiresAtMs),
      invitedBy: nameOf(record.invitedBy) ?? record.invitedBy,
      acceptedBy: record.accountId === undefined ? undefined : nameOf(record.accountId),
    });
  }

  /** Those that the actor may give. */
  async function seenBy(actor: Actor): Promise<(record: InvitationRecord) => boolean> {
    const teams = teamsInvitingTo(await giverOf(actor));
    return ({ teamId = '' }) => teams === undefined || teams.includes(teamId);
  }

  /** The invitation of a code that can still be accepted, and whose giver may still give it. */
  async function offered(code: string): Promise<{ record: InvitationRecord; giver: AccountRecord }> {
    const look = (digest: string) => invitations.byDigest(digest, nowMs());
    const record = isRandomText(code) ? (await options.digests.find(code, look))?.found : undefined;
    const giver = record === undefined ? undefined : await accounts.byId(record.invitedBy);
    if (record === undefined || giver === undefined || !mayInvite(await giverOf({ account: giver }), record))
      throw refused();
    return { record, giver };
  }

  const scopesOf = ({ address }: Client) => [
    networkScope('invitation', options.networkOf(address), signInBounds.triesMax),
  ];

  return {
    async create(actor, input) {
      const given = checked(newInvitationSchema, input);
      if (!mayInvite(await giverOf(actor), given)) {
        throw new GatewayError('role_not_allowed', `The role ${actor.account.role} is not allowed to give this.`);
      }
      const team = given.teamId === undefined ? undefined : await organization.byId(given.teamId);
      if (given.teamId !== undefined && team?.kind !== 'team') {
        throw new GatewayError('field_invalid', 'teamId: there is no such team', { param: 'teamId' });
      }
      const code = randomText();
      const record = withoutAbsent<InvitationRecord>({
        id: `inv_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`,
        role: given.role,
        teamId: given.teamId,
        teamRole: given.teamId === undefined ? undefined : (given.teamRole ?? 'member'),
        note: given.note ?? '',
        invitedBy: actor.account.id,
        createdAtMs: nowMs(),
        expiresAtMs: nowMs() + (given.expiresInMs ?? invitationBounds.lifetimeMs),
        acceptedAtMs: undefined,
        accountId: undefined,
        revokedAtMs: undefined,
      });
      if (!(await invitations.insert(record, options.digests.of(code), invitationBounds.openMax))) {
        const message = `There are ${invitationBounds.openMax} open invitations. Revoke some of them first.`;
        throw new GatewayError('field_invalid', message, { param: 'role' });
      }
      const detail = withoutAbsent<Record<string, string>>({
        role: record.role,
        team: record.teamId,
        teamRole: record.teamRole,
        expiresAt: iso(record.expiresAtMs),
      });
      await audit.write(actor, { action: 'invitation-create', subject: `invitation:${record.id}`, detail });
      return { invitation: await viewOf(record, () => actor.account.name), code };
    },
    async list(actor) {
      const isSeen = await seenBy(actor);
      const records = (await invitations.list(invitationBounds.listedMax)).filter(isSeen);
      const people = await accounts.list(accountBounds.accountsListedMax);
      const names = new Map(people.map(({ id, name }) => [id, name]));
      return Promise.all(records.map((record) => viewOf(record, (id) => names.get(id))));
    },
    async revoke(actor, id) {
      const isSeen = await seenBy(actor);
      const record = await invitations.byId(id);
      if (record === undefined || !isSeen(record) || !(await invitations.revoke(id, nowMs()))) {
        throw new GatewayError('not_found', 'There is no such open invitation.', { param: 'id' });
      }
      await audit.write(actor, { action: 'invitation-revoke', subject: `invitation:${id}` });
    },
    async read(input, client) {
      const { code } = checked(invitationCodeSchema, input);
      const scopes = scopesOf(client);
      await tries.count(scopes);
      const { record, giver } = await offered(code);
      await tries.giveBack(scopes);
      return withoutAbsent<OfferedInvitationView>({
        role: record.role,
        teamName: await nameOfTeam(record.teamId),
        teamRole: record.teamRole,
        invitedBy: giver.name,
        expiresAt: iso(record.expiresAtMs),
      });
    },
    async accept(input, client) {
      const { code, name, password } = checked(acceptInvitationSchema, input);
      const scopes = scopesOf(client);
      await tries.count(scopes);
      const { record } = await offered(code);
      const passwordHash = await passwords.hash(password);
      const account = newAccountRecord({ name, role: record.role, passwordHash, atMs: nowMs() });
      const outcome = await invitations.accept(record.id, account);
      if (outcome === 'refused') throw refused();
      await tries.giveBack(scopes);
      if (outcome !== 'accepted') throw faultOf(outcome);
      const made = await accounts.byId(account.id);
      const opened = made && (await sessions.open(made, passwordHash, client));
      if (opened === undefined) throw refused();
      const detail = withoutAbsent<Record<string, string>>({
        name,
        role: record.role,
        team: record.teamId,
        teamRole: record.teamRole,
        invitation: record.id,
      });
      await audit.write(opened.actor, { action: 'invitation-accept', subject: `account:${account.id}`, detail });
      return opened;
    },
    tidy: () => invitations.expire(nowMs() - invitationBounds.keptMs),
  };
}

const iso = (atMs: number): string => new Date(atMs).toISOString();

function stateOf(record: InvitationRecord, nowMs: number): InvitationView['state'] {
  if (record.acceptedAtMs !== undefined) return 'accepted';
  if (record.revokedAtMs !== undefined) return 'revoked';
  return record.expiresAtMs <= nowMs ? 'expired' : 'open';
}

/** One message for every reason. */
function refused(): GatewayError {
  const message = 'The invitation is invalid, has expired, was revoked or was used. Ask for a new one.';
  return new GatewayError('invitation_refused', message);
}

function faultOf(outcome: Exclude<Acceptance, 'accepted' | 'refused'>): GatewayError {
  return outcome === 'name-taken'
    ? new GatewayError('field_invalid', 'name: is already taken', { param: 'name' })
    : new GatewayError('invitation_refused', 'The team of the invitation no longer exists. Ask for a new invitation.');
}
