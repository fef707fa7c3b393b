/** English words for the playground’s other operations. */

export const operations = {};
