/** What a model costs at each of its targets and who says so, and the operator's own price in its place. */

import { useState } from 'react';
import type { ModelDetailView, PriceView, TargetPriceView } from '../../../admin/contracts/configuration-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Money } from '../../components/amounts.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { useQueryWord } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { guessText } from '../../texts/price-version.ts';
import { nanoOfUsd } from '../../texts/usd.ts';
import { useWords } from '../../words/use-words.tsx';
import { LockedNote, useOriginText } from '../providers/origin-badge.tsx';
import { PriceEditor } from './price-editor.tsx';
import { decidingPrice, entryOfLines } from './price-entry.ts';
import { pricesPath } from './route-changes.ts';

export function ModelPrices({ story }: { readonly story: ModelDetailView }) {
  const session = useSession();
  const [asked, setAsked] = useQueryWord('price', { replace: true });
  const prices = useAsk<{ readonly items: readonly PriceView[] }>(pricesPath, {
    when: session.may('GET /console/api/prices'),
  });
  return (
    <div className="grid gap-4">
      {story.prices.map((price) => (
        <TargetPrice
          key={`${price.provider} ${price.model}`}
          price={price}
          own={decidingPrice(prices.data?.items ?? [], price)}
          mayChange={session.may('POST /console/api/prices')}
          isAsked={asked === `${price.provider}/${price.model}`}
          isByUnits={!story.operations.some((name) => soldByTokens.includes(name))}
          onDone={() => asked !== undefined && setAsked(undefined)}
        />
      ))}
    </div>
  );
}

/** What is mostly sold otherwise has its units in sight. */
const soldByTokens: readonly string[] = ['converse', 'complete', 'embed'];

interface TargetPriceProps {
  readonly price: TargetPriceView;
  /** The entry that decides for it, where there is one. */
  readonly own: PriceView | undefined;
  readonly mayChange: boolean;
  /** The address asks for its form. */
  readonly isAsked: boolean;
  readonly isByUnits: boolean;
  onDone(): void;
}

function TargetPrice({ price, own, mayChange, isAsked, isByUnits, onDone }: TargetPriceProps) {
  const words = useWords().models.price;
  const originText = useOriginText();
  const isLocked = own?.locked === true;
  const [editing, setEditing] = useState(isAsked && mayChange);
  return (
    <section aria-label={words.at(price.provider)} className="grid gap-3 rounded-md border border-line p-4">
      <PriceHead price={price} />
      <PriceLines price={price} />
      {isLocked && <LockedNote text={words.locked(own.pattern, originText(own))} />}
      {mayChange && !isLocked && !editing && (
        <div className="flex">
          <Button size="small" icon="edit" onClick={() => setEditing(true)}>
            {own === undefined ? words.edit : words.change}
          </Button>
        </div>
      )}
      {editing && !isLocked && (
        <PriceEditor
          pattern={own?.pattern ?? `${price.provider}/${price.model}`}
          entry={own?.entry ?? entryOfLines(price.lines)}
          exists={own !== undefined}
          isByUnits={isByUnits}
          onDone={() => {
            setEditing(false);
            onDone();
          }}
        />
      )}
    </section>
  );
}

const tones: Readonly<Record<TargetPriceView['source'], Tone>> = {
  operator: 'accent',
  provider: 'plain',
  table: 'plain',
  guess: 'warn',
  free: 'ok',
  unknown: 'warn',
};

export function PriceHead({ price }: { readonly price: TargetPriceView }) {
  const words = useWords().models.price;
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <p className="min-w-0 truncate text-sm">
        <span className="font-medium">{price.provider}</span> <code className="text-xs text-quiet">{price.model}</code>
      </p>
      <span className="flex items-center gap-2">
        {price.version !== '' && price.source !== 'free' && price.source !== 'guess' && (
          <span className="text-xs text-quiet">{words.version(price.version)}</span>
        )}
        <Badge tone={tones[price.source]}>{words.sources[price.source]}</Badge>
      </span>
    </div>
  );
}

export function PriceLines({ price }: { readonly price: TargetPriceView }) {
  const words = useWords().models.price;
  const classes: Readonly<Record<string, string>> = words.classes;
  const pers: Readonly<Record<string, string>> = words.pers;
  if (price.source === 'free') return <p className="text-sm text-quiet">{words.free}</p>;
  if (price.lines.length === 0) return <p className="text-sm text-quiet">{words.unknown}</p>;
  return (
    <>
      {price.source === 'guess' && <p className="text-sm text-quiet">{guessText(price.version, words)}</p>}
      <dl className="grid gap-1.5 text-sm">
        {price.lines.map((line) => (
          <div key={`${line.class} ${line.per}`} className="flex items-baseline justify-between gap-4">
            <dt>{classes[line.class] ?? line.class}</dt>
            <dd className="text-right">
              <Money nano={nanoOfUsd(line.usd)} />{' '}
              <span className="text-xs text-quiet">{pers[line.per] ?? line.per}</span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
