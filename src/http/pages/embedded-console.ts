/** Where the executable finds the console it carries; from source there is none, and `scripts/build.ts` puts another module in this one's place. */

export const embeddedConsole: string | undefined = undefined;
