/** Describes what was drawn and what was not understood, so that the sandbox is not taken for a model. */

import type { Scene, SceneItem, Terrain } from './scene.ts';

const wordsShown = 12;

const terrainText: Readonly<Record<Terrain, string>> = {
  meadow: 'a meadow',
  mountains: 'mountains',
  forest: 'a forest',
  city: 'a city',
  sea: 'the sea',
  desert: 'a desert',
};

export function describeScene(scene: Scene): string {
  return `Drawn by the sandbox's rules, not by a model: ${describeContent(scene)}.`;
}

/** What is drawn, then what was not understood; without a period. */
export function describeContent(scene: Scene, withoutBackdrop = false): string {
  const parts = [...(withoutBackdrop ? [] : describeBackdrop(scene)), ...scene.items.map(describeItem)];
  const notes = scene.notes.map((note) => ` (${note})`).join('');
  return `${listed(parts)}${notes}${describeUnknown(scene.unknownWords)}`;
}

function describeBackdrop({ backdrop, backgroundColor, skyColor, time, stars, weather, terrain }: Scene): string[] {
  if (backdrop === 'pattern') return ['an abstract pattern made from the words'];
  if (backdrop === 'plain') return [`a ${backgroundColor?.name ?? 'plain'} background`];
  const sky = backdrop === 'space' ? 'open space' : `a ${skyColor?.name ?? time} sky`;
  const ground = backdrop === 'space' ? [] : [...terrain].map((each) => terrainText[each]);
  return [sky, ...(stars ? ['stars'] : []), ...(weather === undefined ? [] : [weather]), ...ground];
}

function describeItem({ thing, count, color, size }: SceneItem): string {
  const name = count === 1 ? thing : `${thing}s`;
  return [`${count}`, size === 'medium' ? '' : size, color?.name ?? '', name].filter((word) => word !== '').join(' ');
}

function describeUnknown(words: readonly string[]): string {
  if (words.length === 0) return '';
  const shown = words.slice(0, wordsShown).map((word) => `"${word}"`);
  const more = words.length > wordsShown ? [`${words.length - wordsShown} more`] : [];
  return `; not understood: ${listed([...shown, ...more])}`;
}

export function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
