/** A preload for a process of Weir: writes the path of every sandbox module that it loads to the file that LOADED_MODULES names. */

import { appendFileSync } from 'node:fs';

const file = process.env['LOADED_MODULES'];

if (file !== undefined) {
  Bun.plugin({
    name: 'record-modules',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]sandbox[\\/].*\.ts$/ }, async ({ path }) => {
        appendFileSync(file, `${path}\n`);
        return { contents: await Bun.file(path).text(), loader: 'ts' };
      });
    },
  });
}
