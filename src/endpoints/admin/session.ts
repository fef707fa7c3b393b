/** `/console/api/set-up`, `/session` and `/sessions`: sign-in, sign-out, and the account's own sessions. */

import type { SetUpView } from '../../admin/contracts/contract.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { type AdminEndpoint, open, signedIn, siteOf, visitorOf, withoutSession, withSession } from './admin-route.ts';
import { signedInView } from './people/signed-in-view.ts';

export const sessionEndpoints: readonly AdminEndpoint[] = [
  open('GET /console/api/set-up', async (call, parts): Promise<SetUpView> => {
    const actor = await visitorOf(call, parts);
    if (actor !== undefined) return { done: true, signedIn: signedInView(actor, parts) };
    return { done: await parts.admin.signIn.isSetUp() };
  }),
  open('POST /console/api/set-up', async (call, parts) => {
    const opened = await parts.admin.signIn.setUp(call.body, call.client);
    return withSession(opened, signedInView(opened.actor, parts), call, parts);
  }),
  open('POST /console/api/session', async (call, parts) => {
    const { signIn, secondFactor } = parts.admin;
    const opened = await signIn.signIn(call.body, call.client);
    if ('ticket' in opened) return secondFactor.pendingView(opened.account, opened.ticket, siteOf(call, parts));
    return withSession(opened, signedInView(opened.actor, parts), call, parts);
  }),
  signedIn('GET /console/api/session', ({ actor }, parts) => signedInView(actor, parts)),
  signedIn('DELETE /console/api/session', async (call, parts) => {
    await parts.admin.signIn.signOut(call.actor);
    const base = parts.publicUrl ?? call.exchange.origin();
    const logoutUrl = await parts.admin.issuers.logoutUrl(call.actor.session.id, base);
    return withoutSession(call, parts, logoutUrl === undefined ? undefined : { logoutUrl });
  }),
  signedIn('POST /console/api/session/password', async ({ actor, body }, { admin }) => ({
    sessionsRevoked: await admin.signIn.changePassword(actor, body),
  })),
  signedIn('GET /console/api/sessions', async ({ actor }, { admin }) => ({
    items: await admin.sessions.list(actor.account.id, actor.session),
  })),
  signedIn('DELETE /console/api/sessions', async ({ actor }, { admin }) => {
    const sessionsRevoked = await admin.sessions.revokeOf(actor.account.id, actor.session.id);
    const subject = `account:${actor.account.id}`;
    await admin.audit.write(actor, { action: 'session-revoke', subject, detail: { sessionsRevoked } });
    return { sessionsRevoked };
  }),
  signedIn('DELETE /console/api/sessions/{id}', async ({ actor, params }, { admin }) => {
    const id = params['id'] ?? '';
    if (!(await admin.sessions.revoke(id, actor.account.id))) {
      throw new GatewayError('not_found', 'Session not found.', { param: 'id' });
    }
    await admin.audit.write(actor, { action: 'session-revoke', subject: `session:${id}` });
    return undefined;
  }),
];
