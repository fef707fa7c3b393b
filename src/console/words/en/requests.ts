/** English words for the list of requests and one request’s story. */

export const requests = {};
