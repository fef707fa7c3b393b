/** A small choice in a row of filters: its label is spoken, not shown. */

import { Icon } from '../icon.tsx';
import { inputShape } from './field.tsx';

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [string, string])[];
  onChoose(value: string | undefined): void;
}

export function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <span className="relative">
      <select
        aria-label={label}
        value={value ?? ''}
        onChange={(event) => onChoose(event.target.value === '' ? undefined : event.target.value)}
        className={`${inputShape} h-8 cursor-pointer appearance-none border-line-strong pr-8 pl-2.5 text-sm`}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="chevron" className="pointer-events-none absolute top-2 right-2.5 text-quiet" />
    </span>
  );
}
