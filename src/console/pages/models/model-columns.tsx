/** What the table says of each model, and how. */

import { useMemo } from 'react';
import { Money } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import { shortCountText } from '../../texts/number.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { HealthSumMark } from '../providers/health-mark.tsx';
import { healthSum } from '../providers/provider-health.ts';
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
      {
        id: 'context',
        head: heads.context,
        align: 'end',
        widthPx: 88,
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
        widthPx: 96,
        cell: ({ pricing }) => <Price pricing={pricing} usdPerToken={pricing?.prompt} />,
      },
      {
        id: 'output',
        head: <span title={words.perMillion}>{heads.output}</span>,
        align: 'end',
        widthPx: 96,
        cell: ({ pricing }) => <Price pricing={pricing} usdPerToken={pricing?.completion} />,
      },
      {
        id: 'source',
        head: heads.source,
        widthPx: 104,
        cell: ({ priceSource, pricing }) =>
          priceSource === undefined ? (
            all.parts.none
          ) : (
            <span title={pricing?.version}>
              <PriceSource source={priceSource} />
            </span>
          ),
      },
      {
        id: 'health',
        head: heads.health,
        widthPx: 136,
        cell: ({ states, isServed }) => (
          <HealthSumMark sum={healthSum(states)} none={isServed ? all.parts.none : words.notServed} />
        ),
      },
    ];
  }, [all, tag]);
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
