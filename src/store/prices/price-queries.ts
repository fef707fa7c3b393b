/** Prices that requests were charged at, each kept once under a name made of its text. */

import { asText, type Operation, statement, step } from '../sql/statement.ts';

const put = statement(
  'INSERT INTO price_texts (name, price, first_used_at_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
);
const get = statement('SELECT price FROM price_texts WHERE name = $1');

export function* putPrice(name: string, text: string, atMs: number): Operation<null> {
  yield step(put, name, text, atMs);
  return null;
}

export function* getPrice(name: string): Operation<string | null> {
  const row = (yield step(get, name))[0];
  return row === undefined ? null : asText(row[0]);
}
