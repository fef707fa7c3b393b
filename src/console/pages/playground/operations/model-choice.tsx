/** Which model answers: those that can do what the tab asks for, the choice in the address, and a word where there is none. */

import { EmptyState } from '../../../components/empty-state.tsx';
import { Select } from '../../../components/fields/field.tsx';
import { SandboxBadge } from '../../../frame/top-line.tsx';
import { useQueryWord } from '../../../router/router.tsx';
import { useWords } from '../../../words/use-words.tsx';
import type { PlaygroundModel } from '../playground-contract.ts';
import { chosenModel } from './chosen-model.ts';

export interface ModelChoice {
  readonly model: string;
  readonly options: readonly PlaygroundModel[];
  choose(model: string): void;
}

/** A link may name a model that another tab was opened with: then the first that fits stands in. */
export function useModel(models: readonly PlaygroundModel[], operation: string): ModelChoice {
  const [wanted, choose] = useQueryWord('model', { replace: true });
  const options = models.filter(({ operations }) => operations.includes(operation));
  return { model: chosenModel(models, operation, wanted), options, choose };
}

export function ModelField({ choice }: { readonly choice: ModelChoice }) {
  const words = useWords().operations;
  const chosen = choice.options.find(({ id }) => id === choice.model);
  return (
    <div className="grid gap-1.5">
      <Select
        label={words.model}
        value={choice.model}
        onChange={(event) => choice.choose(event.target.value)}
        options={choice.options.map(({ id }) => ({ value: id, label: id }))}
        {...(chosen?.description !== undefined && { hint: chosen.description })}
        className="font-mono text-sm"
      />
      {/* On a phone the top line has no room for it. */}
      {chosen?.providers[0] === 'sandbox' && (
        <span className="justify-self-start sm:hidden">
          <SandboxBadge />
        </span>
      )}
    </div>
  );
}

export function NoModel({ what }: { readonly what: string }) {
  const words = useWords().operations;
  return (
    <EmptyState icon="models" title={words.noModel(what)}>
      {words.noModelHint}
    </EmptyState>
  );
}
