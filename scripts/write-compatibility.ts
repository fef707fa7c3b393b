/**
 * Runs the compatibility matrix and the agents, and writes docs/compatibility.md from both; ends with an error if a
 * cell failed.
 */

import { documentFile, documentOf } from '../test/matrix/document.ts';
import { everyCell, nameOf, runMatrix } from '../test/matrix/run-matrix.ts';
import { agentsSection } from '../test/refusing/document.ts';
import { cellName, runAgents } from '../test/refusing/run-agents.ts';

const { cells } = await runMatrix(everyCell());
const run = await runAgents();
await Bun.write(documentFile, documentOf(cells) + agentsSection(run.cells));
const failed = [
  ...cells.flatMap((cell) => (cell.failure === undefined ? [] : [`${nameOf(cell)}: ${cell.failure}`])),
  ...run.cells.flatMap((cell) => (cell.failure === undefined ? [] : [`${cellName(cell)}: ${cell.failure}`])),
];
for (const line of failed) console.error(line);
const count = cells.length + run.cells.length;
console.log(`${documentFile}: ${count - failed.length} of ${count} passed`);
process.exit(failed.length === 0 ? 0 : 1);
