/** `/console/api/factors`: an account's own second factors; and the second step of a sign-in. */

import type { OpenedSession } from '../../../admin/accounts/sessions.ts';
import type { Reply } from '../../../http/reply.ts';
import { type AdminEndpoint, type AdminParts, open, signedIn, siteOf, withSession } from '../admin-route.ts';
import { signedInView } from './signed-in-view.ts';

type Call = Parameters<typeof withSession>[2];

const entered = (opened: OpenedSession, call: Call, parts: AdminParts): Reply =>
  withSession(opened, signedInView(opened.actor, parts), call, parts);

export const factorEndpoints: readonly AdminEndpoint[] = [
  open('POST /console/api/session/second-factor', async (call, parts) =>
    entered(await parts.admin.secondFactor.complete(call.body, call.client, siteOf(call, parts)), call, parts),
  ),
  open('POST /console/api/session/passkey/options', async (call, parts) =>
    parts.admin.secondFactor.passkeyOptions(call.client, siteOf(call, parts)),
  ),
  open('POST /console/api/session/passkey', async (call, parts) =>
    entered(await parts.admin.secondFactor.passkeySignIn(call.body, call.client, siteOf(call, parts)), call, parts),
  ),
  signedIn('GET /console/api/factors', ({ actor }, { admin }) => admin.factors.list(actor)),
  signedIn('POST /console/api/factors/totp', (call, parts) =>
    parts.admin.factors.beginTotp(call.actor, call.body, siteOf(call, parts)),
  ),
  signedIn('POST /console/api/factors/totp/confirm', ({ actor, body }, { admin }) =>
    admin.factors.confirmTotp(actor, body),
  ),
  signedIn('POST /console/api/factors/totp/disable', async ({ actor, body }, { admin }) => {
    await admin.factors.disableTotp(actor, body);
    return undefined;
  }),
  signedIn('POST /console/api/factors/passkeys/options', (call, parts) =>
    parts.admin.factors.passkeyOptions(call.actor, call.body, siteOf(call, parts)),
  ),
  signedIn('POST /console/api/factors/passkeys', (call, parts) =>
    parts.admin.factors.addPasskey(call.actor, call.body, siteOf(call, parts)),
  ),
  signedIn('POST /console/api/factors/passkeys/{id}/remove', async ({ actor, body, params }, { admin }) => {
    await admin.factors.removePasskey(actor, params['id'] ?? '', body);
    return undefined;
  }),
  signedIn('POST /console/api/factors/recovery-codes', ({ actor, body }, { admin }) =>
    admin.factors.newRecoveryCodes(actor, body),
  ),
  signedIn('DELETE /console/api/accounts/{id}/factors', async ({ actor, params }, { admin }) => ({
    factorsRemoved: await admin.factors.removeOf(actor, params['id'] ?? ''),
  })),
];
