/** Writes the TypeScript client of the admin API. */

import { clientFile, clientText } from './admin-client/client-text.ts';

await Bun.write(clientFile, await clientText());
