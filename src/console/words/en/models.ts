/** English words for models, routes and prices. */

export const models = {};
