/** The admission of a request whose end user has a rate limit: it entered before its body was read, the end user after. */

import type { Admission } from '../../access/limits.ts';

export function withUser(own: Admission, user: Admission): Admission {
  return {
    get headers() {
      return { ...user.headers, ...own.headers };
    },
    reserve: (tokens) => own.reserve(tokens),
    leave(actualTokens) {
      own.leave(actualTokens);
      user.leave(actualTokens);
    },
  };
}
