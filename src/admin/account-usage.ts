/** Usage as an account sees it: everybody's, or only what their own tokens used. */

import type { AccountRecord } from '../access/account.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { UsageStore } from '../store/store.ts';
import type { PageView, RequestRowView } from './account-contract.ts';
import type { RequestView, UsageGrouping, UsageSumView } from './contract.ts';
import { cursorOf, cursorText } from './page.ts';
import type { Actor } from './sessions.ts';
import { rowView, type UsageAdmin, type UsageFilter } from './usage.ts';

export interface AccountUsageOptions {
  readonly usage: UsageStore;
  readonly admin: UsageAdmin;
  readonly tokenName: (tokenId: string) => Promise<string | undefined>;
  readonly maySee: (actor: Actor, tokenId: string) => Promise<boolean>;
}

export interface AccountUsage {
  sums(actor: Actor, grouping: UsageGrouping, filter: UsageFilter, limit: number): Promise<readonly UsageSumView[]>;
  requests(actor: Actor, query: RequestQuery): Promise<PageView<RequestRowView>>;
  request(actor: Actor, requestId: string): Promise<RequestView>;
}

export interface RequestQuery {
  readonly filter: UsageFilter & { readonly code?: string };
  readonly limit: number;
  readonly after?: string | undefined;
}

const seesOnlyOwn = ({ role }: AccountRecord): boolean => role === 'member';

export function createAccountUsage({ usage, admin, tokenName, maySee }: AccountUsageOptions): AccountUsage {
  const own = <Filter extends UsageFilter>({ account }: Actor, filter: Filter): Filter =>
    seesOnlyOwn(account) ? { ...filter, ownerId: account.id } : filter;

  return {
    sums: (actor, grouping, filter, limit) => admin.sum(grouping, own(actor, filter), limit),
    async requests(actor, { filter, limit, after }) {
      const page = await usage.list(own(actor, filter), { limit, after: cursorOf(after) });
      const ids = [...new Set(page.items.map(({ tokenId }) => tokenId))];
      const names = new Map(await Promise.all(ids.map(async (id) => [id, await tokenName(id)] as const)));
      const items = page.items.map((row): RequestRowView => {
        const name = names.get(row.tokenId);
        return name === undefined ? rowView(row) : { ...rowView(row), tokenName: name };
      });
      return page.next === undefined ? { items } : { items, next: cursorText(page.next) };
    },
    async request(actor, requestId) {
      const found = await admin.show(requestId);
      // Whose a request is that still runs, its attempts do not say.
      const isVisible = found?.row === undefined ? !seesOnlyOwn(actor.account) : await maySee(actor, found.row.tokenId);
      if (found === undefined || !isVisible) throw new GatewayError('not_found', 'There is no such request.');
      return found;
    },
  };
}
