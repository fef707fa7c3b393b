/** Updates docs/providers.md and the number of presets in the README. */

import { countedReadme, providerPage, providerPageFile, readmeFile } from './provider-page.ts';

await Bun.write(providerPageFile, providerPage());
await Bun.write(readmeFile, countedReadme(await Bun.file(readmeFile).text()));
