/** Brings the table of settings in docs/configuration.md up to date. */

import { settingsPage, settingsPageFile } from './settings-page.ts';

await Bun.write(settingsPageFile, settingsPage(await Bun.file(settingsPageFile).text()));
