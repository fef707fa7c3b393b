/** The plugin that puts the prices of the package into a bundle or an executable in a form that is quick to load. */

import { waitForUpdate } from '@pydantic/genai-prices';
import type { BunPlugin } from 'bun';

/** The same prices as text: an object literal of half a megabyte takes ten times as long to make as this takes to parse. */
export const packPrices: BunPlugin = {
  name: 'pack-prices',
  setup(build) {
    build.onLoad({ filter: /[\\/]@pydantic[\\/]genai-prices[\\/].*\.js$/ }, async () => ({
      loader: 'js',
      contents: `const text = ${JSON.stringify(JSON.stringify(await waitForUpdate()))};
export const waitForUpdate = async () => JSON.parse(text);\n`,
    }));
  },
};
