/** A model at one glance: what it is, what it takes and gives, who serves it, and what that costs. */

import type { ModelDetailView } from '../../../admin/contracts/configuration-contract.ts';
import { Badge } from '../../components/badge.tsx';
import { Part } from '../../components/part.tsx';
import { TargetList } from '../../health/target-list.tsx';
import { countText } from '../../texts/number.ts';
import { dayText } from '../../texts/time.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { Fact, FactList } from '../providers/facts.tsx';
import { EndingBadge } from './ending-badge.tsx';
import { PriceHead, PriceLines } from './model-prices.tsx';
import { ModelUsage } from './model-usage.tsx';
import { draftOf, strategies } from './route/route-draft.ts';
import { stateIn } from './route/route-editor.tsx';
import { RoutePicture } from './route/route-picture.tsx';

export function ModelAbout({ story }: { readonly story: ModelDetailView }) {
  const all = useWords();
  const words = all.models;
  return (
    <div className="grid min-w-0 gap-5">
      {story.description !== undefined && story.description !== '' && (
        <p className="text-pretty break-words">{story.description}</p>
      )}
      <Capabilities story={story} />
      <ModelUsage id={story.id} />
      <Part
        divided
        title={all.health.ofTargets}
        tools={<span className="text-xs text-quiet">{all.health.lastHour}</span>}
      >
        <TargetList label={all.health.ofTargets} targets={distinct(story.targets)} by="both" />
      </Part>
      <Part divided title={words.route.label}>
        <RoutePicture
          draft={draftOf({ targets: story.targets, choose: strategyOf(story.choose) })}
          stateOf={(target) => stateIn(story.targets, target)}
        />
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

/** A target may be in a route twice, with other conditions. */
function distinct(targets: ModelDetailView['targets']): ModelDetailView['targets'] {
  return [...new Map(targets.map((target) => [`${target.provider} ${target.model}`, target])).values()];
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
      {story.capabilities.length > 0 && (
        <Fact name={words.panel.capabilities}>
          <WordList names={story.capabilities} texts={words.capabilities} />
        </Fact>
      )}
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
