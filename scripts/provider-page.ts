/** Writes the documents' part about presets from the presets themselves, so that no row and no number is typed twice. */

import { isLookedFor, presets } from '../src/providers/presets.ts';
import type { PresetGroup, ProviderPreset } from '../src/providers/provider.ts';
import { retiredPresets } from '../src/providers/retired-presets.ts';

export const providerPageFile = 'docs/providers.md';
export const readmeFile = 'README.md';

const groups: readonly (readonly [PresetGroup, string])[] = [
  ['maker', 'Model vendors'],
  ['host', 'Hosts and routers'],
  ['cloud', 'Clouds'],
  ['plan', 'Monthly plans'],
  ['media', 'Images, audio and video'],
  ['local', 'Servers of your own'],
];

const code = (text: string) => `\`${text}\``;
const listed = (texts: readonly string[]) => texts.map(code).join(', ') || '–';

/** How Weir finds it without an entry in the file. */
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
  '| kind | provider and its reference | base URL | variable | found | lists models | formats, the preferred one first | other operations | compared |',
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
  `The ${presets.length} presets: what Weir knows of a provider by its name alone. This page is written by`,
  '`npm run docs:providers` from `src/providers/presets/`; change it there. [Configuration](configuration.md#providers)',
  'says how to configure a provider, also one that is not here.',
  '',
  '- **found**: _by its variable_ is used as soon as the variable is set; _when listed_ needs a line in `weir.yaml`,',
  '  because its variable serves other purposes too or another server has the same port; _on its port_ is looked for on',
  '  this machine at start.',
  '- **lists models**: if no, name the models under `models`, or address them as `kind/model`.',
  '- **compared**: the date on which the row was last compared with the provider’s reference.',
];

const settingsHead = [
  '',
  '## Settings',
  '',
  'Values for the placeholders of a base URL: `settings` of the provider in `weir.yaml`, else a variable, else the default.',
  '',
  '| preset | setting | variables | default |',
  '|---|---|---|---|',
];

const retiredHead = [
  '',
  '## Discontinued',
  '',
  'A configuration that names one of these is refused, with this advice.',
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
