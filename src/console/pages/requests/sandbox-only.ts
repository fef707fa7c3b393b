/** Whether what is shown comes from the built-in sandbox alone, which the page then says. */

/** Requests that were refused before anybody was asked have no provider and say nothing either way. */
export function isSandboxOnly(providers: readonly string[]): boolean {
  const asked = providers.filter((provider) => provider !== '');
  return asked.length > 0 && asked.every((provider) => provider === 'sandbox');
}
