/** The names of what workers and their supervisor ask of each other; those of the store are in its remote driver. */

export const hubServices = {
  enter: 'e',
  countAhead: 'h',
  leave: 'l',
  enterClass: 'k',
  peek: 'p',
  metrics: 'm',
  ready: 'r',
} as const;
export const workerServices = { metrics: 'm', endInstance: 'i', flush: 'f', giveBack: 'g', answer: 'a' } as const;
