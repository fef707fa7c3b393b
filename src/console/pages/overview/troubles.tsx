/** What needs a look now: keys and targets that are not healthy, budgets that are nearly spent, and what failed. */

import type { BudgetAlarmView, OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import type {
  HealthStateName,
  HealthView,
  KeyHealthView,
  TargetHealthView,
} from '../../../admin/contracts/health-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Progress } from '../../components/progress.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { HealthBadge, worstFirst } from '../../health/health-badge.tsx';
import { ErrorRate, LastError } from '../../health/health-figures.tsx';
import { Link } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { moneyText } from '../../texts/money.ts';
import { nanoOfUsd } from '../../texts/usd.ts';
import type { UsageQuestion } from '../../usage/question.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { AlarmFigures } from './alarm-figures.tsx';
import { Card } from './card.tsx';
import { Ranking } from './rankings.tsx';

const healthEveryMs = 5_000;
const budgetsEveryMs = 30_000;

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
  const allWords = useWords();
  const words = allWords.overview;
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
        <Good text={allWords.health.allHealthy} />
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
  readonly health: KeyHealthView | TargetHealthView;
}

/** The keys first: a rejected key explains the state of its targets, which then need no line of their own. */
function unhealthyOf({ targets, keys }: HealthView, keyOf: (provider: string, key: string) => string): readonly Ill[] {
  const ofKeys = keys.filter(isIll).map((health) => ({
    name: [keyOf(health.provider, health.keyId), ...(health.models ?? [])].join(' · '),
    provider: health.provider,
    health,
  }));
  const ofTargets = targets
    .filter((target) => isIll(target) && !ofKeys.some(({ health }) => says(health, target)))
    .map((health) => ({ name: `${health.provider} / ${health.model}`, provider: health.provider, health }));
  // Of a provider with one model and one key, both say the same of the same attempts.
  const shown = ofKeys.filter(({ health }) => health.state !== 'degraded' || !ofTargets.some(isOfSame(health)));
  return [...shown, ...ofTargets].sort((one, other) => worstFirst(one.health.state, other.health.state));
}

const says = (key: KeyHealthView, { provider, state }: TargetHealthView): boolean =>
  key.provider === provider && key.state === 'key-rejected' && state === 'key-rejected';

const isOfSame =
  ({ provider }: KeyHealthView) =>
  (target: Ill): boolean =>
    target.provider === provider;

const fine: ReadonlySet<HealthStateName> = new Set(['healthy', 'no-data', 'disabled']);
const isIll = ({ state }: { readonly state: HealthStateName }): boolean => !fine.has(state);

function IllLine({ name, provider, health }: Ill) {
  const words = useWords().health;
  return (
    <li className="grid min-w-0 gap-1 border-t border-line py-2 text-sm first:border-t-0">
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
        <HealthBadge state={health.state} readyInMs={health.readyInMs} />
        <Link
          to={`/console/providers?${new URLSearchParams({ provider })}`}
          className="min-w-0 break-words underline-offset-2 hover:underline"
        >
          {name}
        </Link>
        {health.attempts > 0 && (
          <span className="text-xs text-quiet">
            {words.errorRate} <ErrorRate figures={health} />
          </span>
        )}
      </span>
      {health.lastError !== undefined && <LastError error={health.lastError} short />}
    </li>
  );
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
                <AlarmFigures alarm={alarm} />
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
