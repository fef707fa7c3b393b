/** English words for providers. */

export const providers = {};
