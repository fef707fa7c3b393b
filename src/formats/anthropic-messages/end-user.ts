/** The end user of a Messages request: `metadata.user_id`. */

import { isObject } from '../../conversation/json-tree.ts';
import type { Tree } from '../format.ts';

/** Agents write several ids into the one, the session among them: as JSON, and older ones between words. */
const accountIn = /"account_uuid":"([^"]+)"|_account_([\w-]+?)_session_/;
const deviceIn = /^\{.*?"device_id":"([^"]+)"|^user_([0-9a-f]+)_account_/;
/** Longer than any id that agents write. */
const userIdCharactersMax = 1_024;

/** An agent's id without its session, so that a person is one user: the account, else the device. */
export function endUserOf({ metadata }: Tree): string | undefined {
  const user = isObject(metadata) ? metadata.user_id : undefined;
  if (typeof user !== 'string') return undefined;
  if (!user.startsWith('{') && !user.includes('_session_')) return user;
  if (user.length > userIdCharactersMax) return user;
  const [, ofJson, ofWords] = accountIn.exec(user) ?? deviceIn.exec(user) ?? [];
  return ofJson ?? ofWords ?? user;
}
