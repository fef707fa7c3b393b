/** Documents in the order of their relevance to a question. */

import { Field, TextField } from '../../../../components/fields/field.tsx';
import { countText } from '../../../../texts/number.ts';
import { useSpeech } from '../../../../words/use-words.tsx';
import type { OperationPanelProps } from '../../playground-contract.ts';
import { callForJson, jsonRequest, listOf, numberOf } from '../call.ts';
import { useDraft } from '../draft.ts';
import { linesOf, optionalNumber, useNextExample } from '../field-texts.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { OperationFrame } from '../operation-frame.tsx';
import { ScoreBar } from '../score-bar.tsx';
import { useRun } from '../use-run.ts';

interface Ranked {
  readonly place: number;
  readonly text: string;
  readonly score: number;
}

export function Panel({ token, models, wire }: OperationPanelProps) {
  const words = useSpeech().words.operations.rerank;
  const choice = useModel(models, 'rerank');
  const [query, setQuery] = useDraft('rerank.query', words.examples.first.query);
  const [text, setText] = useDraft('rerank.documents', words.examples.first.documents);
  const [best, setBest] = useDraft('rerank.best', '');
  const run = useRun<readonly Ranked[]>('rerank');
  const nextExample = useNextExample(words.examples, (example) => {
    setQuery(example.query);
    setText(example.documents);
  });
  if (choice.model === '') return <NoModel what={words.what} />;
  const documents = linesOf(text);
  const start = () =>
    run.start(async (call) => {
      const count = optionalNumber(best);
      const body = { model: choice.model, query, documents, ...(count !== undefined && { top_n: count }) };
      const answer = await callForJson(jsonRequest('/v1/rerank', body), { token, wire, model: choice.model, ...call });
      return listOf(answer['results']).map((row) => {
        const place = numberOf(row['index']) ?? 0;
        return { place, text: documents[place] ?? '', score: numberOf(row['relevance_score']) ?? 0 };
      });
    });
  return (
    <OperationFrame
      run={run}
      choice={choice}
      action={words.action}
      empty={words.empty}
      canRun={query.trim() !== '' && documents.length > 0}
      onRun={start}
      onExample={nextExample}
      result={run.result !== undefined && <Ranking ranked={run.result} />}
    >
      <ModelField choice={choice} />
      <Field label={words.query} value={query} onChange={(event) => setQuery(event.target.value)} />
      <TextField
        label={words.documents}
        hint={words.documentsHint}
        rows={7}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Field
        label={words.best}
        inputMode="numeric"
        mono
        optional
        value={best}
        onChange={(event) => setBest(event.target.value)}
      />
    </OperationFrame>
  );
}

function Ranking({ ranked }: { readonly ranked: readonly Ranked[] }) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.rerank;
  const most = Math.max(...ranked.map(({ score }) => score), 0);
  return (
    <ol className="grid gap-3">
      {ranked.map(({ place, text, score }) => (
        <li key={place} className="grid gap-1.5 rounded-md border border-line bg-raised p-3">
          <p className="break-words">{text}</p>
          <ScoreBar share={most <= 0 ? 0 : score / Math.max(1, most)} value={score} />
          <p className="text-xs text-quiet">{words.place(countText(place + 1, tag))}</p>
        </li>
      ))}
    </ol>
  );
}
