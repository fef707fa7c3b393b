/** Which setting stands in which part of the page: by its key, so that a new setting finds its place by itself. */

import type { SettingDetailView } from '../../../admin/contracts/settings-contract.ts';

export const settingSections = ['limits', 'retention', 'security', 'home', 'other'] as const;
export type SettingSection = (typeof settingSections)[number];

const sectionsByKey: Readonly<Record<string, SettingSection>> = {
  'server.public_url': 'security',
  'server.trusted_proxies': 'security',
  'tasks.result_lifetime_ms': 'retention',
  secret_key: 'security',
  secret_key_old: 'security',
  admin_password: 'security',
  first_token: 'security',
};

const sectionsByGroup: Readonly<Record<string, SettingSection>> = {
  limits: 'limits',
  clocks: 'limits',
  tokens: 'limits',
  content_storage: 'retention',
  usage: 'retention',
  egress: 'security',
  sign_in: 'security',
  admin_keys: 'security',
  home: 'home',
};

/** What stands before the first point; settings without one are about Weir as a whole. */
export function groupOf(key: string): string {
  const point = key.indexOf('.');
  return point === -1 ? '' : key.slice(0, point);
}

export function sectionOf(key: string): SettingSection {
  return sectionsByKey[key] ?? sectionsByGroup[groupOf(key)] ?? 'other';
}

interface SettingGroup {
  readonly group: string;
  readonly settings: readonly SettingDetailView[];
}

/** The section's settings by group, both in the order in which they are given. */
export function groupsOf(settings: readonly SettingDetailView[], section: SettingSection): readonly SettingGroup[] {
  const groups = new Map<string, SettingDetailView[]>();
  for (const setting of settings) {
    if (sectionOf(setting.key) !== section) continue;
    const group = groupOf(setting.key);
    const found = groups.get(group);
    if (found === undefined) groups.set(group, [setting]);
    else found.push(setting);
  }
  return [...groups].map(([group, members]) => ({ group, settings: members }));
}

/** `meaning`: as the person reads it. */
export function matches(setting: SettingDetailView, text: string, meaning = setting.meaning): boolean {
  const known = `${setting.key} ${setting.variable ?? ''} ${meaning}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => known.includes(word));
}
