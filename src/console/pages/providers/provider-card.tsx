/** A provider at one glance: its name and state, how its targets and keys are doing, how quick and how busy it is. */

import type { ReactNode } from 'react';
import type { ConfiguredProviderView } from '../../../admin/contracts/configuration-contract.ts';
import { Count, Duration } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { HealthBadge, HealthSum } from '../../health/health-badge.tsx';
import { ErrorRate, LastError, Speed } from '../../health/health-figures.tsx';
import { withQuery } from '../../router/navigation.ts';
import { Link, useAddress } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { addressOf } from './find-providers.ts';
import { OriginBadge } from './origin-badge.tsx';
import { ProviderSpark } from './provider-spark.tsx';

/** What is wrong with it, and beside it what an operator did: a provider that takes no new requests. */
export function ProviderBadges({ provider }: { readonly provider: ConfiguredProviderView }) {
  const words = useWords().providers;
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      {(provider.state === 'draining' || provider.state === 'paused') && (
        <Badge tone="warn" dot>
          {words.states[provider.state]}
        </Badge>
      )}
      <HealthBadge state={provider.health.state} />
    </span>
  );
}

interface ProviderCardProps {
  readonly provider: ConfiguredProviderView;
  readonly open: boolean;
}

export function ProviderCard({ provider, open }: ProviderCardProps) {
  const words = useWords().providers;
  const address = useAddress();
  return (
    <li
      className={
        'relative grid min-w-0 content-start gap-3 rounded-md border bg-raised p-4 transition-colors duration-[120ms] ' +
        `hover:border-line-strong focus-within:border-line-strong ${open ? 'border-accent' : 'border-line'}`
      }
    >
      <div className="flex min-w-0 items-start justify-between gap-3">
        <div className="grid min-w-0 gap-0.5">
          {/* The link's ground is the whole card; what a screen reader hears is its name. */}
          <Link
            to={withQuery(address, { provider: addressOf(provider) })}
            data-card
            aria-current={open ? 'true' : undefined}
            className="truncate font-semibold after:absolute after:inset-0 after:rounded-md focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent"
          >
            {provider.name}
          </Link>
          <p className="truncate text-xs text-quiet" title={provider.baseUrl}>
            {provider.kind} <span aria-hidden="true">·</span> {bareAddress(provider.baseUrl)}
          </p>
        </div>
        <ProviderBadges provider={provider} />
      </div>
      <CardFacts provider={provider} />
      {provider.health.lastError !== undefined && isWorthShowing(provider) && (
        <LastError error={provider.health.lastError} about="both" short />
      )}
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <OriginBadge {...provider} />
        {provider.free && <Badge>{words.free}</Badge>}
        {provider.problem !== undefined && (
          <Badge tone="warn">
            <Icon name="warn" className="size-3" />
            {words.problem}
          </Badge>
        )}
        <span className="grow" />
        <ProviderSpark health={provider.health} />
      </div>
    </li>
  );
}

/** An error of long ago is in the panel. */
function isWorthShowing({ health }: ConfiguredProviderView): boolean {
  return health.failed > 0 || (health.state !== 'healthy' && health.state !== 'no-data' && health.state !== 'disabled');
}

function CardFacts({ provider }: { readonly provider: ConfiguredProviderView }) {
  const words = useWords();
  const { health } = provider;
  return (
    <dl className="grid grid-cols-3 gap-x-4 gap-y-3 text-sm">
      <CardFact name={words.health.errorRate}>
        <ErrorRate figures={health} />
      </CardFact>
      <CardFact name={words.health.firstTokens}>
        <Duration ms={health.firstTokenMs?.p50} />
        {health.firstTokenMs !== undefined && <span className="text-xs text-quiet"> {words.overview.p50}</span>}
      </CardFact>
      <CardFact name={words.health.speed}>
        <Speed figures={health} />
      </CardFact>
      <CardFact name={words.providers.keys}>
        <HealthSum states={provider.keys.map(({ state }) => state)} none={words.providers.noKeys} />
      </CardFact>
      <CardFact name={words.providers.models}>
        {provider.models === undefined ? (
          <span className="text-quiet">{words.providers.modelsUnknown}</span>
        ) : (
          <Count value={provider.models.length} />
        )}
      </CardFact>
      <CardFact name={words.providers.inFlight}>
        <Count value={health.inFlight} />
      </CardFact>
    </dl>
  );
}

function CardFact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid min-w-0 gap-0.5">
      <dt className="text-xs text-quiet">{name}</dt>
      <dd className="truncate">{children}</dd>
    </div>
  );
}

function bareAddress(baseUrl: string): string {
  return baseUrl.replace(/^https?:\/\//, '');
}

/** In the shape of a card, while the list is on its way. */
export function WaitingCard() {
  return (
    <li className="grid h-[204px] content-start gap-4 rounded-md border border-line bg-raised p-4">
      <Skeleton className="h-4 w-2/5" />
      <Skeleton className="h-3 w-3/5" />
      <Skeleton className="mt-2 h-8 w-11/12" />
      <Skeleton className="h-8 w-3/5" />
    </li>
  );
}
