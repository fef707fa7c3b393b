/** Where somebody says who they are. */

export function Page() {
  return null;
}
