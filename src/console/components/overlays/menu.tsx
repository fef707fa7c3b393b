/** A menu under a button: actions, links, and choices of which one holds. */

import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from '../icon.tsx';

const itemShape =
  'flex h-8 cursor-pointer items-center gap-2 rounded-sm px-2 text-sm text-text outline-none select-none ' +
  'data-[highlighted]:bg-pressed data-[disabled]:cursor-default data-[disabled]:opacity-50';

export function Menu({
  trigger,
  children,
  align = 'end',
}: {
  readonly trigger: ReactElement;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}) {
  return (
    // Not modal: the page behind stays usable, and its scroll bar in place.
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-40 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 animate-rise overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuItemProps {
  readonly icon?: IconName;
  readonly children: ReactNode;
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
}

export function MenuItem({ icon, children, hint, disabled = false, onSelect }: MenuItemProps) {
  return (
    <Radix.Item className={itemShape} disabled={disabled} onSelect={onSelect}>
      {icon !== undefined && <Icon name={icon} className="text-quiet" />}
      <span className="grow">{children}</span>
      {hint}
    </Radix.Item>
  );
}

export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 pt-2 pb-1 text-xs text-quiet">{children}</Radix.Label>;
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}

interface MenuChoiceProps<Value extends string> {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly icon?: IconName }[];
  onChoose(value: Value): void;
}

export function MenuChoice<Value extends string>({ value, options, onChoose }: MenuChoiceProps<Value>) {
  const choose = (chosen: string) => {
    const option = options.find((candidate) => candidate.value === chosen);
    if (option !== undefined) onChoose(option.value);
  };
  return (
    <Radix.RadioGroup value={value} onValueChange={choose}>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={itemShape}>
          {option.icon !== undefined && <Icon name={option.icon} className="text-quiet" />}
          <span className="grow">{option.label}</span>
          <Radix.ItemIndicator>
            <Icon name="check" className="text-accent" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}
