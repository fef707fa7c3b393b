/** Usage as an account sees it: that of all tokens, or that of its own and of teams whose admin or viewer it is. */

import { nanoFromUsd } from '../../ledger/money.ts';
import type { AnalyticsFilter, Direction, Range, TopBy } from '../../store/analytics/analytics-store.ts';
import { type Actor, narrowedTo } from '../accounts/sessions.ts';
import {
  analyticsBounds,
  type BreakdownOrder,
  type BreakdownView,
  type BucketName,
  type BudgetAlarmView,
  type CountView,
  type Dimension,
  type ExportForm,
  type OverviewView,
  type RequestDetailView,
  type RequestsView,
  type SumColumn,
} from '../contracts/analytics-contract.ts';
import type { AnalyticsAdmin } from './analytics.ts';
import type { BudgetAlarms } from './budget-alarms.ts';
import { type CountedRefusals, requestNotFound } from './missing-request.ts';
import type { RequestDetails } from './request-detail.ts';

export interface AccountUsageOptions extends CountedRefusals {
  readonly analytics: AnalyticsAdmin;
  readonly requestDetails: RequestDetails;
  readonly budgetAlarms: BudgetAlarms;
  readonly maySee: (actor: Actor, tokenId: string) => Promise<boolean>;
  readonly nowMs: () => number;
}

/** A range without ends is the last day in an overview or a breakdown, and everything elsewhere. */
export interface UsageQuestion {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly filter: AnalyticsFilter;
}

/** Dollars as people write them; undefined for anything else. */
export const costNanoFrom = (usd: string): bigint | undefined => nanoFromUsd(usd);

export interface PageQuestion extends UsageQuestion {
  readonly limit: number;
  readonly direction?: Direction | undefined;
  readonly cursor?: string | undefined;
  readonly top?: TopBy | undefined;
}

export interface OverviewQuestion extends UsageQuestion {
  /** By the range's length where absent. */
  readonly bucket?: BucketName | undefined;
}

export interface AccountBreakdownQuestion extends OverviewQuestion {
  readonly by: Dimension;
  readonly order: BreakdownOrder;
  readonly limit: number;
}

export interface AccountUsage {
  overview(actor: Actor, question: OverviewQuestion): Promise<OverviewView>;
  breakdown(actor: Actor, question: AccountBreakdownQuestion): Promise<BreakdownView>;
  requests(actor: Actor, question: PageQuestion): Promise<RequestsView>;
  count(actor: Actor, question: UsageQuestion): Promise<CountView>;
  /** A file in pieces. */
  exportText(actor: Actor, question: UsageQuestion, form: ExportForm): AsyncIterable<string>;
  exportSums(actor: Actor, question: UsageQuestion, by: readonly SumColumn[], form: ExportForm): AsyncIterable<string>;
  request(actor: Actor, requestId: string): Promise<RequestDetailView>;
  budgets(actor: Actor): Promise<readonly BudgetAlarmView[]>;
}

const dayMs = 24 * 60 * 60 * 1_000;
/** Another replica's clock may be ahead: its newest rows belong to the list all the same. */
const aheadMs = 60 * 1_000;

export function createAccountUsage(options: AccountUsageOptions): AccountUsage {
  const { analytics, requestDetails, budgetAlarms, maySee, nowMs } = options;

  const own = (actor: Actor, filter: AnalyticsFilter): AnalyticsFilter => ({ ...filter, seenBy: narrowedTo(actor) });

  const lastDay = ({ fromMs, toMs = nowMs() }: UsageQuestion): Range => ({ fromMs: fromMs ?? toMs - dayMs, toMs });

  const ever = ({ fromMs, toMs = nowMs() + aheadMs }: UsageQuestion): Range => ({
    fromMs: fromMs ?? Math.max(0, toMs - analyticsBounds.rangeDaysMax * dayMs),
    toMs,
  });

  return {
    overview: (actor, question) => analytics.overview(lastDay(question), own(actor, question.filter), question.bucket),
    breakdown: (actor, { by, order, limit, bucket, ...question }) =>
      analytics.breakdown({
        ...{ by, order, limit, bucket },
        range: lastDay(question),
        filter: own(actor, question.filter),
      }),
    requests: (actor, { limit, direction, cursor, top, ...question }) =>
      analytics.requests({
        range: ever(question),
        filter: own(actor, question.filter),
        limit,
        direction,
        cursor,
        top,
      }),
    count: (actor, question) => analytics.count(ever(question), own(actor, question.filter)),
    exportText: (actor, question, form) => analytics.exportText(ever(question), own(actor, question.filter), form),
    exportSums: (actor, question, by, form) =>
      analytics.exportSums({ by, form, range: ever(question), filter: own(actor, question.filter) }),
    async request(actor, requestId) {
      const found = await requestDetails(requestId);
      if (found === undefined || !(await maySee(actor, found.tokenId))) {
        throw await requestNotFound(options, requestId, narrowedTo(actor));
      }
      return narrowedTo(actor) === undefined ? found.detail : withoutAccountWords(found.detail);
    },
    budgets: (actor) => budgetAlarms(narrowedTo(actor)),
  };
}

/** Verdicts on the operator's key and account. A provider's message about them may name the account. */
const accountVerdicts: ReadonlySet<string | undefined> = new Set(['key-dead', 'key-refused']);

/** As a member sees it, who is sent no such message by the API either. */
function withoutAccountWords(detail: RequestDetailView): RequestDetailView {
  const message = 'The provider refused the key. Its message is shown to operators.';
  const attempts = detail.attempts.map((attempt) =>
    attempt.error !== undefined && accountVerdicts.has(attempt.verdict)
      ? { ...attempt, error: { ...attempt.error, message } }
      : attempt,
  );
  return { ...detail, attempts };
}
