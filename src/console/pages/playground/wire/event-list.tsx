/** The raw events of a stream with their times: thousands of them cost no more than those in sight. */

import { type KeyboardEvent, memo, useEffect, useId, useMemo, useRef, useState } from 'react';
import { CodeBlock } from '../../../components/code-block.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { prettyJson } from '../../../highlight/pretty-json.ts';
import { useSpeech } from '../../../words/use-words.tsx';
import type { WireEvent } from './wire-store.ts';

const rowPx = 26;
const sparePx = 400;

export function EventList({ events, count }: { readonly events: readonly WireEvent[]; readonly count: number }) {
  const { words: all } = useSpeech();
  const words = all.playground.wire;
  const [chosen, setChosen] = useState<number>();
  if (count === 0) {
    return (
      <EmptyState icon="wire" title={words.noEvents}>
        {words.noEventsHint}
      </EmptyState>
    );
  }
  const shown = chosen === undefined ? undefined : events[chosen];
  return (
    <div className="flex h-full min-h-0 flex-col gap-3">
      <Rows events={events} count={count} chosen={chosen} onChoose={setChosen} />
      {chosen !== undefined && shown !== undefined && (
        <div className="max-h-[45%] shrink-0 overflow-y-auto">
          <CodeBlock title={words.event(chosen + 1)} code={prettyEvent(shown.text)} wrap />
        </div>
      )}
    </div>
  );
}

interface RowsProps {
  readonly events: readonly WireEvent[];
  readonly count: number;
  readonly chosen: number | undefined;
  onChoose(index: number): void;
}

function Rows({ events, count, chosen, onChoose }: RowsProps) {
  const { tag, words } = useSpeech();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const [topPx, setTopPx] = useState(0);
  useEffect(() => {
    const list = box.current;
    if (list !== null && count > 0 && isFollowing.current && chosen === undefined) list.scrollTop = list.scrollHeight;
  }, [count, chosen]);
  const scrolled = () => {
    const list = box.current;
    if (list === null) return;
    isFollowing.current = list.scrollHeight - list.scrollTop - list.clientHeight < rowPx * 2;
    setTopPx(list.scrollTop);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -count, End: count }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, (chosen ?? (step > 0 ? -1 : count)) + step));
    onChoose(next);
    const list = box.current;
    if (list === null) return;
    if (next * rowPx < list.scrollTop) list.scrollTop = next * rowPx;
    else if ((next + 1) * rowPx > list.scrollTop + list.clientHeight) {
      list.scrollTop = (next + 1) * rowPx - list.clientHeight;
    }
  };
  const heightPx = (box.current?.clientHeight ?? 0) + sparePx;
  const first = Math.max(0, Math.floor((topPx - sparePx / 2) / rowPx));
  const last = Math.min(count, first + Math.ceil((heightPx + sparePx / 2) / rowPx));
  const seconds = useMemo(
    () => new Intl.NumberFormat(tag, { minimumFractionDigits: 3, maximumFractionDigits: 3 }),
    [tag],
  );
  return (
    <div
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label={words.playground.wire.tabs.events}
      aria-activedescendant={chosen === undefined ? undefined : `${id}-${chosen}`}
      onScroll={scrolled}
      onKeyDown={press}
      className="min-h-32 grow overflow-y-auto rounded-md border border-line bg-raised"
    >
      <div role="presentation" className="relative" style={{ height: count * rowPx }}>
        {events.slice(first, last).map((event, offset) => (
          <Row
            key={first + offset}
            id={`${id}-${first + offset}`}
            index={first + offset}
            event={event}
            seconds={seconds}
            isChosen={first + offset === chosen}
            onChoose={onChoose}
          />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly id: string;
  readonly index: number;
  readonly event: WireEvent;
  readonly seconds: Intl.NumberFormat;
  readonly isChosen: boolean;
  onChoose(index: number): void;
}

/** Drawn once: an event never changes, and while a stream runs new ones come with every frame. */
const Row = memo(function Row({ id, index, event, seconds, isChosen, onChoose }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list moves and chooses by its own keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays on the list, as its pattern wants.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-posinset={index + 1}
      aria-setsize={-1}
      onClick={() => onChoose(index)}
      style={{ top: index * rowPx, height: rowPx }}
      className={`absolute inset-x-0 flex cursor-pointer items-center gap-3 px-2 font-mono text-xs ${isChosen ? 'bg-wash' : 'hover:bg-sunken'}`}
    >
      <span className="w-14 shrink-0 text-right text-quiet tabular-nums">{seconds.format(event.atMs / 1_000)}</span>
      <span className="truncate">{gistOf(event.text)}</span>
    </div>
  );
});

const lineCharactersMax = 300;
/** Where the news of an event begins; before it stand the same ids in every one. */
const news = /"(?:delta|parts|content_block|item|error|usage|finish_reason|finishReason)":/;

/** A row shows what is new in the event; the whole of it is one press away. */
export function gistOf(text: string): string {
  const name = /^event: ?(.*)$/m.exec(text)?.[1];
  const data = text.replace(/^event:.*\n/, '').replace(/^data: ?/, '');
  const start = name === undefined ? Math.max(0, data.search(news)) : 0;
  const shown = `${start > 0 ? '…' : ''}${data.slice(start, start + lineCharactersMax)}`.replaceAll('\n', ' ');
  if (name === undefined) return shown;
  const at = data.search(news);
  return at > 0 ? `${name} …${data.slice(at, at + lineCharactersMax)}`.replaceAll('\n', ' ') : name;
}

/** Its lines as they came, with the JSON in them laid out. */
function prettyEvent(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith('data:') ? `data: ${readable(line.slice(5).trim())}` : readable(line)))
    .join('\n');
}

const readable = (text: string): string => prettyJson(text) ?? text;
