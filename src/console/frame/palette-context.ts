/** The command palette as pages use it: open it, and add a page's own items while the page is shown. */

import { createContext, use, useEffect } from 'react';
import type { IconName } from '../components/icon.tsx';

export interface PaletteItem {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  readonly keywords?: string;
  readonly icon: IconName;
  run(): void;
}

interface Palette {
  open(): void;
  add(items: readonly PaletteItem[]): () => void;
}

export const PaletteContext = createContext<Palette>({ open: () => undefined, add: () => () => undefined });

export function usePalette(): Palette {
  return use(PaletteContext);
}

/** A page's own things and actions, findable while the page is shown. `items` must be kept between renders. */
export function usePaletteItems(items: readonly PaletteItem[]): void {
  const { add } = usePalette();
  useEffect(() => add(items), [add, items]);
}
