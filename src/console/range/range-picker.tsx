/** The range and the way to ask again: in the top line, always in the same place. */

import { type FormEvent, useState } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { Field } from '../components/fields/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Dialog } from '../components/overlays/dialog.tsx';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../components/overlays/menu.tsx';
import { useSpeech, useWords } from '../words/use-words.tsx';
import {
  boundsOf,
  type CalendarName,
  type ChosenRange,
  calendarNames,
  fieldText,
  type RangeName,
  rangeBetween,
  rangeNames,
} from './range.ts';

interface RangePickerProps {
  readonly range: ChosenRange;
  onChoose(range: ChosenRange): void;
  /** Something is being asked. */
  readonly isBusy: boolean;
  onRefresh(): void;
}

export function RangePicker({ range, onChoose, isBusy, onRefresh }: RangePickerProps) {
  const words = useWords().overview.range;
  const [isByHand, setByHand] = useState(false);
  const last = rangeNames.map((value) => ({ value, label: words.names[value] }));
  const calendar = calendarNames.map((value) => ({ value, label: words.calendar[value] }));
  return (
    <div className="flex min-w-0 items-center gap-1">
      <Menu
        trigger={
          <Button className="min-w-0 shrink">
            <Icon name="clock" className="max-sm:hidden" />
            <span className="truncate">
              <span className="sr-only">{words.label} </span>
              <RangeText range={range} />
            </span>
            <Icon name="chevron" className="-mr-1 text-quiet" />
          </Button>
        }
      >
        <MenuChoice<CalendarName | ''>
          value={range.kind === 'calendar' ? range.name : ''}
          options={calendar}
          onChoose={(name) => name !== '' && onChoose({ kind: 'calendar', name })}
        />
        <MenuLine />
        <MenuChoice<RangeName | ''>
          value={range.kind === 'last' ? range.name : ''}
          options={last}
          onChoose={(name) => name !== '' && onChoose({ kind: 'last', name })}
        />
        <MenuLine />
        <MenuItem icon="edit" onSelect={() => setByHand(true)}>
          {words.custom}
        </MenuItem>
      </Menu>
      <IconButton
        icon="again"
        label={words.refresh}
        onClick={onRefresh}
        aria-busy={isBusy || undefined}
        className={`max-sm:hidden ${isBusy ? 'animate-breathe' : ''}`}
      />
      <Dialog open={isByHand} title={words.customTitle} onClose={() => setByHand(false)}>
        <ByHand
          range={range}
          onDone={(chosen) => {
            setByHand(false);
            onChoose(chosen);
          }}
        />
      </Dialog>
    </div>
  );
}

function RangeText({ range }: { readonly range: ChosenRange }) {
  const { words, tag } = useSpeech();
  if (range.kind === 'last') {
    const { names, short } = words.overview.range;
    return (
      <>
        <span className="max-sm:hidden">{names[range.name]}</span>
        <span className="sm:hidden">{short[range.name]}</span>
      </>
    );
  }
  if (range.kind === 'calendar') return words.overview.range.calendar[range.name];
  const format = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
  return format.formatRange(range.fromMs, range.toMs);
}

function ByHand({ range, onDone }: { readonly range: ChosenRange; readonly onDone: (range: ChosenRange) => void }) {
  const words = useWords().overview.range;
  const [bounds] = useState(() => boundsOf(range, Date.now()));
  const [from, setFrom] = useState(fieldText(bounds.fromMs));
  const [to, setTo] = useState(fieldText(bounds.toMs));
  const [isTried, setTried] = useState(false);
  const chosen = rangeBetween(from, to);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen === undefined) setTried(true);
    else onDone(chosen);
  };
  return (
    <form onSubmit={submit} className="grid gap-5 p-5" noValidate>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={words.from}
          type="datetime-local"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <Field
          label={words.to}
          type="datetime-local"
          value={to}
          error={isTried && chosen === undefined ? words.wrongOrder : undefined}
          onChange={(event) => setTo(event.target.value)}
        />
      </div>
      <div className="flex justify-end">
        <Button type="submit" kind="primary">
          {words.apply}
        </Button>
      </div>
    </form>
  );
}
