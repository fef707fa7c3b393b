/** English words for tokens. */

export const tokens = {};
