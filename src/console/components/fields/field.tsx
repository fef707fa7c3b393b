/** Where people write or choose: a label above, what to know below, and the mistake in its place. */

import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { useWords } from '../../words/use-words.tsx';
import { Icon } from '../icon.tsx';

export const inputShape =
  'w-full rounded-md border bg-raised text-text transition-colors duration-[120ms] disabled:opacity-50 ' +
  'focus-visible:outline-offset-0 focus-visible:border-accent';

interface FieldTexts {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Says what is wrong and what would be right. */
  readonly error?: string | undefined;
  readonly optional?: boolean;
}

interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** The frame around any control; the control takes the wiring so that its label and its notes are spoken with it. */
function FieldFrame({
  label,
  hint,
  error,
  optional = false,
  children,
}: FieldTexts & { readonly children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const words = useWords();
  const hasNote = error !== undefined || hint !== undefined;
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="flex items-baseline gap-2 text-sm font-medium">
        {label}
        {optional && <span className="text-xs font-normal text-quiet">{words.parts.optional}</span>}
      </label>
      {children({
        id,
        'aria-describedby': hasNote ? `${id}-note` : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hasNote && (
        <p id={`${id}-note`} className={`text-xs ${error === undefined ? 'text-quiet' : 'text-bad'}`}>
          {error === undefined ? hint : words.server.text(error)}
        </p>
      )}
    </div>
  );
}

const borderOf = (error: string | undefined) => (error === undefined ? 'border-line-strong' : 'border-bad');

export interface FieldProps extends FieldTexts, Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> {
  /** For ids, addresses and amounts. */
  readonly mono?: boolean;
}

export function Field({ label, hint, error, optional, mono = false, className = '', ...rest }: FieldProps) {
  return (
    <FieldFrame {...textsOf({ label, hint, error, optional })}>
      {(wiring) => (
        <input
          type="text"
          autoComplete="off"
          {...rest}
          {...wiring}
          className={`${inputShape} ${borderOf(error)} h-8 px-2.5 text-base ${mono ? 'font-mono text-sm' : ''} ${className}`}
        />
      )}
    </FieldFrame>
  );
}

interface TextFieldProps extends FieldTexts, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'> {}

export function TextField({ label, hint, error, optional, className = '', ...rest }: TextFieldProps) {
  return (
    <FieldFrame {...textsOf({ label, hint, error, optional })}>
      {(wiring) => (
        <textarea
          rows={3}
          {...rest}
          {...wiring}
          className={`${inputShape} ${borderOf(error)} px-2.5 py-1.5 ${className}`}
        />
      )}
    </FieldFrame>
  );
}

interface SelectOption {
  readonly value: string;
  readonly label: string;
}

interface SelectProps extends FieldTexts, Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'children'> {
  readonly options: readonly SelectOption[];
}

/** The system's own list: it is what a phone shows best and every keyboard knows. */
export function Select({ label, hint, error, optional, options, className = '', ...rest }: SelectProps) {
  return (
    <FieldFrame {...textsOf({ label, hint, error, optional })}>
      {(wiring) => (
        <span className="relative block">
          <select
            {...rest}
            {...wiring}
            className={`${inputShape} ${borderOf(error)} h-8 cursor-pointer appearance-none pr-8 pl-2.5 ${className}`}
          >
            {options.map(({ value, label: text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
          <Icon name="chevron" className="pointer-events-none absolute top-2 right-2.5 text-quiet" />
        </span>
      )}
    </FieldFrame>
  );
}

interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

export function Check({ label, hint, className = '', ...rest }: CheckProps) {
  const id = useId();
  return (
    <div className={`flex items-start gap-2.5 ${className}`}>
      <input
        type="checkbox"
        {...rest}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-note`}
        className="mt-0.5 size-4 shrink-0 cursor-pointer accent-(--accent)"
      />
      <div className="grid gap-0.5">
        <label htmlFor={id} className="cursor-pointer text-sm font-medium">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-note`} className="text-xs text-quiet">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

/** An absent text is an absent property, which is what strict types ask for. */
function textsOf(texts: {
  readonly label: string;
  readonly hint: ReactNode;
  readonly error: string | undefined;
  readonly optional: boolean | undefined;
}): FieldTexts {
  return {
    label: texts.label,
    error: texts.error,
    ...(texts.hint !== undefined && { hint: texts.hint }),
    ...(texts.optional !== undefined && { optional: texts.optional }),
  };
}
