/** A text that the model goes on with, word by word. */

import { Check, Field, TextField } from '../../../../components/fields/field.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import type { OperationPanelProps } from '../../playground-contract.ts';
import { callForEvents, callForJson, type Fields, jsonRequest, listOf, textOf } from '../call.ts';
import { useDraft } from '../draft.ts';
import { optionalNumber, useNextExample } from '../field-texts.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { FieldRow, OperationFrame } from '../operation-frame.tsx';
import { useRun, type Work } from '../use-run.ts';

interface Completion {
  readonly prompt: string;
  readonly text: string;
  readonly reason: string;
}

const path = '/v1/completions';

export function Panel({ token, models, wire }: OperationPanelProps) {
  const words = useWords().operations.completions;
  const choice = useModel(models, 'converse');
  const [prompt, setPrompt] = useDraft('completions.prompt', words.examples.first);
  const [tokens, setTokens] = useDraft('completions.tokens', '256');
  const [temperature, setTemperature] = useDraft('completions.temperature', '');
  const [stream, setStream] = useDraft('completions.stream', true);
  const run = useRun<Completion>('completions');
  const nextExample = useNextExample(words.examples, setPrompt);
  if (choice.model === '') return <NoModel what={words.what} />;
  const body = {
    model: choice.model,
    prompt,
    ...given('max_tokens', optionalNumber(tokens)),
    ...given('temperature', optionalNumber(temperature)),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  };
  const work: Work<Completion> = async (call, show) => {
    const options = { token, wire, model: choice.model, ...call };
    if (!stream) return completionOf(prompt, await callForJson(jsonRequest(path, body), options));
    let written: Completion = { prompt, text: '', reason: '' };
    show(written);
    await callForEvents(jsonRequest(path, body), options, (event, exchange) => {
      const said = completionOf(prompt, event);
      if (said.text !== '') exchange.output();
      written = { prompt, text: written.text + said.text, reason: said.reason || written.reason };
      show(written);
    });
    return written;
  };
  return (
    <OperationFrame
      run={run}
      choice={choice}
      action={words.action}
      empty={words.empty}
      canRun={prompt !== ''}
      onRun={() => run.start(work)}
      onExample={nextExample}
      result={run.result !== undefined && <Written {...run.result} />}
    >
      <ModelField choice={choice} />
      <TextField label={words.prompt} rows={6} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
      <FieldRow>
        <Field
          label={words.tokens}
          inputMode="numeric"
          mono
          optional
          value={tokens}
          onChange={(event) => setTokens(event.target.value)}
        />
        <Field
          label={words.temperature}
          inputMode="decimal"
          mono
          optional
          value={temperature}
          onChange={(event) => setTemperature(event.target.value)}
        />
      </FieldRow>
      <Check
        label={words.stream}
        hint={words.streamHint}
        checked={stream}
        onChange={(event) => setStream(event.target.checked)}
      />
    </OperationFrame>
  );
}

/** The person's text and the model's in one piece, as they belong together. */
function Written({ prompt, text, reason }: Completion) {
  const words = useWords().operations.completions;
  return (
    <div className="grid gap-2">
      <p className="min-h-56 rounded-md border border-line bg-raised p-4 break-words whitespace-pre-wrap">
        <span className="text-quiet">{prompt}</span>
        <span data-part="completion">{text}</span>
      </p>
      {reason !== '' && <p className="text-xs text-quiet">{words.reason(reason)}</p>}
    </div>
  );
}

function completionOf(prompt: string, fields: Fields): Completion {
  const [first = {}] = listOf(fields['choices']);
  return { prompt, text: textOf(first['text']), reason: textOf(first['finish_reason']) };
}

function given(name: string, value: number | undefined): Record<string, number> {
  return value === undefined ? {} : { [name]: value };
}
