/** The plugin that takes the prices of the package out of a bundle or an executable, into a file beside its code. */

import { waitForUpdate } from '@pydantic/genai-prices';
import type { BunPlugin } from 'bun';

export const pricesName = 'genai-prices.json';

/** Half a megabyte: as code it would be in memory several times, as source, as bytecode and as the text that is parsed. */
export const pricesText = async (): Promise<string> => JSON.stringify(await waitForUpdate());

/** `contents` is a module that exports `waitForUpdate` and reads that file. */
export function packPrices(contents: string): BunPlugin {
  return {
    name: 'pack-prices',
    setup(build) {
      build.onLoad({ filter: /[\\/]@pydantic[\\/]genai-prices[\\/].*\.js$/ }, () => ({ loader: 'js', contents }));
    },
  };
}
