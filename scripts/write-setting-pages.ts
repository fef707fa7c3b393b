/** Updates the table of docs/configuration.md and the settings of weir.example.yaml. */

import { exampleFile, tableFile, withExampleSettings, withSettingTable } from './setting-pages.ts';

await Bun.write(tableFile, withSettingTable(await Bun.file(tableFile).text()));
await Bun.write(exampleFile, withExampleSettings(await Bun.file(exampleFile).text()));
