/** The console's pages as data: where each lives, what stands for it, and the code it needs, which arrives when it is opened. */

import type { ConsolePage } from './console-page.ts';

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
    id: 'teams',
    path: '/console/teams',
    icon: 'teams',
    letter: 'e',
    load: () => import('./pages/teams/teams.tsx'),
  },
  {
    id: 'endUsers',
    path: '/console/end-users',
    icon: 'endUsers',
    letter: 'u',
    load: () => import('./pages/end-users/end-users.tsx'),
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
    id: 'alerts',
    path: '/console/alerts',
    icon: 'alerts',
    letter: 'a',
    needs: 'GET /console/api/alerts',
    load: () => import('./pages/alerts/alerts.tsx'),
  },
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
    id: 'device',
    path: '/console/device',
    icon: 'account',
    bare: true,
    hidden: true,
    load: () => import('./pages/device/device.tsx'),
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
  {
    id: 'invitation',
    path: '/console/invitation',
    icon: 'account',
    open: true,
    bare: true,
    hidden: true,
    load: () => import('./pages/invitation/invitation.tsx'),
  },
];

/** Shown in the place of every other page until the session may do more. */
export const welcomePage: ConsolePage = {
  id: 'welcome',
  path: '/console/welcome',
  icon: 'lock',
  bare: true,
  hidden: true,
  load: () => import('./pages/welcome/welcome.tsx'),
};

export const pages: readonly ConsolePage[] = [...everyday, ...entrances, welcomePage, ...gallery];

export const railPages: readonly ConsolePage[] = pages.filter(({ hidden }) => hidden !== true);
