/** What the table says of each model, and how. */

import { useMemo } from 'react';
import { Duration, Money } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import { HealthBadge, HealthSum } from '../../health/health-badge.tsx';
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
      { id: 'name', head: heads.name, cell: (row) => <Name row={row} /> },
      {
        id: 'kind',
        head: heads.kind,
        widthPx: 112,
        cell: ({ kind }) => (
          <Badge tone={kind === 'own' ? 'plain' : 'accent'}>
            {{ alias: words.alias, pattern: words.pattern, own: words.own }[kind]}
          </Badge>
        ),
      },
      { id: 'providers', head: heads.providers, cell: ({ providers }) => <Several items={providers} /> },
      { id: 'operations', head: heads.operations, cell: ({ operations }) => <Operations names={operations} /> },
      ...healthColumns(all),
      {
        id: 'context',
        head: heads.context,
        align: 'end',
        widthPx: 72,
        cell: ({ contextTokens }) => (
          <span className="font-mono text-xs tabular-nums">
            {contextTokens === undefined ? all.parts.none : shortCountText(contextTokens, tag)}
          </span>
        ),
      },
      {
        id: 'input',
        head: <span title={words.perMillion}>{heads.input}</span>,
        align: 'end',
        widthPx: 80,
        cell: ({ pricing }) => <Price pricing={pricing} usdPerToken={pricing?.prompt} />,
      },
      {
        id: 'output',
        head: <span title={words.perMillion}>{heads.output}</span>,
        align: 'end',
        widthPx: 80,
        cell: ({ pricing }) => <Price pricing={pricing} usdPerToken={pricing?.completion} />,
      },
      {
        id: 'source',
        head: heads.source,
        widthPx: 96,
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
  }, [all, tag]);
}

/** The same state and figures as on the page of its providers. */
function healthColumns(all: Words): readonly Column<ModelRow>[] {
  return [
    { id: 'health', head: all.models.columns.health, widthPx: 184, cell: (row) => <Health row={row} /> },
    {
      id: 'first-token',
      head: <span title={all.health.lastHour}>{all.health.firstToken}</span>,
      align: 'end',
      widthPx: 124,
      cell: ({ health }) => <Duration ms={health?.firstTokenMs?.p50} />,
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
