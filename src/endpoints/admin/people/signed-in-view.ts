/** The answer to every way of signing in: who it is, and what the session may call. */

import { accountView } from '../../../admin/accounts/accounts.ts';
import { type Actor, sessionView } from '../../../admin/accounts/sessions.ts';
import type { SignedInView } from '../../../admin/contracts/contract.ts';
import { routesFor } from '../../../admin/factors/restriction.ts';
import type { AdminParts } from '../admin-route.ts';

export function signedInView(actor: Actor, { admin }: AdminParts): SignedInView {
  const { account, session } = actor;
  const tokenCeiling = admin.tokens.ceilingOf(actor);
  const restriction = admin.restrictionOf(actor);
  return {
    account: accountView(account),
    session: sessionView(session, session),
    routes: routesFor(account, restriction),
    ...(restriction !== undefined && { restriction }),
    ...(tokenCeiling !== undefined && { tokenCeiling }),
  };
}
