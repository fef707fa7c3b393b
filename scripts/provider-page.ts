/** Writes the documents' part about presets from the presets themselves, so that no row and no number is typed twice. */

import { isLookedFor, presets } from '../src/providers/presets.ts';
import type { PresetGroup, ProviderPreset } from '../src/providers/provider.ts';
import { retiredPresets } from '../src/providers/retired-presets.ts';

export const providerPageFile = 'docs/providers.md';
export const readmeFile = 'README.md';

const groups: readonly (readonly [PresetGroup, string])[] = [
  ['maker', 'Makers of models'],
  ['host', 'Hosts and routers'],
  ['cloud', 'Clouds'],
  ['plan', 'Plans paid by the month'],
  ['media', 'Images, audio and video'],
  ['local', 'Servers of your own'],
];

const code = (text: string) => `\`${text}\``;
const listed = (texts: readonly string[]) => texts.map(code).join(', ') || '–';

/** How Weir comes to use it without a word in the file. */
function found(preset: ProviderPreset): string {
  if (isLookedFor(preset)) return 'on its port';
  return preset.local === true || preset.keyVariableIsShared === true ? 'when listed' : 'by its variable';
}

function presetRow(preset: ProviderPreset): string {
  const cells = [
    code(preset.name),
    `[${preset.label}](${preset.docs})`,
    code(preset.baseUrl),
    listed(preset.keyVariables),
    found(preset),
    preset.modelsPath === undefined ? 'no' : 'yes',
    listed(Object.keys(preset.formats)),
    listed(Object.keys(preset.operations ?? {})),
    preset.checked,
  ];
  return `| ${cells.join(' | ')} |`;
}

const presetHead = [
  '| kind | provider and its reference | address | variable | found | lists models | formats, the preferred one first | beside conversations | compared |',
  '|---|---|---|---|---|---|---|---|---|',
];

function groupSection([group, title]: readonly [PresetGroup, string]): string[] {
  const rows = presets.filter((preset) => preset.group === group).map(presetRow);
  return rows.length === 0 ? [] : ['', `## ${title}`, '', ...presetHead, ...rows];
}

function settingRows(): string[] {
  return presets.flatMap((preset) =>
    Object.entries(preset.settings ?? {}).map(([name, setting]) => {
      const usual = setting.default === undefined ? '–' : code(setting.default);
      return `| ${code(preset.name)} | ${code(name)} | ${listed(setting.variables)} | ${usual} |`;
    }),
  );
}

const introduction = [
  '# Providers',
  '',
  `The ${presets.length} presets: what Weir knows of a provider by its name alone. This page is written by \`npm run docs:providers\` from`,
  '`src/providers/presets/`; change it there. [Configuration](configuration.md#providers) says how a provider is set up, and what to do for one that is not here.',
  '',
  '- **found**: _by its variable_ is used as soon as the variable is set; _when listed_ needs a line in `weir.yaml`, because its variable serves other',
  '  purposes too or another server has the same port; _on its port_ is looked for on this machine at start.',
  '- **lists models**: where it says no, name the models under `models`, or ask for them as `kind/model`.',
  '- **compared**: the day on which the row was last compared with a description of the provider.',
];

const settingsHead = [
  '',
  '## Settings',
  '',
  'What fills the holes of an address: `settings` of the provider in `weir.yaml`, else a variable, else the default.',
  '',
  '| preset | setting | variables | default |',
  '|---|---|---|---|',
];

const retiredHead = [
  '',
  '## Ended',
  '',
  'A configuration that still names one of these is refused, with this advice.',
  '',
  '| kind | provider | ended | instead |',
  '|---|---|---|---|',
];

export function providerPage(): string {
  const ended = retiredPresets.map(
    ({ name, label, ended, instead }) => `| ${code(name)} | ${label} | ${ended} | ${instead} |`,
  );
  const lines = [
    ...introduction,
    ...groups.flatMap(groupSection),
    ...settingsHead,
    ...settingRows(),
    ...retiredHead,
    ...ended,
  ];
  return `${lines.join('\n')}\n`;
}

/** The front page with today's number of presets. */
export function countedReadme(readme: string): string {
  return readme.replace(/\d+ presets\b/g, `${presets.length} presets`);
}
