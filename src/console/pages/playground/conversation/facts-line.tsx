/** One line about a reply: who served it, how soon it began, how fast it wrote, what it cost. */

import type { ReactNode } from 'react';
import { Duration, Money } from '../../../components/amounts.tsx';
import { countText } from '../../../texts/number.ts';
import { useSpeech, useWords } from '../../../words/use-words.tsx';
import type { Answer, StepFacts } from './conversation.ts';

interface FactsLineProps {
  /** Of the last round. */
  readonly answers: readonly Answer[];
  readonly isRunning: boolean;
}

export function FactsLine({ answers, isRunning }: FactsLineProps) {
  const words = useWords().playground.facts;
  const [only] = answers;
  const facts = only?.steps.at(-1)?.facts;
  // Side by side each answer says its own.
  if (answers.length > 1 && !isRunning) return <div className="min-h-6" />;
  return (
    <section aria-label={words.label} className="@container grid min-h-6 content-center gap-1 text-xs text-quiet">
      {isRunning && <p className="animate-breathe">{words.running}</p>}
      {!isRunning && facts === undefined && <p className="truncate">{words.none}</p>}
      {!isRunning && only !== undefined && facts !== undefined && <FactList facts={facts} />}
    </section>
  );
}

export function FactList({ facts }: { readonly facts: StepFacts }) {
  const { tag, words: all } = useSpeech();
  const words = all.playground.facts;
  const speed = tokensPerSecond(facts);
  const { inputTokens, outputTokens, costNano } = facts;
  return (
    <dl className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
      {facts.provider !== '' && (
        <Fact name={words.provider} isNameHidden>
          {facts.provider}
        </Fact>
      )}
      <Fact name={words.firstToken}>
        <Duration ms={facts.firstTokenMs} />
      </Fact>
      <Fact name={words.total} isForWide>
        <Duration ms={facts.totalMs} />
      </Fact>
      {speed !== undefined && (
        <Fact name={words.speed} isNameHidden>
          <span className="font-mono">{words.tokensPerSecond(countText(speed, tag))}</span>
        </Fact>
      )}
      {inputTokens !== undefined && outputTokens !== undefined && (
        <Fact name={words.tokens} isNameHidden>
          <span className="font-mono">{words.inOut(countText(inputTokens, tag), countText(outputTokens, tag))}</span>
        </Fact>
      )}
      {costNano !== undefined && (
        <Fact name={words.cost} isNameHidden={costNano !== null}>
          <span title={facts.isCostEstimated === true ? words.aboutHint : undefined}>
            {facts.isCostEstimated === true && `${words.about} `}
            <Money nano={costNano} />
          </span>
        </Fact>
      )}
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  /** Where the value says what it is. */
  readonly isNameHidden?: boolean;
  /** Left out where there is no room for it in one line. */
  readonly isForWide?: boolean;
  readonly children: ReactNode;
}

function Fact({ name, isNameHidden = false, isForWide = false, children }: FactProps) {
  return (
    <div className={`flex items-baseline gap-1.5 whitespace-nowrap ${isForWide ? '@max-[560px]:hidden' : ''}`}>
      <dt className={isNameHidden ? 'sr-only' : ''}>{name}</dt>
      <dd className="text-text">{children}</dd>
    </div>
  );
}

/** Too short a span says more about the clock than about the model. */
const writingMsMin = 20;

export function tokensPerSecond({ outputTokens, writingMs }: StepFacts): number | undefined {
  if (outputTokens === undefined || writingMs === undefined || writingMs < writingMsMin) return undefined;
  return outputTokens / (writingMs / 1_000);
}
