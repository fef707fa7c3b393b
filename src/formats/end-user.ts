/** The end user that a request names, as rows of usage know it. */

import type { Tree } from '../conversation/json-tree.ts';

/** Formats with `user`, and with the newer `safety_identifier`. */
export function namedUser({ user, safety_identifier: safety }: Tree): string | undefined {
  if (typeof user === 'string' && user !== '') return user;
  return typeof safety === 'string' ? safety : undefined;
}
