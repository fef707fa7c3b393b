/** The first start: whoever has the link from the banner becomes the owner. */

export function Page() {
  return null;
}
