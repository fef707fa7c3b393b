/** The table `audit_log`: actions in the console, written once, read newest first, never changed. */

import type { AuditRecord } from '../../access/account.ts';
import type { PageRequest } from '../sql/pages.ts';
import { longRead, single } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { type SqlValue, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { json, name, optional, table, text, time } from '../sql/table.ts';
import type { AuditFilter } from './account-store.ts';

export const log = table('audit_log', {
  id: text,
  atMs: time,
  accountId: optional(text),
  accountName: name,
  action: text,
  subject: name,
  detail: json<AuditRecord['detail']>(),
  address: name,
});

const insert = statement(log.insert);
/** Keyed by the text itself: there are only as many as there are sets of filters. */
const byText = statementsBy((sql: string) => sql);

export const addAudit = single(function* (record: AuditRecord): Steps<null> {
  yield step(insert, ...log.values(record));
  return null;
});

export const listAudit = longRead(function* (
  { accountId, action }: AuditFilter,
  { limit, after }: PageRequest,
): Steps<readonly AuditRecord[]> {
  const where: string[] = [];
  const values: SqlValue[] = [limit];
  const place = (value: SqlValue): string => `$${values.push(value)}`;
  if (accountId !== undefined) where.push(`account_id = ${place(accountId)}`);
  if (action !== undefined) where.push(`action = ${place(action)}`);
  if (after !== undefined) where.push(`(at_ms, id) < (${place(after.atMs)}, ${place(after.id)})`);
  const clause = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  const sql = `SELECT ${log.list} FROM audit_log ${clause} ORDER BY at_ms DESC, id DESC LIMIT $1`;
  return (yield { statement: byText(sql), values }).map((row) => log.read(row));
});

export const expireAudit = removal('audit_log', 'id', 'at_ms', '<');
