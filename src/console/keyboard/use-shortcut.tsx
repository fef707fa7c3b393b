/** Connects the table of shortcuts with the page's key presses and with the components that add to it. */

import { createContext, type ReactNode, use, useEffect, useEffectEvent, useState } from 'react';
import { ShortcutTable } from './shortcut-table.ts';

const TableContext = createContext<ShortcutTable | undefined>(undefined);

/** What is open over the page takes all keys for itself; it carries this attribute. */
export const capturesKeys = 'data-captures-keys';

export function ShortcutProvider({ children }: { readonly children: ReactNode }) {
  const [table] = useState(() => new ShortcutTable());
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const target = event.target instanceof HTMLElement ? event.target : undefined;
      const press = {
        key: event.key,
        mod: event.ctrlKey || event.metaKey,
        alt: event.altKey,
        writing: target !== undefined && (isWriting(target) || target.closest(`[${capturesKeys}]`) !== null),
      };
      if (table.press(press, event.timeStamp)) event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [table]);
  return <TableContext value={table}>{children}</TableContext>;
}

/** The shortcut exists as long as the component does; with `undefined` it does nothing. */
export function useShortcut(keys: string, run: (() => void) | undefined): void {
  const table = use(TableContext);
  const fire = useEffectEvent(() => run?.());
  const isActive = run !== undefined;
  useEffect(() => {
    if (!isActive) return undefined;
    return table?.add(keys, () => fire());
  }, [table, keys, isActive]);
}

function isWriting(element: HTMLElement): boolean {
  if (element.isContentEditable || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement)
    return true;
  return element instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(element.type);
}

/** ⌘ where people have that key, Ctrl elsewhere. */
export function modKeyText(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
