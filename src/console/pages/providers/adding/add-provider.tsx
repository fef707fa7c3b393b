/** Adds a provider in three steps on one sheet: choose it, give its key, see that it answers. */

import { useState } from 'react';
import type {
  ConfiguredProviderView,
  NewProvider,
  PresetView,
} from '../../../../admin/contracts/configuration-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Icon } from '../../../components/icon.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { useUnsaved, withWords } from '../../../router/unsaved.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { useDraftTrial, useProviderCreate } from '../provider-changes.ts';
import { type DraftProvider, emptyTexts, entryOfTexts, freeName, missingFields } from '../provider-entry.ts';
import { TrialResult, TrialRunning } from '../trial.tsx';
import { DraftForm } from './draft-form.tsx';
import { PresetList } from './preset-list.tsx';

/** The first step has no kind yet; no preset has this name. */
export const choosing = '-';

interface AddProviderProps {
  /** From the address: absent is closed, `choosing` the first step, else the kind that was chosen. */
  readonly kind: string | undefined;
  readonly providers: readonly ConfiguredProviderView[];
  onKind(kind: string | undefined): void;
  onAdded(name: string): void;
}

export function AddProvider({ kind, providers, onKind, onAdded }: AddProviderProps) {
  const words = useWords().providers.sheet;
  const presets = useAsk<{ readonly items: readonly PresetView[] }>('/console/api/presets', {
    when: kind !== undefined,
  });
  const preset = presets.data?.items.find((candidate) => candidate.kind === kind);
  return (
    <SidePanel open={kind !== undefined} title={words.title} onClose={() => onKind(undefined)}>
      {presets.isError && <ErrorNotice error={presets.error} onAgain={() => void presets.refetch()} />}
      {presets.isPending && <SkeletonText lines={6} />}
      {presets.data !== undefined && kind === choosing && (
        <div className="grid gap-5">
          <Steps current="pick" />
          <PresetList presets={presets.data.items} onChoose={(chosen) => onKind(chosen.kind)} />
        </div>
      )}
      {preset !== undefined && (
        <Draft
          key={preset.kind}
          preset={preset}
          taken={providers.map(({ name }) => name)}
          onBack={() => onKind(choosing)}
          onAdded={onAdded}
        />
      )}
      {presets.data !== undefined && preset === undefined && kind !== choosing && kind !== undefined && (
        <EmptyState
          icon="providers"
          title={words.unknownPreset}
          action={<Button onClick={() => onKind(choosing)}>{words.change}</Button>}
        />
      )}
    </SidePanel>
  );
}

const steps = ['pick', 'key', 'test'] as const;
type Step = (typeof steps)[number];

function Steps({ current }: { readonly current: Step }) {
  const words = useWords().providers.sheet;
  const place = steps.indexOf(current);
  return (
    <ol aria-label={words.stepsLabel} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={step === current ? 'step' : undefined}
          className={`flex items-center gap-2 ${index === place ? 'font-medium' : 'text-quiet'}`}
        >
          {index > 0 && <span aria-hidden="true" className="h-px w-6 bg-line" />}
          <span
            aria-hidden="true"
            className={`grid size-5 place-items-center rounded-full border text-xs ${index <= place ? 'border-transparent bg-wash text-accent' : 'border-line'}`}
          >
            {index < place ? <Icon name="check" className="size-3" /> : index + 1}
          </span>
          {words.steps[step]}
        </li>
      ))}
    </ol>
  );
}

interface DraftProps {
  readonly preset: PresetView;
  readonly taken: readonly string[];
  onBack(): void;
  onAdded(name: string): void;
}

const withSheet = withWords('add');

function Draft({ preset, taken, onBack, onAdded }: DraftProps) {
  const words = useWords().providers.sheet;
  const tell = useTell();
  const trial = useDraftTrial();
  const creation = useProviderCreate();
  const [first] = useState<DraftProvider>(() => ({
    name: freeName(preset.kind, taken),
    key: '',
    texts: emptyTexts,
  }));
  const [draft, setDraft] = useState(first);
  const leave = useUnsaved(JSON.stringify(draft) !== JSON.stringify(first), withSheet);
  const [tried, setTried] = useState(false);
  const missing = missingFields(draft, preset);
  const isTaken = taken.includes(draft.name.trim());
  const test = () => {
    setTried(true);
    creation.reset();
    if (missing.size === 0 && !isTaken) trial.mutate(providerOf(draft, preset));
  };
  const add = () =>
    creation.mutate(providerOf(draft, preset), {
      onSuccess: ({ name }) => {
        tell({ text: words.added(name), tone: 'ok' });
        leave(() => onAdded(name));
      },
    });
  const change = (next: DraftProvider) => {
    setDraft(next);
    // What was tested is no longer what would be added.
    if (!trial.isIdle) trial.reset();
  };
  const passed = trial.data?.ok === true;
  return (
    <div className="grid gap-5">
      <Steps current={trial.isIdle ? 'key' : 'test'} />
      <DraftForm
        preset={preset}
        draft={draft}
        missing={tried ? missing : new Set()}
        isTaken={isTaken}
        error={creation.error ?? trial.error}
        onChange={change}
        onBack={onBack}
        onSubmit={passed ? add : test}
      >
        {trial.isPending && <TrialRunning />}
        {trial.isSuccess && <TrialResult trial={trial.data} />}
        <div className="flex flex-wrap justify-end gap-2">
          {trial.isSuccess && !passed && (
            <Button busy={creation.isPending} onClick={add}>
              {words.addAnyway}
            </Button>
          )}
          <Button kind="primary" type="submit" busy={trial.isPending || creation.isPending}>
            {passed ? words.add : words.test}
          </Button>
        </div>
      </DraftForm>
    </div>
  );
}

function providerOf({ name, key, texts }: DraftProvider, { kind }: PresetView): NewProvider {
  return {
    name: name.trim(),
    entry: entryOfTexts(texts, { kind }),
    keys: key.trim() === '' ? [] : [{ value: key.trim() }],
  };
}
