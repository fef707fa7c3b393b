/** A text judged in every category. */

import { Badge } from '../../../../components/badge.tsx';
import { TextField } from '../../../../components/fields/field.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import type { OperationPanelProps } from '../../playground-contract.ts';
import { callForJson, type Fields, fieldsOf, jsonRequest, listOf, numberOf } from '../call.ts';
import { useDraft } from '../draft.ts';
import { useNextExample } from '../field-texts.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { OperationFrame } from '../operation-frame.tsx';
import { ScoreBar } from '../score-bar.tsx';
import { useRun } from '../use-run.ts';

interface Verdict {
  readonly isFlagged: boolean;
  /** The highest score first. */
  readonly categories: readonly { readonly name: string; readonly score: number; readonly isFlagged: boolean }[];
}

export function Panel({ token, models, wire }: OperationPanelProps) {
  const words = useWords().operations.moderation;
  const choice = useModel(models, 'moderate');
  const [text, setText] = useDraft('moderation.text', words.examples.first);
  const run = useRun<Verdict>('moderation');
  const nextExample = useNextExample(words.examples, setText);
  if (choice.model === '') return <NoModel what={words.what} />;
  const start = () =>
    run.start(async (call) => {
      const request = jsonRequest('/v1/moderations', { model: choice.model, input: text });
      return verdictOf(await callForJson(request, { token, wire, model: choice.model, ...call }));
    });
  return (
    <OperationFrame
      run={run}
      choice={choice}
      action={words.action}
      empty={words.empty}
      canRun={text.trim() !== ''}
      onRun={start}
      onExample={nextExample}
      result={run.result !== undefined && <VerdictView {...run.result} />}
    >
      <ModelField choice={choice} />
      <TextField label={words.text} rows={6} value={text} onChange={(event) => setText(event.target.value)} />
    </OperationFrame>
  );
}

function VerdictView({ isFlagged, categories }: Verdict) {
  const words = useWords().operations.moderation;
  return (
    <div className="grid gap-4">
      <div>
        <Badge tone={isFlagged ? 'bad' : 'ok'} dot>
          {isFlagged ? words.flagged : words.clear}
        </Badge>
      </div>
      <dl className="grid">
        {categories.map(({ name, score, isFlagged: isOver }) => (
          <div
            key={name}
            className="grid items-center gap-x-6 gap-y-1 py-1 @xl:min-h-8 @xl:grid-cols-[minmax(0,280px)_minmax(0,1fr)]"
          >
            <dt className="flex min-h-5 items-center justify-between gap-2 font-mono text-xs">
              <span className="min-w-0 break-words">{name}</span>
              {isOver && <Badge tone="bad">{words.flagged}</Badge>}
            </dt>
            <dd>
              <ScoreBar share={score} value={score} tone={isOver ? 'bad' : 'accent'} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function verdictOf(answer: Fields): Verdict {
  const [first = {}] = listOf(answer['results']);
  const flags = fieldsOf(first['categories']);
  const categories = Object.entries(fieldsOf(first['category_scores']))
    .map(([name, score]) => ({ name, score: numberOf(score) ?? 0, isFlagged: flags[name] === true }))
    .sort((left, right) => right.score - left.score || left.name.localeCompare(right.name));
  return { isFlagged: first['flagged'] === true, categories };
}
