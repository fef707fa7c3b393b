/** Says honestly what was drawn and what was not understood: the sandbox draws by rules and must not be taken for a model. */

import type { Scene, SceneItem, Terrain, Weather } from './scene.ts';

const wordsShown = 12;

const terrainText: Readonly<Record<Terrain, string>> = {
  meadow: 'a meadow',
  mountains: 'mountains',
  hills: 'hills',
  forest: 'a forest',
  city: 'a city',
  ocean: 'the sea',
  lake: 'a lake',
  river: 'a river',
  beach: 'a beach',
  desert: 'a desert',
  road: 'a road',
  snowfield: 'snow on the ground',
};

const weatherText: Readonly<Record<Weather, string>> = {
  rain: 'rain',
  snow: 'falling snow',
  storm: 'lightning',
  fog: 'fog',
  cloudy: 'an overcast sky',
};

export function describeScene(scene: Scene): string {
  return `Drawn by the sandbox's rules, not by a model: ${describeContent(scene)}.`;
}

/** What is to be seen, and behind it what the words meant that is not; without a full stop. */
export function describeContent(scene: Scene, thingsAlone = false): string {
  const parts = [...(thingsAlone ? [] : describeBackdrop(scene)), ...scene.items.map(describeItem)];
  const notes = scene.notes.map((note) => ` (${note})`).join('');
  return `${listed(parts)}${notes}${describeUnknown(scene.unknownWords)}`;
}

function describeBackdrop(scene: Scene): string[] {
  const stars = scene.stars ? ['stars'] : [];
  switch (scene.backdrop) {
    case 'pattern':
      return ['an abstract pattern made from the words'];
    case 'plain':
      return [
        scene.backgroundColour === undefined ? 'a plain background' : `a ${scene.backgroundColour.name} background`,
      ];
    case 'space':
      return ['open space', ...stars];
    case 'landscape': {
      const sky = scene.skyColour === undefined ? `a ${scene.time} sky` : `a ${scene.skyColour.name} sky`;
      const terrain = [...scene.terrain].map((each) => terrainText[each]);
      const weather = [...scene.weather].map((each) => weatherText[each]);
      return [sky, ...stars, ...weather, ...terrain, ...(scene.autumn ? ['autumn colours'] : [])];
    }
  }
}

function describeItem({ thing, count, colour, size }: SceneItem): string {
  const plural = count === 1 ? thing : pluralOf(thing);
  return [`${count}`, size === 'medium' ? '' : size, colour?.name ?? '', plural]
    .filter((word) => word !== '')
    .join(' ');
}

function pluralOf(thing: string): string {
  if (thing === 'person') return 'people';
  if (thing === 'cactus') return 'cacti';
  if (thing === 'snowman') return 'snowmen';
  if (thing === 'fish') return thing;
  return /(?:s|sh|x)$/.test(thing) ? `${thing}es` : `${thing}s`;
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
