/** A sign-in name as it is compared: people do not think about letters' case or width. */

export const nameKeyOf = (name: string): string => name.trim().normalize('NFKC').toLowerCase();
