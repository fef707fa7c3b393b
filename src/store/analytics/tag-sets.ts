/**
 * The tags of requests in sums. Cells distinguish sets of tags, as rows have them (`,a,b,`), so that a request with several tags
 * is summed once and a reader adds it to each of its tags. Which sets a period keeps is decided in `summing/kept-names.ts`.
 */

/** A tag of many, as a set of its own. */
export const otherTags = '(others)';

/** How many tags a period has in its cells. */
export const tagsPerPeriodMax = 1_000;

export const tagsIn = (set: string): readonly string[] => (set === '' ? [] : set.slice(1, -1).split(','));
/** A tag between its commas: what is looked for in a set. */
export const tagPattern = (tag: string): string => `,${tag},`;
