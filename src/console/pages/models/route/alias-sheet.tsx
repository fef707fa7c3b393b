/** Makes an alias: a name or a pattern that clients ask for, and the route behind it, empty or copied from a model. */

import { useState } from 'react';
import type { ModelDetailView, RouteEntry, RouteView } from '../../../../admin/contracts/configuration-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { Field, Select } from '../../../components/fields/field.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { type StaysWith, useUnsaved } from '../../../router/unsaved.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { strategyOf } from '../model-about.tsx';
import { modelPath, useRouteSave } from '../route-changes.ts';
import { RouteEditor } from './route-editor.tsx';

/** Copied from nothing; no model has this name. */
export const fromNothing = '-';

interface AliasSheetProps {
  /** From the address: `fromNothing` for an empty route, else the model that is copied. */
  readonly from: string;
  readonly models: readonly string[];
  readonly routes: readonly RouteView[];
  onFrom(from: string | undefined): void;
  onCreated(alias: string): void;
}

/** The name stays whatever is copied. */
const withSheet: StaysWith = (to) => to.has('alias');

/** Mounted anew for every alias, so that a closed sheet forgets everything. */
export function AliasSheet({ from, models, routes, onFrom, onCreated }: AliasSheetProps) {
  const words = useWords().models.aliasSheet;
  const [name, setName] = useState('');
  const [tried, setTried] = useState(false);
  const isCopy = from !== fromNothing;
  const story = useAsk<ModelDetailView>(modelPath(from), { when: isCopy });
  const entry = isCopy ? (story.data?.id === from ? copyOf(story.data) : undefined) : emptyEntry;
  const alias = name.trim();
  const isTaken = routes.some((route) => route.alias === alias);
  const isWrong = alias === '' || /\s/.test(alias);
  const leave = useUnsaved(name !== '', withSheet);
  return (
    <SidePanel open title={words.title} size="wide" onClose={() => onFrom(undefined)}>
      <div className="grid gap-5">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label={words.name}
            hint={words.nameHint}
            error={isTaken ? words.nameTaken(alias) : tried && isWrong ? words.nameNeeded : undefined}
            mono
            autoFocus
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Select
            label={words.from}
            value={from}
            options={[{ value: fromNothing, label: words.fromNone }, ...models.map((id) => ({ value: id, label: id }))]}
            onChange={(event) => onFrom(event.target.value)}
          />
        </div>
        {entry === undefined ? (
          <SkeletonText lines={5} />
        ) : (
          <NewRoute
            key={from}
            alias={alias}
            entry={entry}
            isSound={!isTaken && !isWrong}
            onTry={() => setTried(true)}
            onCreated={(created) => leave(() => onCreated(created))}
          />
        )}
      </div>
    </SidePanel>
  );
}

interface NewRouteProps {
  readonly alias: string;
  readonly entry: RouteEntry;
  readonly isSound: boolean;
  onTry(): void;
  onCreated(alias: string): void;
}

function NewRoute({ alias, entry, isSound, onTry, onCreated }: NewRouteProps) {
  const words = useWords().models.aliasSheet;
  const tell = useTell();
  const save = useRouteSave();
  const create = (made: RouteEntry) => {
    onTry();
    if (!isSound) return;
    save.mutate(
      { alias, entry: made },
      {
        onSuccess: () => {
          tell({ text: words.created(alias), tone: 'ok' });
          onCreated(alias);
        },
      },
    );
  };
  return (
    <RouteEditor
      entry={entry}
      targets={[]}
      busy={save.isPending}
      error={save.error}
      saveText={words.create}
      fresh
      missing={alias === '' ? words.nameMissing : undefined}
      onSave={create}
    />
  );
}

const emptyEntry: RouteEntry = { targets: [] };

/** A route as it is written, where there is one; else the homes that the name has now. */
function copyOf({ route, targets, choose, affinity }: ModelDetailView): RouteEntry {
  if (route !== undefined) return route.entry;
  return {
    targets: targets.map(({ provider, model, tier, weight }) => ({ provider, model, tier, weight })),
    choose: strategyOf(choose),
    affinity,
  };
}
