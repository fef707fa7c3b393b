/** Pictures made from words. */

import { Select, TextField } from '../../../../components/fields/field.tsx';
import { countText } from '../../../../texts/number.ts';
import { useSpeech } from '../../../../words/use-words.tsx';
import type { OperationPanelProps } from '../../playground-contract.ts';
import { callForJson, jsonRequest } from '../call.ts';
import { useDraft } from '../draft.ts';
import { useNextExample } from '../field-texts.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { FieldRow, OperationFrame } from '../operation-frame.tsx';
import { useRun } from '../use-run.ts';
import { type MadePicture, picturesOf } from './picture.ts';
import { PictureGrid } from './picture-grid.tsx';
import { sizeOptions } from './sizes.ts';

const countMax = 4;

export function Panel({ token, models, wire }: OperationPanelProps) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.images;
  const choice = useModel(models, 'make-image');
  const [prompt, setPrompt] = useDraft('images.prompt', words.examples.first);
  const [size, setSize] = useDraft('images.size', '1024x1024');
  const [count, setCount] = useDraft('images.count', '1');
  const [quality, setQuality] = useDraft('images.quality', '');
  const run = useRun<readonly MadePicture[]>('images');
  const nextExample = useNextExample(words.examples, setPrompt);
  if (choice.model === '') return <NoModel what={words.what} />;
  const start = () =>
    run.start(async (call) => {
      const body = {
        model: choice.model,
        prompt,
        n: Number(count),
        ...(size !== '' && { size }),
        ...(quality !== '' && { quality }),
      };
      const request = jsonRequest('/v1/images/generations', body);
      return picturesOf(await callForJson(request, { token, wire, model: choice.model, ...call }));
    });
  const counts = Array.from({ length: countMax }, (_, index) => index + 1);
  const { auto, low, medium, high } = all.operations.choose;
  return (
    <OperationFrame
      run={run}
      choice={choice}
      action={words.action}
      empty={words.empty}
      canRun={prompt.trim() !== ''}
      onRun={start}
      onExample={nextExample}
      result={run.result !== undefined && <PictureGrid pictures={run.result} />}
    >
      <ModelField choice={choice} />
      <TextField label={words.prompt} rows={4} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
      <FieldRow>
        <Select
          label={words.size}
          value={size}
          onChange={(event) => setSize(event.target.value)}
          options={[{ value: '', label: auto }, ...sizeOptions]}
        />
        <Select
          label={words.count}
          value={count}
          onChange={(event) => setCount(event.target.value)}
          options={counts.map((value) => ({ value: String(value), label: countText(value, tag) }))}
        />
      </FieldRow>
      <Select
        label={words.quality}
        value={quality}
        onChange={(event) => setQuality(event.target.value)}
        options={[
          { value: '', label: auto },
          { value: 'low', label: low },
          { value: 'medium', label: medium },
          { value: 'high', label: high },
        ]}
      />
    </OperationFrame>
  );
}
