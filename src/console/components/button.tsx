/** What is pressed: a button with words, and one with a pictogram whose words are its tooltip. */

import type { ButtonHTMLAttributes } from 'react';
import { Icon, type IconName } from './icon.tsx';
import { Tooltip } from './overlays/tooltip.tsx';

const kinds = {
  /** The one thing a page is for. */
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  plain: 'border-line bg-raised text-text hover:bg-sunken active:bg-pressed',
  quiet: 'border-transparent bg-transparent text-quiet hover:bg-pressed hover:text-text',
  danger: 'border-line bg-raised text-bad hover:border-bad hover:bg-bad-wash',
} as const;

const sizes = { small: 'h-7 px-2.5 text-sm', medium: 'h-8 px-3 text-sm', large: 'h-10 px-4 text-base' } as const;

const shape =
  'inline-flex shrink-0 cursor-pointer items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap ' +
  'select-none transition-colors duration-[120ms] disabled:cursor-default disabled:opacity-50 disabled:pointer-events-none';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: keyof typeof kinds;
  readonly size?: keyof typeof sizes;
  readonly icon?: IconName;
  /** Under way: the button keeps its place and its words, and cannot be pressed twice. */
  readonly busy?: boolean;
}

export function Button({
  kind = 'plain',
  size = 'medium',
  icon,
  busy = false,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || busy}
      aria-busy={busy || undefined}
      className={`${shape} ${kinds[kind]} ${sizes[size]} ${busy ? 'animate-breathe' : ''} ${className}`}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  readonly icon: IconName;
  /** Spoken and shown; a pictogram alone is a riddle. */
  readonly label: string;
  readonly kind?: 'quiet' | 'plain';
  readonly hideTip?: boolean;
}

export function IconButton({ icon, label, kind = 'quiet', hideTip = false, className = '', ...rest }: IconButtonProps) {
  const button = (
    <button type="button" aria-label={label} {...rest} className={`${shape} ${kinds[kind]} size-8 ${className}`}>
      <Icon name={icon} />
    </button>
  );
  return hideTip ? button : <Tooltip text={label}>{button}</Tooltip>;
}
