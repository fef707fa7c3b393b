/** The shape of a console page: its path, its icon, who may open it, and how its code is loaded. */

import type { ComponentType } from 'react';
import type { AdminRouteName } from '../admin/role-table.ts';
import type { IconName } from './components/icon.tsx';
import type { Words } from './words/en.ts';

export interface ConsolePage {
  readonly id: keyof Words['pages'];
  /** With `{name}` for parts that vary; the page finds them in `params`. */
  readonly path: string;
  readonly icon: IconName;
  /** After `g`. */
  readonly letter?: string;
  /** Shown without a session: to those with a token, and to those who are about to sign in. */
  readonly open?: boolean;
  /** Shown only to those whose role may call this. */
  readonly needs?: AdminRouteName;
  /** Without rail and top line. */
  readonly bare?: boolean;
  /** Absent from the rail where it is not for everyday use. */
  readonly hidden?: boolean;
  load(): Promise<{ readonly Page: ComponentType<PageProps> }>;
}

export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}
