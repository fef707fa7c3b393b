/** Who is in which team with which role, and the limits of each person. */

import type { AccountRecord } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { AccountStore } from '../../store/accounts/account-store.ts';
import type { OrganizationStore } from '../../store/organization/organization-store.ts';
import type { Audit } from '../accounts/audit.ts';
import { nameKeyOf } from '../accounts/name-key.ts';
import type { Actor } from '../accounts/sessions.ts';
import {
  type MemberView,
  membershipSchema,
  organizationBounds,
  type PersonTermsView,
  personTermsSchema,
} from '../contracts/organization-contract.ts';
import { checked } from '../tokens/token-terms.ts';
import { type BudgetReader, changedLevelTerms, levelTermsView } from './level-terms.ts';
import type { TeamAccess } from './team-access.ts';

interface MembersOptions {
  readonly organization: OrganizationStore;
  readonly accounts: Pick<AccountStore, 'byId' | 'byName'>;
  readonly access: TeamAccess;
  readonly budgets: BudgetReader;
  /** Names of the route table. */
  readonly endpoints: readonly string[];
  /** Revokes the person's tokens in a team and its projects; returns how many there were. */
  readonly revokeTokensIn: (teamId: string, accountId: string) => Promise<number>;
  readonly audit: Audit;
  readonly nowMs: () => number;
}

export interface Members {
  list(actor: Actor, teamId: string): Promise<readonly MemberView[]>;
  /** Adds a member or changes their role. `account` is an id or a sign-in name. */
  put(actor: Actor, teamId: string, account: string, input: unknown): Promise<MemberView>;
  /** The person's tokens in the team end with it. */
  remove(actor: Actor, teamId: string, accountId: string): Promise<void>;
  terms(actor: Actor, accountId: string): Promise<PersonTermsView>;
  changeTerms(actor: Actor, accountId: string, input: unknown): Promise<PersonTermsView>;
}

export function createMembers(options: MembersOptions): Members {
  const { organization, accounts, access, audit, nowMs } = options;
  const personTerms = personTermsSchema(options);

  async function accountOf(reference: string): Promise<AccountRecord> {
    const found = (await accounts.byId(reference)) ?? (await accounts.byName(nameKeyOf(reference)))?.account;
    if (found === undefined) throw new GatewayError('not_found', 'Account not found.', { param: 'accountId' });
    return found;
  }

  async function members(teamId: string): Promise<readonly MemberView[]> {
    const records = await organization.membersOf(teamId, organizationBounds.membersListedMax);
    const views = await Promise.all(
      records.map(async ({ accountId, role, source, createdAtMs }): Promise<MemberView[]> => {
        const account = await accounts.byId(accountId);
        if (account === undefined) return [];
        const state = account.disabledAtMs === undefined ? 'active' : 'disabled';
        return [{ accountId, name: account.name, role, source, since: new Date(createdAtMs).toISOString(), state }];
      }),
    );
    return views.flat();
  }

  async function termsView(account: AccountRecord): Promise<PersonTermsView> {
    const [terms = {}, records] = await Promise.all([
      organization.personTerms(account.id),
      organization.membershipsOf(account.id),
    ]);
    const memberships = await Promise.all(
      records.map(async ({ teamId, role, source }) => {
        const teamName = (await organization.byId(teamId))?.name ?? teamId;
        return { teamId, teamName, role, source };
      }),
    );
    const view = await levelTermsView(terms, { kind: 'person', id: account.id }, options.budgets, nowMs());
    return { accountId: account.id, name: account.name, terms: view, memberships };
  }

  return {
    async list(actor, teamId) {
      await access.requireTeam(actor, teamId, 'see');
      return members(teamId);
    },
    async put(actor, teamId, reference, input) {
      const team = await access.requireTeam(actor, teamId, 'manage');
      const { role } = checked(membershipSchema, input);
      const { id: accountId, name } = await accountOf(reference);
      const before = (await organization.membershipsOf(accountId)).find((record) => record.teamId === teamId);
      const createdAtMs = before?.createdAtMs ?? nowMs();
      if (!(await organization.putMember({ teamId, accountId, role, source: 'manual', createdAtMs }))) {
        throw new GatewayError('not_found', 'Team or account not found.', { param: 'accountId' });
      }
      const detail = { team: team.name, member: name, role };
      await audit.write(actor, { action: 'member-change', subject: `team:${teamId}`, detail });
      const view = (await members(teamId)).find((member) => member.accountId === accountId);
      if (view === undefined) throw new GatewayError('not_found', 'Account not found.', { param: 'accountId' });
      return view;
    },
    async remove(actor, teamId, accountId) {
      const team = await access.requireTeam(actor, teamId, 'manage');
      if (!(await organization.removeMember(teamId, accountId))) {
        throw new GatewayError('not_found', 'Member not found.', { param: 'accountId' });
      }
      const tokensRevoked = await options.revokeTokensIn(teamId, accountId);
      const member = (await accounts.byId(accountId))?.name ?? accountId;
      const detail = { team: team.name, member, tokensRevoked };
      await audit.write(actor, { action: 'member-remove', subject: `team:${teamId}`, detail });
    },
    async terms(actor, accountId) {
      const { managesAll } = await access.standingOf(actor);
      const isOwn = accountId === actor.account.id && actor.key?.team === undefined;
      if (!isOwn && !managesAll) {
        throw new GatewayError('not_found', 'Account not found.', { param: 'id' });
      }
      return termsView(await accountOf(accountId));
    },
    async changeTerms(actor, accountId, input) {
      const account = await accountOf(accountId);
      if (account.role === 'owner' && actor.account.role !== 'owner') {
        throw new GatewayError('role_not_allowed', 'Only an owner can change an owner.');
      }
      const { terms: given } = checked(personTerms, input);
      const terms = changedLevelTerms((await organization.personTerms(account.id)) ?? {}, given);
      await organization.setPersonTerms(account.id, Object.keys(terms).length === 0 ? undefined : terms);
      const detail = { name: account.name, fields: Object.keys(given) };
      await audit.write(actor, { action: 'account-terms', subject: `account:${account.id}`, detail });
      return termsView(account);
    },
  };
}
