/** No worker could start, and the worker itself has said why. */

export class WorkersError extends Error {
  override readonly name = 'WorkersError';
}
