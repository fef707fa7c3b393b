/** The end user and the tags of a live conversation, which its handshake names in headers. */

import type { Caller } from '../access/caller.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { endUserIn, tagsIn } from '../relay/admission/named-in-request.ts';
import type { LiveCaller, LiveParts } from './live-parts.ts';

/** The end user is the lowest level of every response, as of any other request. */
export async function withEndUser<Who extends LiveCaller>(
  { endUsers, naming, wallMs }: Pick<LiveParts, 'endUsers' | 'naming' | 'wallMs'>,
  who: Who,
  headers: RequestHeaders,
): Promise<Who> {
  const endUser = endUserIn(headers, naming, undefined, wallMs());
  const named = { ...who, endUser, tags: tagsIn(headers, naming, undefined) };
  if (endUser === undefined) return named;
  const withLevel = async (caller: Caller): Promise<Caller> =>
    caller.endUsers === undefined ? caller : endUsers.callerFor(caller, caller.endUsers, endUser);
  return { ...named, caller: await withLevel(who.caller), readmit: async () => withLevel(await who.readmit()) };
}
