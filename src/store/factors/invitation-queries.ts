/** The table `invitations`: links that make an account once. Only digests of their codes are stored. */

import type { Role } from '../../access/account.ts';
import type { TeamRole } from '../../access/organization.ts';
import { bareDigest, splitDigest } from '../../secrets/digests.ts';
import { insertAccount } from '../accounts/account-queries.ts';
import type { NewAccount } from '../accounts/account-store.ts';
import { putMembership } from '../organization/unit-queries.ts';
import { read, single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asNumber, type Steps, statement, step } from '../sql/statement.ts';
import { integer, name, optional, type RowIn, table, text, textOf, time } from '../sql/table.ts';

const invitations = table('invitations', {
  id: text,
  role: textOf<Role>(),
  teamId: optional(text),
  teamRole: optional(textOf<TeamRole>()),
  note: name,
  invitedBy: text,
  createdAtMs: time,
  expiresAtMs: time,
  acceptedAtMs: optional(integer),
  accountId: optional(text),
  revokedAtMs: optional(integer),
});
const newInvitations = table('invitations', { ...invitations.columns, digest: text, digestKey: optional(text) });

export type InvitationRecord = RowIn<typeof invitations>;
/** `team-absent`: the team was removed since. */
export type Acceptance = 'accepted' | 'refused' | 'name-taken' | 'team-absent';

const isOpen = 'accepted_at_ms IS NULL AND revoked_at_ms IS NULL AND expires_at_ms';
const insert = statement(newInvitations.insert);
const countOpen = statement(`SELECT COUNT(*) FROM invitations WHERE ${isOpen} > $1`);
const list = statement(`SELECT ${invitations.list} FROM invitations ORDER BY created_at_ms DESC, id DESC LIMIT $1`);
const byId = statement(`SELECT ${invitations.list} FROM invitations WHERE id = $1`);
const openByDigest = statement(`SELECT ${invitations.list} FROM invitations WHERE digest = $1 AND ${isOpen} > $2`);
const revoke = statement(
  `UPDATE invitations SET revoked_at_ms = $2 WHERE id = $1 AND accepted_at_ms IS NULL AND revoked_at_ms IS NULL
   RETURNING id`,
);
/** Of two people with one link, the second waits for this row and then finds it accepted. */
const accept = statement(
  `UPDATE invitations SET accepted_at_ms = $2, account_id = $3 WHERE id = $1 AND ${isOpen} > $2 RETURNING id`,
);
const reopen = statement('UPDATE invitations SET accepted_at_ms = NULL, account_id = NULL WHERE id = $1');
const dropAccount = statement('DELETE FROM accounts WHERE id = $1');

/** False where there are as many open ones as allowed. */
export const insertInvitation = transaction(function* (
  invitation: InvitationRecord,
  secret: string,
  openMax: number,
): Steps<boolean> {
  const open = asNumber((yield step(countOpen, Math.round(invitation.createdAtMs)))[0]?.[0]);
  if (open >= openMax) return false;
  const [digest, digestKey] = splitDigest(secret);
  yield step(insert, ...newInvitations.values({ ...invitation, digest, digestKey: digestKey ?? undefined }));
  return true;
});

export const listInvitations = read(function* (limit: number): Steps<readonly InvitationRecord[]> {
  return (yield step(list, limit)).map((row) => invitations.read(row));
});

export const invitationById = read(function* (id: string): Steps<InvitationRecord | null> {
  const row = (yield step(byId, id))[0];
  return row === undefined ? null : invitations.read(row);
});

/** Only one that can still be accepted. */
export const invitationByDigest = read(function* (digest: string, nowMs: number): Steps<InvitationRecord | null> {
  const row = (yield step(openByDigest, bareDigest(digest), nowMs))[0];
  return row === undefined ? null : invitations.read(row);
});

export const revokeInvitation = single(function* (id: string, atMs: number): Steps<boolean> {
  return (yield step(revoke, id, atMs)).length > 0;
});

/** Account, membership and the end of the link in one transaction: none of them without the others. */
export const acceptInvitation = transaction(function* (id: string, account: NewAccount): Steps<Acceptance> {
  const atMs = Math.round(account.createdAtMs);
  if ((yield step(accept, id, atMs, account.id)).length === 0) return 'refused';
  const { teamId, teamRole } = invitations.read((yield step(byId, id))[0] ?? []);
  if (!(yield* insertAccount.steps(account))) {
    yield step(reopen, id);
    return 'name-taken';
  }
  if (teamId === undefined || teamRole === undefined) return 'accepted';
  const member = { teamId, accountId: account.id, role: teamRole, source: 'manual', createdAtMs: atMs };
  if (yield* putMembership.steps(member)) return 'accepted';
  yield step(dropAccount, account.id);
  yield step(reopen, id);
  return 'team-absent';
});

export const expireInvitations = removal('invitations', 'id', 'expires_at_ms');
