/** The settings' sections in their order, and what someone must be allowed to call to see one. */

import type { AdminRouteName } from '../../../admin/role-table.ts';

const sectionIds = [
  'appearance',
  'account',
  'people',
  'signIn',
  'adminKeys',
  'limits',
  'retention',
  'security',
  'home',
  'other',
  'audit',
  'about',
] as const;

export type SectionId = (typeof sectionIds)[number];

const needs: Readonly<Partial<Record<SectionId, AdminRouteName>>> = {
  people: 'GET /console/api/accounts',
  signIn: 'GET /console/api/sign-in/settings',
  adminKeys: 'GET /console/api/admin-keys',
  limits: 'GET /console/api/settings',
  retention: 'GET /console/api/settings',
  security: 'GET /console/api/settings',
  home: 'GET /console/api/home',
  other: 'GET /console/api/settings',
  audit: 'GET /console/api/audit',
};

export function sectionsFor(may: (route: AdminRouteName) => boolean): readonly SectionId[] {
  return sectionIds.filter((id) => {
    const route = needs[id];
    return route === undefined || may(route);
  });
}
