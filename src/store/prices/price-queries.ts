/** Prices that requests were charged at, each kept once under a name made of its text. */

import { read, single } from '../sql/query.ts';
import { asText, type Steps, statement, step } from '../sql/statement.ts';

const put = statement(
  'INSERT INTO price_texts (name, price, first_used_at_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
);
const get = statement('SELECT price FROM price_texts WHERE name = $1');

export const putPrice = single(function* (name: string, text: string, atMs: number): Steps<null> {
  yield step(put, name, text, atMs);
  return null;
});

export const getPrice = read(function* (name: string): Steps<string | null> {
  const row = (yield step(get, name))[0];
  return row === undefined ? null : asText(row[0]);
});
