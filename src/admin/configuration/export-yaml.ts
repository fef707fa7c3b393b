/** Writes the console's configuration as a part of `weir.yaml`. Keys are not written: variables hold them. */

import { passwordsIn } from '../../config/readers/read-egress.ts';
import { shownEntry, unseenHeaders } from '../../configuration/entry-secrets.ts';
import type { KeptEntry, KeptProvider } from '../../configuration/kept-entries.ts';
import type { MergedConfiguration } from '../../configuration/merge.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { PresetFacts } from '../../providers/preset-facts.ts';
import type { ExportView } from '../contracts/configuration-contract.ts';
import { sectionText } from './yaml-text.ts';

/** What could not be written, each on a line of its own at the top. */
type Notes = string[];
type NamedTree = readonly [name: string, tree: Tree];

/** Leaves out what the file's reader would refuse, so that the output can be used as it is. */
export function exportYaml(merged: MergedConfiguration, presets: readonly PresetFacts[]): ExportView {
  const notes: Notes = [];
  const variables = new Set<string>();
  const providers = writtenProviders(merged, notes).map(
    (kept): NamedTree => [kept.name, providerTree(kept, presets, variables, notes)],
  );
  const known = new Set(
    merged.providers.flatMap(({ name, config, origin }) => (config || origin === 'built-in' ? name : [])),
  );
  const sections: readonly (readonly [string, readonly NamedTree[]])[] = [
    ['providers', providers],
    ['models', writtenRoutes(merged, known, notes)],
    [
      'prices',
      merged.prices.flatMap(({ kept, config }) => (kept === undefined || config === undefined ? [] : [named(kept)])),
    ],
  ];
  const texts = sections.map(([name, entries]) => sectionText(name, entries)).filter((text) => text !== '');
  return { yaml: notes.map((note) => `# ${note}\n`).join('') + texts.join('\n'), variables: [...variables] };
}

const named = ({ name, entry }: KeptEntry): NamedTree => [name, entry];

function writtenProviders({ providers }: MergedConfiguration, notes: Notes): readonly KeptProvider[] {
  return providers.flatMap(({ kept, problem, name }) => {
    if (kept === undefined) return [];
    // In the file it would take precedence over what was found in the environment or on this machine.
    const rival = providers.find((other) => other.name === name && other.kept === undefined);
    if (problem === undefined || rival?.origin === 'environment' || rival?.origin === 'local') return [kept];
    notes.push(`providers.${name} is left out: ${problem}`);
    return [];
  });
}

function writtenRoutes(
  { routes }: MergedConfiguration,
  known: ReadonlySet<string>,
  notes: Notes,
): readonly NamedTree[] {
  return routes.flatMap(({ kept, config, problem, alias }) => {
    if (kept === undefined) return [];
    const given = kept.entry['targets'];
    const targets = Array.isArray(given) ? given.filter((target: Tree) => known.has(String(target['provider']))) : [];
    if (problem !== undefined) notes.push(`models.${alias} is not written whole: ${problem}`);
    return config === undefined || targets.length === 0 ? [] : [[alias, { ...kept.entry, targets }] as const];
  });
}

/** A variable for each key that none has yet. The id is written too, so that the key keeps its name. */
export function keyVariables(
  { name, entry, keys }: KeptProvider,
  presets: readonly PresetFacts[],
  taken: Set<string>,
): readonly { readonly key_env: string; readonly id: string }[] {
  const kind = typeof entry['kind'] === 'string' ? entry['kind'] : name;
  const usual = presets.find((preset) => preset.kind === kind)?.keyVariable;
  const stem = kind === name && usual !== undefined ? usual : `${variableOf(name)}_API_KEY`;
  return keys.map(({ id }) => {
    const variable = freeName(stem, taken);
    taken.add(variable);
    return { key_env: variable, id };
  });
}

function providerTree(kept: KeptProvider, presets: readonly PresetFacts[], taken: Set<string>, notes: Notes): Tree {
  const { name, entry, draining } = kept;
  const sources = keyVariables(kept, presets, taken);
  for (const place of unwritten(entry)) {
    notes.push(`providers.${name}.${place} is not written here, since it may be a credential.`);
  }
  return {
    ...withoutCredentials(entry),
    ...(sources.length > 0 && { keys: sources }),
    // The file has no draining; a provider that takes no new requests is switched off there.
    ...(draining && { enabled: false }),
  };
}

/** A name as that of a variable. */
export function variableOf(name: string): string {
  const upper = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return /^[0-9]/.test(upper) ? `_${upper}` : upper;
}

/** The places of what an entry hides. */
function unwritten(entry: Tree): readonly string[] {
  const headers = unseenHeaders(shownEntry(entry)).map((header) => `headers.${header}`);
  return hasPassword(entry) ? [...headers, 'proxy'] : headers;
}

function withoutCredentials(entry: Tree): Tree {
  const { headers, proxy, ...rest } = shownEntry(entry);
  const unseen = unseenHeaders({ headers });
  const open = isObject(headers) ? Object.entries(headers).filter(([header]) => !unseen.includes(header)) : [];
  return {
    ...rest,
    ...(open.length > 0 && { headers: Object.fromEntries(open) }),
    ...(proxy !== undefined && !hasPassword(entry) && { proxy }),
  };
}

function hasPassword({ proxy }: Tree): boolean {
  return typeof proxy === 'string' && passwordsIn(proxy).length > 0;
}

function freeName(stem: string, taken: ReadonlySet<string>): string {
  if (!taken.has(stem)) return stem;
  let number = 2;
  while (taken.has(`${stem}_${number}`)) number++;
  return `${stem}_${number}`;
}
