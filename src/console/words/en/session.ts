/** English words for signing in, set-up and the account. */

export const session = {};
