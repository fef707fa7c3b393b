/** One field above a list that narrows it while one writes; `/` leads to it from anywhere on the page. */

import { Icon } from '../icon.tsx';
import { inputShape } from './field.tsx';

interface FilterFieldProps {
  readonly label: string;
  readonly value: string;
  /** Nothing where the field was emptied, so that the address holds no empty word. */
  onChange(value: string | undefined): void;
}

export function FilterField({ label, value, onChange }: FilterFieldProps) {
  return (
    <div className="relative w-full max-w-96">
      <Icon name="search" className="pointer-events-none absolute top-2 left-2.5 text-quiet" />
      <input
        type="search"
        data-filter
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (value === '') event.currentTarget.blur();
          else onChange(undefined);
        }}
        autoComplete="off"
        spellCheck={false}
        className={`${inputShape} h-8 border-line-strong pr-2.5 pl-8 [&::-webkit-search-cancel-button]:hidden`}
      />
    </div>
  );
}
