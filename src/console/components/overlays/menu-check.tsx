/** A choice in a menu that can be on or off; the menu stays open, because people choose several. */

import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { Icon } from '../icon.tsx';

interface MenuCheckProps {
  readonly checked: boolean;
  readonly children: ReactNode;
  readonly disabled?: boolean;
  onChange(checked: boolean): void;
}

export function MenuCheck({ checked, children, disabled = false, onChange }: MenuCheckProps) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      disabled={disabled}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={
        'flex h-8 cursor-pointer items-center gap-2 rounded-sm px-2 text-sm text-text outline-none select-none ' +
        'data-[highlighted]:bg-pressed data-[disabled]:cursor-default data-[disabled]:opacity-50'
      }
    >
      <span className="grid size-4 place-items-center">
        <Radix.ItemIndicator>
          <Icon name="check" className="text-accent" />
        </Radix.ItemIndicator>
      </span>
      {children}
    </Radix.CheckboxItem>
  );
}
