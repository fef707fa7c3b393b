/** Providers that Weir knew by name and that no longer exist: what the error says to a configuration that still names one. */

export interface RetiredPreset {
  readonly name: string;
  readonly label: string;
  /** The last day is before this one: `2026-07-30`. */
  readonly ended: string;
  /** What to use in its place. */
  readonly instead: string;
  /** Where the end was announced. */
  readonly source: string;
}

export const retiredPresets: readonly RetiredPreset[] = [
  {
    name: 'github',
    label: 'GitHub Models',
    ended: '2026-07-30',
    instead: '`azure-foundry` or `azure`, which serve the same models with a key of Azure',
    source: 'https://github.com/orgs/community/discussions/203602',
  },
  {
    name: 'hunyuan',
    label: 'Tencent Hunyuan',
    ended: '2026-09-30',
    instead: '`tokenhub` (Tencent TokenHub), with a key of its own',
    source: 'https://cloud.tencent.com/document/product/1729/131925',
  },
];

export function retiredPreset(name: string): RetiredPreset | undefined {
  return retiredPresets.find((preset) => preset.name === name);
}
