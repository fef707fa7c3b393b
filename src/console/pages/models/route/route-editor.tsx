/** Edits a route: the picture, the typed fields of the chosen target, how one of a tier is chosen, and saving it all at once. */

import { useEffect, useId, useRef, useState } from 'react';
import type { ModelDetailView, RouteEntry, TargetEntry } from '../../../../admin/contracts/configuration-contract.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Check, Select } from '../../../components/fields/field.tsx';
import { useUnsaved, withWords } from '../../../router/unsaved.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { AddTarget } from './add-target.tsx';
import {
  addTarget,
  changeTarget,
  type DraftTarget,
  draftOf,
  entryOf,
  findTarget,
  moveTarget,
  nameOf,
  type RouteDraft,
  removeTarget,
  stepWeight,
  strategies,
  tierOf,
  weightOf,
} from './route-draft.ts';
import { RoutePicture } from './route-picture.tsx';
import { TargetFields } from './target-fields.tsx';

interface RouteEditorProps {
  readonly entry: RouteEntry;
  /** What is known of its targets' health; absent where the route is not served yet. */
  readonly targets: ModelDetailView['targets'];
  readonly busy: boolean;
  readonly error: unknown;
  readonly saveText: string;
  /** May be saved as it stands, as for a route that is new. */
  readonly fresh?: boolean;
  /** What else is needed before it can be saved. */
  readonly missing?: string | undefined;
  onSave(entry: RouteEntry): void;
}

/** The panel of a route, and the sheet of a new one. */
const withPanel = withWords('model', 'view', 'alias');

export function RouteEditor(props: RouteEditorProps) {
  const { entry, targets, busy, error, saveText, fresh = false, missing, onSave } = props;
  const words = useWords().models.route;
  const [draft, setDraft] = useState(() => draftOf(entry));
  const [selectedId, setSelectedId] = useState<string>();
  const { place, keepFocus } = useKeptFocus();
  const [said, setSaid] = useState('');
  const editing = usePictureEditing({ draft, selectedId, setDraft, setSelectedId, setSaid, keepFocus });
  const selected = findTarget(draft, selectedId);
  const missingId = useId();
  const isEdited = JSON.stringify(entryOf(draft)) !== JSON.stringify(entryOf(draftOf(entry)));
  const isChanged = fresh || isEdited;
  useUnsaved(isEdited, withPanel);
  const add = (target: TargetEntry) => {
    const added = addTarget(draft, target);
    setDraft(added.draft);
    setSelectedId(added.id);
    keepFocus(added.id);
  };
  return (
    <div ref={place} className="grid min-w-0 gap-5">
      {draft.tiers.length === 0 ? (
        <p className="rounded-md border border-dashed border-line-strong p-4 text-center text-sm text-quiet">
          {words.noTargets}
        </p>
      ) : (
        <RoutePicture draft={draft} stateOf={(target) => stateIn(targets, target)} editing={editing} />
      )}
      <span role="status" className="sr-only">
        {said}
      </span>
      {selected !== undefined && (
        <TargetFields
          key={selected.id}
          target={selected}
          tier={tierOf(draft, selected.id)}
          tiers={draft.tiers.length}
          onChange={(changed) => setDraft(changeTarget(draft, selected.id, changed))}
          onMove={(tier) => editing.onMove(selected.id, tier)}
          onRemove={() => editing.onRemove(selected.id)}
        />
      )}
      <AddTarget onAdd={add} />
      <RouteTerms draft={draft} onChange={setDraft} />
      {error != null && <ErrorNotice error={error} />}
      {fresh && (missing !== undefined || draft.tiers.length === 0) && (
        <p id={missingId} className="text-right text-sm text-quiet">
          {[missing, draft.tiers.length === 0 ? words.targetMissing : undefined].filter(Boolean).join(' ')}
        </p>
      )}
      <div className="flex justify-end gap-2">
        {isChanged && !fresh && (
          <Button kind="quiet" onClick={() => setDraft(draftOf(entry))}>
            {words.undo}
          </Button>
        )}
        <Button
          kind="primary"
          busy={busy}
          aria-describedby={fresh ? missingId : undefined}
          disabled={!isChanged || draft.tiers.length === 0}
          onClick={() => onSave(entryOf(draft))}
        >
          {saveText}
        </Button>
      </div>
    </div>
  );
}

