/** The sizes that models of pictures know, as they are written and as they are read. */

const sizes = ['256x256', '512x512', '1024x1024', '1536x1024', '1024x1536'] as const;

export const sizeOptions = sizes.map((value) => ({ value, label: sizeText(value) }));

export function sizeText(size: string): string {
  return size.replace('x', ' × ');
}
