/** English words for video tasks. */

export const tasks = {};
