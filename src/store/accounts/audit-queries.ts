/** The log of what people did in the console: written once, read newest first, never changed. */

import { longRead, single } from '../sql/query.ts';
import {
  asNumber,
  asText,
  asTextOrNull,
  type Row,
  type SqlValue,
  type Steps,
  statement,
  statementsBy,
  step,
} from '../sql/statement.ts';

export type AuditCells = readonly [
  id: string,
  atMs: number,
  accountId: string | null,
  accountName: string,
  action: string,
  subject: string,
  detail: string,
  address: string,
];

const columns = 'id, at_ms, account_id, account_name, action, subject, detail, address';
const insert = statement(`INSERT INTO audit_log (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`);
const expire = statement(
  `DELETE FROM audit_log WHERE id IN
     (SELECT id FROM audit_log WHERE at_ms < $1 ORDER BY at_ms, id LIMIT $2) RETURNING id`,
);
/** Keyed by the text itself: there are only as many as there are sets of filters. */
const byText = statementsBy((sql: string) => sql);

export const addAudit = single(function* (...cells: AuditCells): Steps<null> {
  yield step(insert, ...cells);
  return null;
});

export const listAudit = longRead(function* (
  accountId: string | null,
  action: string | null,
  limit: number,
  beforeMs: number | null,
  beforeId: string | null,
): Steps<readonly AuditCells[]> {
  const where: string[] = [];
  const values: SqlValue[] = [limit];
  const place = (value: SqlValue): string => `$${values.push(value)}`;
  if (accountId !== null) where.push(`account_id = ${place(accountId)}`);
  if (action !== null) where.push(`action = ${place(action)}`);
  if (beforeMs !== null) where.push(`(at_ms, id) < (${place(beforeMs)}, ${place(beforeId)})`);
  const clause = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  const sql = `SELECT ${columns} FROM audit_log ${clause} ORDER BY at_ms DESC, id DESC LIMIT $1`;
  return (yield { statement: byText(sql), values }).map(cellsOf);
});

function cellsOf([id, atMs, accountId, ...texts]: Row): AuditCells {
  const [accountName, action, subject, detail, address] = texts.map(asText);
  return [
    asText(id),
    asNumber(atMs),
    asTextOrNull(accountId),
    accountName ?? '',
    action ?? '',
    subject ?? '',
    detail ?? '',
    address ?? '',
  ];
}

/** How many were removed. */
export const expireAudit = single(function* (beforeMs: number, most: number): Steps<number> {
  return (yield step(expire, beforeMs, most)).length;
});
