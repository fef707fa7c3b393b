/** English words for the overview. */

export const overview = {};
