/** How many a crowd or a sample has: enough for its states in the whole run, the full number in `npm run soak`. */

export const isFullSize = process.env['WEIR_TEST_SIZE'] === 'full';

export function sized(usual: number, full: number): number {
  return isFullSize ? full : usual;
}