export function stateIn(targets: ModelDetailView['targets'], { provider, model }: TargetEntry) {
  return targets.find((target) => target.provider === provider && target.model === model)?.state;
}

/** A box that moves is made anew in its column; whoever moved it by keys goes on with it. */
function useKeptFocus() {
  const place = useRef<HTMLDivElement>(null);
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    place.current?.querySelector<HTMLElement>(`[data-target="${wanted.current}"]`)?.focus();
    wanted.current = undefined;
  });
  const keepFocus = (id: string | undefined) => {
    wanted.current = id;
  };
  return { place, keepFocus };
}

interface EditingParts {
  readonly draft: RouteDraft;
  readonly selectedId: string | undefined;
  setDraft(draft: RouteDraft): void;
  setSelectedId(id: string | undefined): void;
  /** For those who cannot see what moved. */
  setSaid(text: string): void;
  keepFocus(id: string | undefined): void;
}

function usePictureEditing({ draft, selectedId, setDraft, setSelectedId, setSaid, keepFocus }: EditingParts) {
  const words = useWords().models.route;
  const named = (id: string, act: (target: DraftTarget) => void) => {
    const target = findTarget(draft, id);
    if (target !== undefined) act(target);
  };
  return {
    selectedId,
    onSelect: (id: string) => setSelectedId(id === selectedId ? undefined : id),
    onMove: (id: string, tier: number) =>
      named(id, (target) => {
        const moved = moveTarget(draft, id, tier);
        setDraft(moved);
        setSaid(words.moved(nameOf(target), tierOf(moved, id) + 1));
        keepFocus(id);
      }),
    onWeigh: (id: string, direction: 1 | -1) =>
      named(id, (target) => {
        const weight = stepWeight(weightOf(target), direction);
        setDraft(changeTarget(draft, id, { ...target, weight }));
        setSaid(words.weighs(nameOf(target), String(weight)));
      }),
    onRemove: (id: string) =>
      named(id, (target) => {
        const boxes = draft.tiers.flat();
        const neighbour = boxes[boxes.indexOf(target) + 1] ?? boxes[boxes.indexOf(target) - 1];
        setDraft(removeTarget(draft, id));
        setSelectedId(undefined);
        setSaid(words.removed(nameOf(target)));
        keepFocus(neighbour?.id);
      }),
  };
}

const moderationMoments = ['', 'before', 'after', 'both'] as const;

function RouteTerms({ draft, onChange }: { readonly draft: RouteDraft; onChange(draft: RouteDraft): void }) {
  const words = useWords().models.route;
  return (
    <div className="grid gap-4 border-t border-line pt-5 sm:grid-cols-2">
      <Select
        label={words.choose}
        hint={words.strategyHints[draft.choose]}
        value={draft.choose}
        options={strategies.map((value) => ({ value, label: words.strategies[value] }))}
        onChange={({ target }) => {
          const choose = strategies.find((strategy) => strategy === target.value);
          if (choose !== undefined) onChange({ ...draft, choose });
        }}
      />
      <Select
        label={words.moderation}
        value={draft.moderation ?? ''}
        options={moderationMoments.map((value) => ({ value, label: words.moderations[value] }))}
        onChange={({ target }) => {
          const moment = moderationMoments.find((each) => each === target.value);
          onChange({ ...draft, moderation: moment === '' ? undefined : moment });
        }}
      />
      <Check
        className="sm:col-span-2"
        label={words.affinity}
        hint={words.affinityHint}
        checked={draft.affinity}
        onChange={({ target }) => onChange({ ...draft, affinity: target.checked })}
      />
    </div>
  );
}
