/** A model at one glance: what it is, what it takes and gives, who serves it, and what that costs. */

import type { ModelDetailView } from '../../../admin/contracts/configuration-contract.ts';
import { Count, Duration } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Part } from '../../components/part.tsx';
import { countText } from '../../texts/number.ts';
import { dayText } from '../../texts/time.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { Fact, FactList } from '../providers/facts.tsx';
import { HealthMark } from '../providers/health-mark.tsx';
import { EndingBadge } from './ending-badge.tsx';
import { PriceHead, PriceLines } from './model-prices.tsx';
import { draftOf, strategies } from './route/route-draft.ts';
import { stateIn } from './route/route-editor.tsx';
import { RoutePicture } from './route/route-picture.tsx';

export function ModelAbout({ story }: { readonly story: ModelDetailView }) {
  const words = useWords().models;
  return (
    <div className="grid min-w-0 gap-5">
      {story.description !== undefined && story.description !== '' && (
        <p className="text-pretty break-words">{story.description}</p>
      )}
      <Capabilities story={story} />
      <Part divided title={words.route.label}>
        <RoutePicture
          draft={draftOf({ targets: story.targets, choose: strategyOf(story.choose) })}
          stateOf={(target) => stateIn(story.targets, target)}
        />
        <TargetList targets={story.targets} />
      </Part>
      <Part divided title={words.price.title}>
        {story.prices.map((price) => (
          <div key={`${price.provider} ${price.model}`} className="grid gap-2 rounded-md border border-line p-3">
            <PriceHead price={price} />
            <PriceLines price={price} />
          </div>
        ))}
      </Part>
    </div>
  );
}

export function strategyOf(name: string): (typeof strategies)[number] {
  return strategies.find((strategy) => strategy === name) ?? 'weighted';
}

function Capabilities({ story }: { readonly story: ModelDetailView }) {
  const { words: all, tag } = useSpeech();
  const words = all.models;
  return (
    <FactList>
      <Fact name={words.panel.operations}>
        <WordList names={story.operations} texts={words.operations} />
      </Fact>
      {story.contextTokens !== undefined && (
        <Fact name={words.panel.context}>{words.panel.tokens(countText(story.contextTokens, tag))}</Fact>
      )}
      {story.outputTokensMax !== undefined && (
        <Fact name={words.panel.largestReply}>{words.panel.tokens(countText(story.outputTokensMax, tag))}</Fact>
      )}
      {(story.shutdownAt ?? story.deprecatedAt) !== undefined && (
        <Fact name={words.ending.label}>
          <span className="flex flex-wrap items-center gap-2">
            <EndingBadge {...story} />
            {story.shutdownAt !== undefined && story.deprecatedAt !== undefined && (
              <span className="text-quiet">{words.ending.deprecatedSince(dayText(story.deprecatedAt, tag))}</span>
            )}
          </span>
        </Fact>
      )}
      {story.inputModalities !== undefined && (
        <Fact name={words.panel.input}>
          <WordList names={story.inputModalities} texts={words.modalities} />
        </Fact>
      )}
      {story.outputModalities !== undefined && (
        <Fact name={words.panel.output}>
          <WordList names={story.outputModalities} texts={words.modalities} />
        </Fact>
      )}
      <Fact name={words.panel.choose}>{words.route.strategies[strategyOf(story.choose)]}</Fact>
      <Fact name={words.panel.affinity}>{story.affinity ? words.panel.affinityOn : words.panel.affinityOff}</Fact>
    </FactList>
  );
}

/** A name that nobody has a word for is shown as it is. */
function WordList({
  names,
  texts,
}: {
  readonly names: readonly string[];
  readonly texts: Readonly<Record<string, string>>;
}) {
  const none = useWords().parts.none;
  if (names.length === 0) return none;
  return (
    <ul className="flex flex-wrap gap-1.5">
      {names.map((name) => (
        <li key={name} className="flex">
          <Badge>{texts[name] ?? name}</Badge>
        </li>
      ))}
    </ul>
  );
}

function TargetList({ targets }: { readonly targets: ModelDetailView['targets'] }) {
  const words = useWords().providers;
  return (
    <ul className="grid rounded-md border border-line">
      {targets.map(({ provider, model, tier, state, readyInMs, firstEventMs, inFlight }) => (
        <li
          key={`${provider} ${model} ${tier}`}
          className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-1.5 text-sm last:border-b-0"
        >
          <code className="min-w-0 grow basis-40 truncate">{`${provider}/${model}`}</code>
          <span className="text-xs text-quiet">
            {words.firstEvent} <Duration ms={firstEventMs} />
          </span>
          <span className="text-xs text-quiet">
            {words.inFlight} <Count value={inFlight} />
          </span>
          <HealthMark state={state} readyInMs={readyInMs} />
        </li>
      ))}
    </ul>
  );
}
