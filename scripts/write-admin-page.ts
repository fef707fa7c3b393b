/** Updates the table of docs/admin-api.md. */

import { adminPageFile, withAdminRoutes } from './admin-page.ts';

await Bun.write(adminPageFile, withAdminRoutes(await Bun.file(adminPageFile).text()));
