/** Texts as vectors, and how alike they are. */

import { Field, TextField } from '../../../../components/fields/field.tsx';
import { countText } from '../../../../texts/number.ts';
import { useSpeech } from '../../../../words/use-words.tsx';
import type { OperationPanelProps } from '../../playground-contract.ts';
import { callForJson, type Fields, jsonRequest, listOf } from '../call.ts';
import { useDraft } from '../draft.ts';
import { linesOf, optionalNumber, useNextExample } from '../field-texts.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { OperationFrame } from '../operation-frame.tsx';
import { useRun } from '../use-run.ts';
import { type Embedded, EmbeddedView } from './embedded-view.tsx';
import type { Vector } from './similarity.ts';

/** More would be a table that nobody reads. */
const textsMax = 24;

export function Panel({ token, models, wire }: OperationPanelProps) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.embeddings;
  const choice = useModel(models, 'embed');
  const [text, setText] = useDraft('embeddings.texts', words.examples.first);
  const [dimensions, setDimensions] = useDraft('embeddings.dimensions', '');
  const run = useRun<Embedded>('embeddings');
  const nextExample = useNextExample(words.examples, setText);
  if (choice.model === '') return <NoModel what={words.what} />;
  const texts = linesOf(text);
  const isTooMany = texts.length > textsMax;
  const start = () =>
    run.start(async (call) => {
      const wanted = optionalNumber(dimensions);
      const body = { model: choice.model, input: texts, ...(wanted !== undefined && { dimensions: wanted }) };
      const answer = await callForJson(jsonRequest('/v1/embeddings', body), {
        token,
        wire,
        model: choice.model,
        ...call,
      });
      return { texts, vectors: vectorsOf(answer) };
    });
  return (
    <OperationFrame
      run={run}
      choice={choice}
      action={words.action}
      empty={words.empty}
      canRun={texts.length > 0 && !isTooMany}
      onRun={start}
      onExample={nextExample}
      result={run.result !== undefined && <EmbeddedView {...run.result} />}
    >
      <ModelField choice={choice} />
      <TextField
        label={words.texts}
        hint={words.textsHint}
        error={isTooMany ? words.tooMany(countText(textsMax, tag)) : undefined}
        rows={7}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Field
        label={words.dimensions}
        hint={words.dimensionsHint}
        inputMode="numeric"
        mono
        optional
        value={dimensions}
        onChange={(event) => setDimensions(event.target.value)}
      />
    </OperationFrame>
  );
}

/** In the order of the texts, whatever order they came in. */
function vectorsOf(answer: Fields): readonly Vector[] {
  const rows = listOf(answer['data']).map((row, place) => ({
    place: typeof row['index'] === 'number' ? row['index'] : place,
    vector: Array.isArray(row['embedding']) ? (row['embedding'] as Vector) : [],
  }));
  return rows.sort((left, right) => left.place - right.place).map(({ vector }) => vector);
}
