/** The names of the strategies that order equal targets, as configuration and requests write them. */

const strategies = ['weighted', 'least_busy', 'fastest', 'cheapest'] as const;
export type Strategy = (typeof strategies)[number];
