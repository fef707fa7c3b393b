/** A provider at one glance: its name and state, how its targets and keys are doing, how quick and how busy it is. */

import type { ReactNode } from 'react';
import type { ConfiguredProviderView } from '../../../admin/contracts/configuration-contract.ts';
import type { TargetHealthView } from '../../../admin/contracts/contract.ts';
import { Count, Duration } from '../../components/amounts.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { withQuery } from '../../router/navigation.ts';
import { Link, useAddress } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { HealthSumMark } from './health-mark.tsx';
import { OriginBadge } from './origin-badge.tsx';
import { addressOf, healthSum, targetStates } from './provider-health.ts';
import { ProviderSpark } from './provider-spark.tsx';

const stateTones: Readonly<Record<ConfiguredProviderView['state'], Tone>> = {
  serving: 'ok',
  draining: 'warn',
  paused: 'warn',
  disabled: 'plain',
};

export function StateBadge({ state }: { readonly state: ConfiguredProviderView['state'] }) {
  return (
    <Badge tone={stateTones[state]} dot>
      {useWords().providers.states[state]}
    </Badge>
  );
}

interface ProviderCardProps {
  readonly provider: ConfiguredProviderView;
  readonly targets: readonly TargetHealthView[];
  readonly open: boolean;
}

export function ProviderCard({ provider, targets, open }: ProviderCardProps) {
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
        <StateBadge state={provider.state} />
      </div>
      <CardFacts provider={provider} targets={targets} />
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
        <ProviderSpark name={provider.name} />
      </div>
    </li>
  );
}

function CardFacts({ provider, targets }: Omit<ProviderCardProps, 'open'>) {
  const words = useWords().providers;
  return (
    <dl className="grid grid-cols-3 gap-x-4 gap-y-3 text-sm xl:grid-cols-[1.5fr_1.5fr_1fr_1fr_0.8fr]">
      <CardFact name={words.targets}>
        <HealthSumMark sum={healthSum(targetStates(provider.name, targets))} none={words.targetsUnused} />
      </CardFact>
      <CardFact name={words.keys}>
        <HealthSumMark sum={healthSum(provider.keys.map(({ state }) => state))} none={words.noKeys} />
      </CardFact>
      <CardFact name={words.models}>
        {provider.models === undefined ? (
          <span className="text-quiet">{words.modelsUnknown}</span>
        ) : (
          <Count value={provider.models.length} />
        )}
      </CardFact>
      <CardFact name={words.firstEvent}>
        <Duration ms={provider.firstEventMs} />
      </CardFact>
      <CardFact name={words.inFlight}>
        <Count value={provider.inFlight} />
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
    <li className="grid h-[204px] xl:h-[153px] content-start gap-4 rounded-md border border-line bg-raised p-4">
      <Skeleton className="h-4 w-2/5" />
      <Skeleton className="h-3 w-3/5" />
      <Skeleton className="mt-2 h-8 w-11/12" />
      <Skeleton className="h-8 w-3/5" />
    </li>
  );
}
