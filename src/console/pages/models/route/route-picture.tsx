/** A route as a small picture: tiers as columns, targets as boxes. Boxes are dragged between columns, or moved by keys. */

import { type KeyboardEvent, type ReactNode, type RefObject, useId, useRef } from 'react';
import type { HealthStateName } from '../../../../admin/contracts/contract.ts';
import { Icon } from '../../../components/icon.tsx';
import { HealthDot } from '../../../health/health-badge.tsx';
import { shareText } from '../../../texts/number.ts';
import { useSpeech, useWords } from '../../../words/use-words.tsx';
import { type DraftTarget, type RouteDraft, shareOf, weightOf } from './route-draft.ts';
import { useTargetDrag } from './target-drag.ts';

interface RoutePictureProps {
  readonly draft: RouteDraft;
  /** Absent where nobody has asked that target yet. */
  stateOf(target: DraftTarget): HealthStateName | undefined;
  /** Absent: a picture to look at. */
  readonly editing?: PictureEditing;
}

interface PictureEditing {
  readonly selectedId: string | undefined;
  onSelect(id: string): void;
  onMove(id: string, tier: number): void;
  onWeigh(id: string, direction: 1 | -1): void;
  onRemove(id: string): void;
}

export function RoutePicture({ draft, stateOf, editing }: RoutePictureProps) {
  const words = useWords().models.route;
  const hintId = useId();
  const picture = useRef<HTMLOListElement>(null);
  return (
    <div className="grid gap-2">
      <section
        aria-label={words.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        tabIndex={0}
        className="overflow-x-auto rounded-md border border-line bg-sunken p-3"
      >
        <ol ref={picture} className="flex items-stretch">
          {draft.tiers.map((tier, number) => (
            <Tier key={tier[0]?.id ?? number} number={number}>
              {tier.map((target) => (
                <li key={target.id} className="min-w-0">
                  <TargetBox
                    target={target}
                    tier={number}
                    share={draft.choose === 'weighted' && tier.length > 1 ? shareOf(target, tier) : undefined}
                    state={stateOf(target)}
                    editing={editing}
                    hintId={hintId}
                    picture={picture}
                  />
                </li>
              ))}
            </Tier>
          ))}
          {editing !== undefined && draft.tiers.length > 0 && <FurtherTier number={draft.tiers.length} />}
        </ol>
      </section>
      {editing !== undefined && (
        <p id={hintId} className="text-xs text-quiet">
          {words.keys}
        </p>
      )}
    </div>
  );
}

const columnShape = 'grid w-36 shrink-0 grow basis-36 content-start gap-2 rounded-sm data-[over]:bg-wash';

function Tier({ number, children }: { readonly number: number; readonly children: ReactNode }) {
  const words = useWords().models.route;
  return (
    <li className="flex shrink-0 grow" data-tier={number}>
      {number > 0 && (
        <span aria-hidden="true" className="flex w-5 shrink-0 items-start justify-center text-quiet">
          <Icon name="right" />
        </span>
      )}
      <div className={columnShape} data-column>
        <p className="flex items-baseline gap-2 px-0.5 text-xs">
          <span className="font-medium">{words.tier(number + 1)}</span>
          <span className="truncate text-quiet">{number === 0 ? words.first : words.next}</span>
        </p>
        <ul className="grid gap-2">{children}</ul>
      </div>
    </li>
  );
}

/** Where a target is dropped to be asked after all others. */
function FurtherTier({ number }: { readonly number: number }) {
  const words = useWords().models.route;
  return (
    <li className="flex shrink-0" data-tier={number}>
      <span aria-hidden="true" className="w-5 shrink-0" />
      <div className="grid w-24 shrink-0 content-start gap-2" data-column>
        <p className="px-0.5 text-xs text-quiet">{words.newTier}</p>
        <p className="grid min-h-14 place-items-center rounded-md border border-dashed border-line-strong p-2 text-center text-xs text-quiet [[data-column][data-over]_&]:border-accent [[data-column][data-over]_&]:text-accent">
          {words.dropHere}
        </p>
      </div>
    </li>
  );
}

interface TargetBoxProps {
  readonly target: DraftTarget;
  readonly tier: number;
  /** Absent where weights do not decide, or nobody shares. */
  readonly share: number | undefined;
  readonly state: HealthStateName | undefined;
  readonly editing: PictureEditing | undefined;
  readonly hintId: string;
  readonly picture: RefObject<HTMLOListElement | null>;
}

const boxShape = 'grid w-full min-w-0 gap-1 rounded-md border bg-raised px-2.5 py-2 text-left text-sm';

function TargetBox({ target, tier, share, state, editing, hintId, picture }: TargetBoxProps) {
  const { words: all, tag } = useSpeech();
  const words = all.models.route;
  const drag = useTargetDrag(picture, (to) => editing?.onMove(target.id, to));
  const weight = String(weightOf(target));
  const content = (
    <>
      <span className="flex min-w-0 items-center gap-1.5 font-medium">
        {state !== undefined && <HealthDot state={state} />}
        <span className="truncate">{target.provider}</span>
        {state !== undefined && <span className="sr-only">{all.health.states[state]}</span>}
      </span>
      <code className="truncate text-xs text-quiet" title={target.model}>
        {target.model}
      </code>
      <span className="flex justify-between gap-2 text-xs text-quiet tabular-nums">
        <span>{words.weightIs(weight)}</span>
        {share !== undefined && <span className="font-medium text-text">{shareText(share, tag)}</span>}
        <span className="sr-only">{words.tier(tier + 1)}</span>
      </span>
    </>
  );
  if (editing === undefined) return <div className={`${boxShape} border-line`}>{content}</div>;
  const isSelected = editing.selectedId === target.id;
  return (
    <button
      type="button"
      data-target={target.id}
      aria-describedby={hintId}
      aria-pressed={isSelected}
      {...drag}
      onClick={() => editing.onSelect(target.id)}
      onKeyDown={(event) => pressBox(event, target.id, tier, editing, picture)}
      className={
        `${boxShape} cursor-grab touch-pan-y select-none data-[dragged]:relative data-[dragged]:z-10 data-[dragged]:cursor-grabbing ` +
        `data-[dragged]:shadow-float ${isSelected ? 'border-accent' : 'border-line hover:border-line-strong'}`
      }
    >
      {content}
    </button>
  );
}

function pressBox(
  event: KeyboardEvent,
  id: string,
  tier: number,
  editing: PictureEditing,
  picture: RefObject<HTMLOListElement | null>,
): void {
  const goTo = (step: number) => {
    const boxes = [...(picture.current?.querySelectorAll<HTMLElement>('[data-target]') ?? [])];
    const place = boxes.findIndex((box) => box.dataset['target'] === id);
    boxes[Math.max(0, Math.min(boxes.length - 1, place + step))]?.focus();
  };
  const acts: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => editing.onMove(id, tier - 1),
    ArrowRight: () => editing.onMove(id, tier + 1),
    ArrowUp: () => goTo(-1),
    ArrowDown: () => goTo(1),
    '+': () => editing.onWeigh(id, 1),
    '=': () => editing.onWeigh(id, 1),
    '-': () => editing.onWeigh(id, -1),
    Delete: () => editing.onRemove(id),
    Backspace: () => editing.onRemove(id),
  };
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}
