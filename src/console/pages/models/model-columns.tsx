/** What the table says of each model, and how. */

import { useMemo } from 'react';
import { Duration, Money } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { HealthBadge, HealthSum, severity } from '../../health/health-badge.tsx';
import { ErrorRate } from '../../health/health-figures.tsx';
import { shortCountText } from '../../texts/number.ts';
import type { Words } from '../../words/en.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { EndingBadge } from './ending-badge.tsx';
import { type ModelRow, nanoPerMillion } from './model-rows.ts';

/** In the person's words where there are some. */
export function useOperationText(): (name: string) => string {
  const texts: Readonly<Record<string, string>> = useWords().models.operations;
  return (name) => texts[name] ?? name;
}

export function useModelColumns(): readonly Column<ModelRow>[] {
  const { words: all, tag } = useSpeech();
  return useMemo(() => {
    const words = all.models;
    const heads = words.columns;
    return [
      { id: 'name', head: heads.name, minPx: 180, sortBy: ({ id }) => id, cell: (row) => <Name row={row} /> },
      {
        id: 'kind',
        head: heads.kind,
        widthPx: 104,
        drop: 3,
        sortBy: ({ kind }) => kind,
        cell: ({ kind }) => (
          <Badge tone={kind === 'own' ? 'plain' : 'accent'}>
            {{ alias: words.alias, pattern: words.pattern, own: words.own }[kind]}
          </Badge>
        ),
      },
      {
        id: 'providers',
        head: heads.providers,
        minPx: 120,
        drop: 1,
        sortBy: ({ providers }) => providers[0],
        cell: ({ providers }) => <Several items={providers} />,
      },
      {
        id: 'operations',
        head: heads.operations,
        minPx: 130,
        drop: 5,
        cell: ({ operations }) => <Operations names={operations} />,
      },
      {
        id: 'context',
        head: heads.context,
        align: 'end',
        widthPx: 88,
        drop: 4,
        sortBy: ({ contextTokens }) => contextTokens,
        cell: ({ contextTokens }) => (
          <span className="font-mono text-xs tabular-nums">
            {contextTokens === undefined ? all.parts.none : shortCountText(contextTokens, tag)}
          </span>
        ),
      },
      ...priceColumns(all),
      ...healthColumns(all),
    ];
  }, [all, tag]);
}

/** The same state and figures as on the page of its providers. */
function healthColumns(all: Words): readonly Column<ModelRow>[] {
  return [
    {
      id: 'first-token',
      head: <span title={all.health.lastHour}>{all.health.firstToken}</span>,
      name: all.health.firstToken,
      align: 'end',
      widthPx: 124,
      drop: 4,
      sortBy: ({ health }) => health?.firstTokenMs?.p50,
      cell: ({ health }) => <Duration ms={health?.firstTokenMs?.p50} />,
    },
    {
      id: 'health',
      head: all.models.columns.health,
      widthPx: 206,
      sortBy: ({ health }) => (health === undefined ? undefined : severity(health.state)),
      greatestFirst: true,
      cell: (row) => <Health row={row} />,
    },
  ];
}

/** The worst of its targets, of several how many are in that state, and how many attempts at all of them failed. */
function Health({ row }: { readonly row: ModelRow }) {
  const words = useWords();
  const { states, health, isServed } = row;
  if (health === undefined)
    return <span className="text-quiet">{isServed ? words.parts.none : words.models.notServed}</span>;
  return (
    <span className="relative inline-flex items-center gap-2">
      {states.length > 1 ? <HealthSum states={states} none="" /> : <HealthBadge state={health.state} />}
      {health.errorRate !== undefined && (
        <span title={words.health.errorRate} className="text-xs text-quiet">
          <span className="sr-only">{words.health.errorRate} </span>
          <ErrorRate figures={health} />
        </span>
      )}
    </span>
  );
}

function priceColumns(all: Words): readonly Column<ModelRow>[] {
  const words = all.models;
  const heads = words.columns;
  return [
    {
      id: 'input',
      head: <span title={words.perMillion}>{heads.input}</span>,
      name: heads.input,
      align: 'end',
      widthPx: 96,
      sortBy: ({ pricing }) => priceNano(pricing?.prompt),
      cell: ({ pricing }) => <Price pricing={pricing} usdPerToken={pricing?.prompt} />,
    },
    {
      id: 'output',
      head: <span title={words.perMillion}>{heads.output}</span>,
      name: heads.output,
      align: 'end',
      widthPx: 96,
      sortBy: ({ pricing }) => priceNano(pricing?.completion),
      cell: ({ pricing }) => <Price pricing={pricing} usdPerToken={pricing?.completion} />,
    },
    {
      id: 'source',
      head: heads.source,
      widthPx: 112,
      drop: 2,
      sortBy: ({ priceSource }) => priceSource,
      cell: ({ priceSource, pricing }) =>
        priceSource === undefined ? (
          all.parts.none
        ) : (
          <span title={pricing?.version}>
            <PriceSource source={priceSource} />
          </span>
        ),
    },
  ];
}

function priceNano(usdPerToken: string | undefined): bigint | undefined {
  const nano = usdPerToken === undefined ? undefined : nanoPerMillion(usdPerToken);
  return nano === undefined ? undefined : BigInt(nano);
}

/** A model on a phone. */
export function useNarrowModel(): (row: ModelRow) => NarrowRow {
  return (row) => ({
    title: <Name row={row} />,
    titleEnd: <Health row={row} />,
    detail: <Several items={row.providers} />,
    detailEnd: (
      <>
        <Price pricing={row.pricing} usdPerToken={row.pricing?.prompt} /> /{' '}
        <Price pricing={row.pricing} usdPerToken={row.pricing?.completion} />
      </>
    ),
  });
}

interface PriceProps {
  readonly pricing: ModelRow['pricing'];
  readonly usdPerToken: string | undefined;
}

function Price({ pricing, usdPerToken }: PriceProps) {
  if (pricing?.source === 'unknown') return <Money nano={null} />;
  return <Money nano={usdPerToken === undefined ? undefined : nanoPerMillion(usdPerToken)} />;
}

/** A badge where the operator should look: everything else is as it should be. */
function PriceSource({ source }: { readonly source: NonNullable<ModelRow['priceSource']> }) {
  const words = useWords().models.price.sources;
  const isDoubtful = source === 'guess' || source === 'unknown';
  return isDoubtful ? <Badge tone="warn">{words[source]}</Badge> : <span className="text-quiet">{words[source]}</span>;
}

function Name({ row }: { readonly row: ModelRow }) {
  if (row.shutdownAt === undefined && row.deprecatedAt === undefined) return <code>{row.id}</code>;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <code className="truncate">{row.id}</code>
      <EndingBadge {...row} />
    </span>
  );
}

const shownMax = 2;

function Several({ items }: { readonly items: readonly string[] }) {
  const words = useWords();
  if (items.length === 0) return words.parts.none;
  const rest = items.length - shownMax;
  return (
    <span title={items.join(', ')}>
      {items.slice(0, shownMax).join(', ')}
      {rest > 0 && <span className="text-quiet"> {words.models.moreOf(rest)}</span>}
    </span>
  );
}

function Operations({ names }: { readonly names: readonly string[] }) {
  const operationText = useOperationText();
  return (
    <span className="text-quiet">
      <Several items={names.map(operationText)} />
    </span>
  );
}
