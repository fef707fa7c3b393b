/** The audit log: records who did what in the console, and lists it. */

import type { AuditRecord } from '../../access/account.ts';
import type { AuditStore } from '../../store/accounts/account-store.ts';
import { type AuditAction, type AuditView, auditLifetimeMs, type PageView } from '../contracts/account-contract.ts';
import { cursorOf, cursorText } from '../page.ts';
import type { Actor, Client } from './sessions.ts';

export interface AuditEntry {
  readonly action: AuditAction;
  readonly subject: string;
  /** Only what the writer names: never a password, a token or a cookie. */
  readonly detail?: AuditRecord['detail'];
}

/** A signed-in account, or the name under which an action was attempted. */
type Doer = Actor | { readonly accountName: string; readonly accountId?: string; readonly client: Client };

export interface Audit {
  write(doer: Doer, entry: AuditEntry): Promise<void>;
  list(query: AuditQuery): Promise<PageView<AuditView>>;
  /** Removes what is too old. */
  tidy(): Promise<void>;
}

interface AuditQuery {
  readonly accountId?: string | undefined;
  readonly action?: string | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
}

export function createAudit({ table, nowMs }: { readonly table: AuditStore; readonly nowMs: () => number }): Audit {
  return {
    async write(doer, { action, subject, detail = {} }) {
      const who = 'account' in doer ? actorName(doer) : nameOf(doer);
      const by = 'account' in doer && doer.key !== undefined ? { key: doer.key.id, keyOf: doer.account.name } : {};
      const id = `aud_${Bun.randomUUIDv7('hex').replaceAll('-', '')}`;
      await table.add({
        id,
        atMs: nowMs(),
        ...who,
        action,
        subject,
        detail: { ...detail, ...by },
        address: doer.client.address,
      });
    },
    async list({ accountId, action, limit, after }) {
      const page = await table.list({ accountId, action }, { limit, after: cursorOf(after) });
      const items = page.items.map(view);
      return page.next === undefined ? { items } : { items, next: cursorText(page.next) };
    },
    tidy: () => table.expire(nowMs() - auditLifetimeMs),
  };
}

/** An admin key is named instead of its creator, whose id is recorded with it. */
const actorName = ({ account, key }: Actor): Pick<AuditRecord, 'accountId' | 'accountName'> => ({
  accountId: account.id,
  accountName: key === undefined ? account.name : `key:${key.name}`,
});

function nameOf({ accountId, accountName }: Extract<Doer, { accountName: string }>) {
  return accountId === undefined ? { accountName } : { accountId, accountName };
}

function view({ atMs, action, ...rest }: AuditRecord): AuditView {
  // Only values that Weir wrote itself are in the field.
  return { ...rest, at: new Date(atMs).toISOString(), action: action as AuditAction };
}
