/** How long the end of a provider's side is awaited once its reply is complete, so that the connection can be reused. */

export const letGoMs = 5_000;
