/** `/console/api/invitations` for administrators and admins of teams, and `/console/api/invitation` for the person who has a link. */

import { type IssuedInvitationView, invitationAddress } from '../../../admin/contracts/contract.ts';
import { type AdminEndpoint, open, signedIn, siteOf, withSession } from '../admin-route.ts';
import { signedInView } from './signed-in-view.ts';

export const invitationEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/invitations', async ({ actor }, { admin }) => ({
    items: await admin.invitations.list(actor),
  })),
  signedIn('POST /console/api/invitations', async (call, parts): Promise<IssuedInvitationView> => {
    const { invitation, code } = await parts.admin.invitations.create(call.actor, call.body);
    return { invitation, url: invitationAddress(siteOf(call, parts).origin, code) };
  }),
  signedIn('DELETE /console/api/invitations/{id}', async ({ actor, params }, { admin }) => {
    await admin.invitations.revoke(actor, params['id'] ?? '');
    return undefined;
  }),
  // With a body, so that the code is in no URL.
  open('POST /console/api/invitation/read', ({ body, client }, { admin }) => admin.invitations.read(body, client)),
  open('POST /console/api/invitation', async (call, parts) => {
    const opened = await parts.admin.invitations.accept(call.body, call.client);
    return withSession(opened, signedInView(opened.actor, parts), call, parts);
  }),
];
