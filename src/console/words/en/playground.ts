/** English words for the conversation in the playground and its wire panel. */

export const playground = {};
