/** One line about the last reply of each model: who served it, how soon it began, how fast it wrote, what it cost. */

import type { ReactNode } from 'react';
import { Duration, Money } from '../../../components/amounts.tsx';
import { countText } from '../../../texts/number.ts';
import { useSpeech } from '../../../words/use-words.tsx';
import type { Answer, StepFacts } from './conversation.ts';

interface FactsLineProps {
  /** Of the last round. */
  readonly answers: readonly Answer[];
  readonly isRunning: boolean;
}

export function FactsLine({ answers, isRunning }: FactsLineProps) {
  const { words } = useSpeech();
  const said = answers.filter(({ steps }) => steps.at(-1)?.facts !== undefined);
  return (
    <section aria-label={words.playground.facts.label} className="grid min-h-6 content-center gap-1 text-xs text-quiet">
      {isRunning && <p className="animate-breathe">{words.playground.facts.running}</p>}
      {!isRunning && said.length === 0 && <p className="truncate">{words.playground.facts.none}</p>}
      {!isRunning &&
        said.map((answer, lane) => {
          const facts = answer.steps.at(-1)?.facts;
          return facts === undefined ? null : <Line key={lane} model={answer.model} facts={facts} />;
        })}
    </section>
  );
}

function Line({ model, facts }: { readonly model: string; readonly facts: StepFacts }) {
  const { tag, words: all } = useSpeech();
  const words = all.playground.facts;
  const speed = tokensPerSecond(facts);
  const { inputTokens, outputTokens, costNano } = facts;
  return (
    <dl className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
      <Fact name={words.model} isNameHidden>
        <span className="font-mono text-text">{model}</span>
      </Fact>
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
        <Fact name={words.tokens} isForWide>
          <span className="font-mono">{words.inOut(countText(inputTokens, tag), countText(outputTokens, tag))}</span>
        </Fact>
      )}
      {costNano !== undefined && (
        <Fact name={words.cost}>
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
  /** Left out on a phone, where the reply needs the room. */
  readonly isForWide?: boolean;
  readonly children: ReactNode;
}

function Fact({ name, isNameHidden = false, isForWide = false, children }: FactProps) {
  return (
    <div className={`flex items-baseline gap-1.5 whitespace-nowrap ${isForWide ? 'max-sm:hidden' : ''}`}>
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
