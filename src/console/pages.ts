/** The console's pages as data: where each lives, what stands for it, and the code it needs, which arrives when it is opened. */

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

/** True only in builds from source; the executable carries no gallery. */
declare const withGallery: boolean;

const everyday: readonly ConsolePage[] = [
  {
    id: 'overview',
    path: '/console',
    icon: 'overview',
    letter: 'o',
    load: () => import('./pages/overview/overview.tsx'),
  },
  {
    id: 'playground',
    path: '/console/playground',
    icon: 'playground',
    letter: 'p',
    open: true,
    load: () => import('./pages/playground/playground.tsx'),
  },
  {
    id: 'requests',
    path: '/console/requests',
    icon: 'requests',
    letter: 'r',
    load: () => import('./pages/requests/requests.tsx'),
  },
  {
    id: 'tokens',
    path: '/console/tokens',
    icon: 'tokens',
    letter: 't',
    load: () => import('./pages/tokens/tokens.tsx'),
  },
  {
    id: 'providers',
    path: '/console/providers',
    icon: 'providers',
    letter: 'v',
    needs: 'GET /console/api/providers',
    load: () => import('./pages/providers/providers.tsx'),
  },
  {
    id: 'models',
    path: '/console/models',
    icon: 'models',
    letter: 'm',
    load: () => import('./pages/models/models.tsx'),
  },
  { id: 'tasks', path: '/console/tasks', icon: 'tasks', letter: 'k', load: () => import('./pages/tasks/tasks.tsx') },
  {
    id: 'settings',
    path: '/console/settings',
    icon: 'settings',
    letter: 's',
    load: () => import('./pages/settings/settings.tsx'),
  },
];

const gallery: readonly ConsolePage[] = withGallery
  ? [
      {
        id: 'gallery',
        path: '/console/gallery',
        icon: 'gallery',
        hidden: true,
        load: () => import('./pages/gallery/gallery.tsx'),
      },
    ]
  : [];

/** Not for every day, and before the sign-in. */
const entrances: readonly ConsolePage[] = [
  {
    id: 'reference',
    path: '/console/reference',
    icon: 'wire',
    open: true,
    hidden: true,
    load: () => import('./pages/reference/reference.tsx'),
  },
  {
    id: 'signIn',
    path: '/console/sign-in',
    icon: 'account',
    open: true,
    bare: true,
    hidden: true,
    load: () => import('./pages/sign-in/sign-in.tsx'),
  },
  {
    id: 'setUp',
    path: '/console/set-up',
    icon: 'account',
    open: true,
    bare: true,
    hidden: true,
    load: () => import('./pages/set-up/set-up.tsx'),
  },
];

export const pages: readonly ConsolePage[] = [...everyday, ...entrances, ...gallery];

export const railPages: readonly ConsolePage[] = pages.filter(({ hidden }) => hidden !== true);
