/** The console embedded in the executable; none from source: `scripts/build.ts` replaces this module. */

export const embeddedConsole: string | undefined = undefined;
