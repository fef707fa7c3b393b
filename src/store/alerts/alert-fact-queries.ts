/** What alerts are about and no other query reads: people and tokens with budgets, and tokens that expire. */

import { longRead } from '../sql/query.ts';
import { asText, type Steps, statement, step } from '../sql/statement.ts';
import { type TokenRow, tokens } from '../tokens/token-queries.ts';

/** Terms are JSON that only Weir writes, and one without budgets does not have the word. */
const people = statement(
  `SELECT id, name, terms FROM accounts WHERE disabled_at_ms IS NULL AND terms LIKE '%"budgets"%' ORDER BY id LIMIT $1`,
);
const withExpiry = statement(
  `SELECT ${tokens.list} FROM tokens
   WHERE revoked_at_ms IS NULL AND terms LIKE '%"expiresAtMs":%' AND id > $1 ORDER BY id LIMIT $2`,
);

/** Those with terms for end users have the word too. */
const withBudgets = statement(
  `SELECT ${tokens.list} FROM tokens
   WHERE revoked_at_ms IS NULL AND terms LIKE '%"budgets":%' AND id > $1 ORDER BY id LIMIT $2`,
);

export const tokensWithBudgets = longRead(function* (afterId: string, limit: number): Steps<readonly TokenRow[]> {
  return (yield step(withBudgets, afterId, limit)).map((row) => tokens.read(row));
});

export const peopleWithBudgets = longRead(function* (
  limit: number,
): Steps<readonly (readonly [id: string, name: string, terms: string])[]> {
  return (yield step(people, limit)).map((row) => [asText(row[0]), asText(row[1]), asText(row[2])] as const);
});

export const tokensWithExpiry = longRead(function* (afterId: string, limit: number): Steps<readonly TokenRow[]> {
  return (yield step(withExpiry, afterId, limit)).map((row) => tokens.read(row));
});
