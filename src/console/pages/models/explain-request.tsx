/** Asks where a sample request would go: who is asked in which order and why, who is not, and what it may cost at most. */

import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ExplainQuestionBody } from '../../../admin/contracts/configuration-contract.ts';
import { endpointSamples } from '../../../snippets/endpoints.ts';
import { ask } from '../../api/ask.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Select, TextField } from '../../components/fields/field.tsx';
import { moneyText } from '../../texts/money.ts';
import { nanoOfUsd } from '../../texts/usd.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import {
  type CandidateView,
  type ExplanationView,
  type FactView,
  factText,
  firstEndpoint,
  readSample,
  sampleText,
} from './explanation.ts';

interface ExplainRequestProps {
  readonly model: string;
  readonly operations: readonly string[];
}

export function ExplainRequest({ model, operations }: ExplainRequestProps) {
  const words = useWords().models.explain;
  const [endpoint, setEndpoint] = useState(() => firstEndpoint(operations));
  const [text, setText] = useState(() => sampleText(endpoint, model));
  const explanation = useMutation({
    mutationFn: (question: ExplainQuestionBody) => ask<ExplanationView>('/console/api/explain', { body: question }),
  });
  const body = readSample(text);
  const choose = (next: string) => {
    setEndpoint(next);
    setText(sampleText(next, model));
    explanation.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (body !== undefined) explanation.mutate({ endpoint, body });
  };
  return (
    <div className="grid gap-5">
      <form onSubmit={submit} className="grid gap-4">
        <p className="text-sm text-quiet">{words.hint}</p>
        <Select
          label={words.endpoint}
          value={endpoint}
          options={[...endpointSamples.keys()].map((name) => ({ value: name, label: name }))}
          onChange={(event) => choose(event.target.value)}
        />
        <TextField
          label={words.body}
          error={body === undefined ? words.notJson : undefined}
          rows={9}
          spellCheck={false}
          className="font-mono text-sm"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="flex justify-end">
          <Button kind="primary" type="submit" busy={explanation.isPending} disabled={body === undefined}>
            {words.run}
          </Button>
        </div>
      </form>
      {explanation.isError && <ErrorNotice error={explanation.error} />}
      {explanation.data !== undefined && <Explained explanation={explanation.data} />}
    </div>
  );
}

function Explained({ explanation }: { readonly explanation: ExplanationView }) {
  const { models: all, server } = useWords();
  const words = all.explain;
  const { candidates, excluded, strategy, drawn, affinity } = explanation;
  return (
    <section aria-label={words.candidates} className="grid gap-3 border-t border-line pt-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="text-sm font-semibold">{candidates.length === 0 ? words.nobody : words.candidates}</h3>
        <p className="text-xs text-quiet">
          {words.strategy}: {all.route.strategies[strategy]}
        </p>
      </div>
      {drawn && <p className="text-xs text-quiet">{words.drawn}</p>}
      {affinity.kind !== null && <p className="text-xs text-quiet">{words.affinity(words.kinds[affinity.kind])}</p>}
      <ol className="grid gap-2">
        {candidates.map((candidate, index) => (
          // The same home may be a target twice, with other terms.
          <Candidate key={index} candidate={candidate} place={index + 1} />
        ))}
      </ol>
      {excluded.length > 0 && (
        <>
          <h3 className="pt-2 text-sm font-semibold">{words.excluded}</h3>
          <ul className="grid gap-2">
            {excluded.map(({ provider, model, why }) => (
              <li
                key={`${provider} ${model} ${why}`}
                className="grid gap-0.5 rounded-md border border-line px-3 py-2 text-sm"
              >
                <code className="truncate">{`${provider}/${model}`}</code>
                <span className="break-words text-quiet">{server.text(why)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const tones: Readonly<Record<CandidateView['state'], Tone>> = {
  ready: 'ok',
  cooling: 'warn',
  open: 'bad',
  probing: 'warn',
};

function Candidate({ candidate, place }: { readonly candidate: CandidateView; readonly place: number }) {
  const { words: spoken, tag } = useSpeech();
  const all = spoken.models;
  const words = all.explain;
  const { provider, model, tier, state, keys, keys_ready, lane, format, losses, profile } = candidate;
  const { price_bound_usd, price_version, price_source } = candidate;
  return (
    <li className="grid gap-2 rounded-md border border-line bg-raised px-3 py-2.5 text-sm">
      <div className="flex min-w-0 items-center gap-2.5">
        <span
          aria-hidden="true"
          className="grid size-5 shrink-0 place-items-center rounded-full bg-wash text-xs font-medium text-accent"
        >
          {place}
        </span>
        <code className="min-w-0 grow truncate">{`${provider}/${model}`}</code>
        <Badge tone={tones[state]} dot>
          {words.states[state]}
        </Badge>
      </div>
      <p className="flex flex-wrap gap-x-4 gap-y-1 pl-7.5 text-xs text-quiet">
        <span>{all.route.tier(tier + 1)}</span>
        <span>
          {words.lane[lane]} (<code>{format}</code>)
        </span>
        {keys > 0 && <span>{words.keysReady(keys_ready, keys)}</span>}
        <span title={price_version ?? undefined}>
          {price_bound_usd === null ? words.noBound : words.bound(moneyText(nanoOfUsd(price_bound_usd), tag))}
        </span>
        {price_source === 'guess' && <Badge tone="warn">{all.price.sources.guess}</Badge>}
      </p>
      {losses.length > 0 && (
        <ul aria-label={words.losses(losses.length)} className="grid gap-0.5 pl-7.5 text-xs text-warn">
          {losses.map(({ what, why }) => (
            <li key={`${what} ${why}`} className="break-words">
              <code>{what}</code>: {why}
            </li>
          ))}
        </ul>
      )}
      {profile.length > 0 && <KnownFacts facts={profile} />}
    </li>
  );
}

function KnownFacts({ facts }: { readonly facts: readonly FactView[] }) {
  const words = useWords().models.explain;
  return (
    <details className="pl-7.5 text-xs text-quiet">
      <summary className="cursor-pointer">{words.known}</summary>
      <dl className="grid gap-1 pt-2">
        {facts.map(({ field, value, from }) => (
          <div key={field} className="grid gap-x-3 sm:grid-cols-[12rem_1fr]">
            <dt>
              <code>{field}</code>
            </dt>
            <dd className="break-words" title={from}>
              {factText(value)} <span className="opacity-70">({from})</span>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
