/** Runs the compatibility matrix and writes docs/compatibility.md from it; ends with an error where a cell failed. */

import { documentFile, documentOf } from '../test/matrix/document.ts';
import { nameOf, runMatrix } from '../test/matrix/run-matrix.ts';

const { cells } = await runMatrix();
await Bun.write(documentFile, documentOf(cells));
const failed = cells.filter(({ failure }) => failure !== undefined);
for (const cell of failed) console.error(`${nameOf(cell)}: ${cell.failure}`);
console.log(`${documentFile}: ${cells.length - failed.length} of ${cells.length} passed`);
process.exit(failed.length === 0 ? 0 : 1);
