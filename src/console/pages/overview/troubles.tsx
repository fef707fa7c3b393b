/** What needs a look now: providers and keys that are left alone, budgets that are nearly spent, and what failed. */

import type { HealthView } from '../../../admin/contracts/account-contract.ts';
import type { BudgetAlarmView, OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import type { HealthStateName } from '../../../admin/contracts/contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Badge } from '../../components/badge.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Progress } from '../../components/progress.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Link } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { moneyText } from '../../texts/money.ts';
import { durationText } from '../../texts/time.ts';
import { nanoOfUsd } from '../../texts/usd.ts';
import type { UsageQuestion } from '../../usage/question.ts';
import type { Words } from '../../words/en.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { Card } from './card.tsx';
import { Ranking } from './rankings.tsx';

const healthEveryMs = 5_000;
const budgetsEveryMs = 30_000;
const minuteMs = 60_000;

export function Troubles(props: { readonly overview: OverviewView | undefined; readonly question: UsageQuestion }) {
  const words = useWords().overview;
  const session = useSession();
  const seesHealth = session.may('GET /console/api/health');
  return (
    <div className={`grid min-w-0 items-start gap-4 ${seesHealth ? 'lg:grid-cols-3' : 'lg:grid-cols-2'}`}>
      {seesHealth && <Unhealthy />}
      <Budgets />
      <Ranking
        title={words.byCode}
        kind="code"
        groups={props.overview?.codes}
        question={props.question}
        empty={words.nothingFailed}
      />
    </div>
  );
}

function Unhealthy() {
  const words = useWords().overview;
  const { data, error } = useAsk<HealthView>('/console/api/health', { everyMs: healthEveryMs });
  const ill = data === undefined ? undefined : unhealthyOf(data, words.keyOf);
  return (
    <Card title={words.unhealthy}>
      {error !== null ? (
        <div className="px-4 pb-4">
          <ErrorNotice error={error} />
        </div>
      ) : ill === undefined ? (
        <Skeleton className="mx-4 mb-4 h-5" />
      ) : ill.length === 0 ? (
        <Good text={words.allHealthy} />
      ) : (
        <ul className="grid grid-cols-1 px-4 pb-3">
          {ill.map((one) => (
            <IllLine key={one.name} {...one} />
          ))}
        </ul>
      )}
    </Card>
  );
}

interface Ill {
  readonly name: string;
  readonly provider: string;
  readonly state: HealthStateName;
  readonly readyInMs: number | undefined;
}

function unhealthyOf({ targets, keys }: HealthView, keyOf: (provider: string, key: string) => string): readonly Ill[] {
  const all = [
    ...targets.map(({ provider, model, state, readyInMs }) => ({
      name: `${provider} / ${model}`,
      provider,
      state,
      readyInMs,
    })),
    ...keys.map(({ provider, keyId, state, readyInMs, models }) => ({
      name: [keyOf(provider, keyId), ...(models ?? [])].join(' · '),
      provider,
      state,
      readyInMs,
    })),
  ];
  return all.filter(({ state }) => state !== 'ready');
}

function IllLine({ name, provider, state, readyInMs }: Ill) {
  const { words, tag } = useSpeech();
  const own = words.overview;
  return (
    <li className="flex min-h-9 min-w-0 items-baseline gap-3 py-1.5 text-sm">
      <Badge tone={state === 'open' ? 'bad' : 'warn'} dot>
        {own.states[state]}
      </Badge>
      <span className="grid min-w-0 grow gap-0.5">
        <Link
          to={`/console/providers?${new URLSearchParams({ provider })}`}
          className="break-words underline-offset-2 hover:underline"
        >
          {name}
        </Link>
        {readyInMs !== undefined && (
          <span className="text-xs text-quiet">{own.againIn(waitText(readyInMs, tag, words.units))}</span>
        )}
      </span>
    </li>
  );
}

/** Whole seconds: it counts down while one looks. */
function waitText(ms: number, tag: string, units: Words['units']): string {
  return ms < minuteMs ? `${Math.ceil(ms / 1_000)} ${units.s}` : durationText(ms, tag, units);
}

function Budgets() {
  const { words, tag } = useSpeech();
  const own = words.overview;
  const { data, error } = useAsk<{ readonly items: readonly BudgetAlarmView[] }>('/console/api/usage/budgets', {
    everyMs: budgetsEveryMs,
  });
  const periods = own.periods as Readonly<Record<string, string | undefined>>;
  const money = (usd: string) => moneyText(nanoOfUsd(usd), tag);
  return (
    <Card title={own.budgets}>
      {error !== null ? (
        <div className="px-4 pb-4">
          <ErrorNotice error={error} />
        </div>
      ) : data === undefined ? (
        <Skeleton className="mx-4 mb-4 h-5" />
      ) : data.items.length === 0 ? (
        <Good text={own.noBudgets} />
      ) : (
        <ul className="grid gap-1 px-2 pb-3">
          {data.items.map((alarm) => (
            <li key={alarm.tokenId}>
              <Link
                to={`/console/tokens?${new URLSearchParams({ token: alarm.tokenId })}`}
                className="block rounded-sm px-2 py-1.5 hover:bg-sunken"
              >
                <Progress
                  label={alarm.tokenName}
                  share={alarm.share}
                  text={own.budgetText(
                    money(alarm.spentUsd),
                    money(alarm.limitUsd),
                    periods[alarm.period] ?? alarm.period,
                  )}
                />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Good({ text }: { readonly text: string }) {
  return (
    <p className="flex items-center gap-2 px-4 pb-4 text-sm text-quiet">
      <Icon name="check" className="text-ok" />
      {text}
    </p>
  );
}
