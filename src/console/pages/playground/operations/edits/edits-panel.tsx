/** Pictures changed by words, inside what was painted. */

import { useReducer } from 'react';
import { Button } from '../../../../components/button.tsx';
import { Select, TextField } from '../../../../components/fields/field.tsx';
import { Skeleton } from '../../../../components/skeleton.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import type { OperationPanelProps, WireRequest } from '../../playground-contract.ts';
import { callForJson } from '../call.ts';
import { useDraft } from '../draft.ts';
import { useNextExample } from '../field-texts.ts';
import { FileButton } from '../file-button.tsx';
import { type MadePicture, picturesOf } from '../images/picture.ts';
import { PictureGrid } from '../images/picture-grid.tsx';
import { sizeOptions } from '../images/sizes.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { OperationFrame } from '../operation-frame.tsx';
import { useObjectUrl } from '../use-object-url.ts';
import { useRun } from '../use-run.ts';
import { changeMask, drawMask, emptyMask, type MaskState } from './mask.ts';
import { MaskPainter } from './mask-painter.tsx';
import { type ChosenPicture, usePicture } from './use-picture.ts';

export function Panel({ token, models, wire }: OperationPanelProps) {
  const all = useWords().operations;
  const words = all.edits;
  const choice = useModel(models, 'edit-image');
  const [prompt, setPrompt] = useDraft('edits.prompt', words.examples.first);
  const [size, setSize] = useDraft('edits.size', '');
  const [mask, changeMarks] = useReducer(changeMask, emptyMask);
  const { picture, isUnreadable, choose, chooseExample } = usePicture();
  const url = useObjectUrl(picture?.file);
  const run = useRun<readonly MadePicture[]>('edits');
  const nextExample = useNextExample(words.examples, setPrompt);
  if (choice.model === '') return <NoModel what={words.what} />;
  const take = async (chosen: Promise<boolean>) => {
    if (await chosen) changeMarks({ type: 'clear' });
  };
  const start = (chosen: ChosenPicture) =>
    run.start(async (call) => {
      const request = await editRequest({ model: choice.model, prompt, size }, chosen, mask);
      return picturesOf(await callForJson(request, { token, wire, model: choice.model, ...call }));
    });
  return (
    <OperationFrame
      run={run}
      choice={choice}
      action={words.action}
      empty={words.empty}
      canRun={prompt.trim() !== '' && picture !== undefined}
      onRun={() => picture !== undefined && start(picture)}
      onExample={nextExample}
      result={run.result !== undefined && <PictureGrid pictures={run.result} />}
    >
      <ModelField choice={choice} />
      <TextField label={words.prompt} rows={2} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
      <div className="flex flex-wrap items-center gap-2">
        <FileButton accept="image/png,image/jpeg,image/webp" onFile={(file) => void take(choose(file))}>
          {words.choosePicture}
        </FileButton>
        <Button size="small" kind="quiet" onClick={() => void take(chooseExample())}>
          {words.examplePicture}
        </Button>
      </div>
      {isUnreadable && (
        <p role="alert" className="text-xs text-bad">
          {words.notPicture}
        </p>
      )}
      {picture === undefined || url === undefined ? (
        <Skeleton className="aspect-square w-full" />
      ) : (
        <MaskPainter
          key={`${picture.size.width} ${picture.size.height}`}
          pictureUrl={url}
          size={picture.size}
          mask={mask}
          onChange={changeMarks}
        />
      )}
      <Select
        label={all.images.size}
        value={size}
        onChange={(event) => setSize(event.target.value)}
        options={[{ value: '', label: all.choose.auto }, ...sizeOptions]}
      />
    </OperationFrame>
  );
}

interface EditFields {
  readonly model: string;
  readonly prompt: string;
  readonly size: string;
}

/** Without paint no mask is sent: the whole picture may change. */
async function editRequest(asked: EditFields, { file, size }: ChosenPicture, mask: MaskState): Promise<WireRequest> {
  const fields: (readonly [string, string | File])[] = [
    ['model', asked.model],
    ['prompt', asked.prompt],
    ['image', file],
  ];
  if (asked.size !== '') fields.push(['size', asked.size]);
  if (mask.marks.length > 0) {
    const canvas = document.createElement('canvas');
    canvas.width = size.width;
    canvas.height = size.height;
    const pen = canvas.getContext('2d');
    if (pen !== null) drawMask(pen, mask.marks, size);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob !== null) fields.push(['mask', new File([blob], 'mask.png', { type: 'image/png' })]);
  }
  return { method: 'POST', path: '/v1/images/edits', body: { kind: 'form', fields } };
}
