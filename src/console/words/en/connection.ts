/** English words for a connection that was lost. */

export const connection = {
  lost: 'Connection lost.',
  retrying: 'Retrying …',
  figuresFrom: (time: string) => `Figures from ${time}`,
  retryNow: 'Retry now',
};
