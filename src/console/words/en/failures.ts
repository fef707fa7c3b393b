/** Why a request failed and what to do about it, by the verdict of its last attempt or by its error code. */

export const failures = {
  title: 'Why it failed',
  replied: (provider: string, status: number) => `${provider} replied ${status}`,
  attemptAt: (provider: string) => `Attempt at ${provider}`,
  openProvider: (provider: string) => `Open ${provider}`,
  sent: 'Message to the client',
  notRecorded: 'The message was not recorded.',
  whatNow: 'What to do',
  reasons: {
    'request-fault': {
      what: 'The provider rejected the request.',
      next: 'Change the request as the message says, or use another model.',
    },
    'parameter-refused': {
      what: 'The provider rejected a parameter.',
      next: 'Remove the parameter. Weir omits it for the next hour.',
    },
    content: { what: 'The provider refused the content.', next: 'Change the content. A retry will not help.' },
    'key-dead': {
      what: 'The provider account has no credit left, or the key is disabled.',
      next: 'Top up the account at the provider, or replace the key.',
    },
    'key-refused': {
      what: 'The provider does not accept the key.',
      next: 'Replace the key, then test the provider.',
    },
    forbidden: {
      what: 'The key is not allowed to do this.',
      next: 'Grant access at the provider, or route the model to another provider.',
    },
    'cannot-serve': {
      what: 'The provider does not have this model or path.',
      next: 'Correct the model of the target, or remove the target.',
    },
    'too-large': {
      what: 'The request is larger than the provider accepts.',
      next: 'Shorten the request, or add a target that accepts more.',
    },
    'key-cooling': {
      what: 'The provider rate limited the key (429).',
      next: 'Retry later, add a key, or add a fallback target.',
    },
    'target-cooling': { what: 'The provider was overloaded.', next: 'Retry later, or add a fallback target.' },
    'target-down': {
      what: 'The provider could not be reached.',
      next: 'Check the base URL and the network, then test the provider.',
    },
    uncertain: {
      what: 'The provider failed, possibly after it started processing.',
      next: 'Retry. If it keeps failing, check the provider’s status page.',
    },
    limit: { what: 'Weir stopped the request at one of its limits.', next: 'Raise the limit if this was expected.' },
    lost: { what: 'Weir stopped before the request ended.', next: 'Check why the process ended, then retry.' },
    provider_unavailable: {
      what: 'No provider could be tried.',
      next: 'Check the providers that the message names, or add a fallback target.',
    },
    budget_spent: {
      what: 'The token’s budget has too little left for this request.',
      next: 'Raise the budget, or lower max_tokens.',
    },
    price_unknown: {
      what: 'The token has a budget, and the model has no price.',
      next: 'Set a price for the model.',
    },
    content_refused: { what: 'Moderation refused the content.', next: 'Change the content.' },
    moderation_unavailable: {
      what: 'The moderation model did not answer.',
      next: 'Check the provider of the moderation model.',
    },
    loss_refused: {
      what: 'No provider supports what the request asks: a field in strict mode, or the question itself.',
      next: 'Remove the fields that the message names, turn off strict mode, or choose another model.',
    },
    store_unavailable: { what: 'The database was not available.', next: 'Check the database, then retry.' },
    token_missing: { what: 'The request has no token.', next: 'Set the API key of the client to a Weir token.' },
    token_malformed: { what: 'The API key is not a Weir token.', next: 'Check that the token was pasted completely.' },
    token_unknown: { what: 'Weir did not issue this token.', next: 'Use a token of this instance, or create one.' },
    token_expired: { what: 'The token has expired.', next: 'Extend the token, or create a new one.' },
    token_disabled: { what: 'The token was revoked.', next: 'Create a new token for this client.' },
    address_not_allowed: {
      what: 'The token may not be used from this IP address.',
      next: 'Add the address to the token’s allowed IP ranges.',
    },
    endpoint_not_allowed: {
      what: 'The token may not call this endpoint.',
      next: 'Allow the endpoint in the token’s settings.',
    },
    model_not_allowed: { what: 'The token may not use this model.', next: 'Allow the model in the token’s settings.' },
    model_not_found: {
      what: 'No provider serves this model.',
      next: 'Check the model name, or add a provider or an alias for it.',
    },
    path_not_found: { what: 'Weir has no such endpoint.', next: 'Check the base URL that the client uses.' },
    rate_limited: {
      what: 'The token reached its rate limit.',
      next: 'Retry as the message says, or raise the token’s limit.',
    },
    concurrency_limited: {
      what: 'The token has too many requests in flight.',
      next: 'Retry when one has ended, or raise the token’s limit.',
    },
    internal_error: {
      what: 'Weir failed.',
      next: 'Search the log for the request id, and report what it says.',
    },
    other: { what: 'Weir refused the request.', next: 'Change the request as the message says.' },
  },
};
