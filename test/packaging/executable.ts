/** The run's own executable, or one that is built into the folder where a file is run alone. */

import { join } from 'node:path';
import { runTool } from '../../scripts/image/run-tool.ts';

const project = join(import.meta.dir, '../..');

export function executableIn(folder: string): string {
  const given = process.env['WEIR_TEST_EXECUTABLE'];
  if (given !== undefined) return given;
  const built = join(folder, 'weir');
  runTool([process.execPath, join(project, 'scripts/build.ts'), built, '--for-tests'], { cwd: project });
  return built;
}
