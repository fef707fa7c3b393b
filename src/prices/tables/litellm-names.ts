/** Names in LiteLLM's table: a host's prefix, and for images a quality, a size and a number of steps before the model. */

interface LitellmName {
  readonly model: string;
  /** `quality/size`, one of them, where the entry is for images of that kind alone. */
  readonly kind: string | undefined;
  readonly pixels: number | undefined;
}

const sizes = /^(\d{2,5})-x-(\d{2,5})$/;
const anySize = 'max-x-max';
const qualities: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'hd', 'standard', 'auto']);
const steps = /^(\d+|max)-steps$/;

/** `azure/hd/1024-x-1024/dall-e-3` of the host `azure` is the model `dall-e-3`, of the kind `hd/1024x1024`. */
export function imageVariant(key: string, host: string): LitellmName {
  const parts = key.split('/');
  let quality: string | undefined;
  let size: string | undefined;
  let pixels: number | undefined;
  let isVariant = false;
  let index = isPrefixOf(parts[0] ?? '', host) && parts.length > 1 ? 1 : 0;
  for (; index < parts.length - 1; index++) {
    const part = parts[index] ?? '';
    const found = sizes.exec(part);
    if (found !== null) {
      size = `${found[1]}x${found[2]}`;
      pixels = Number(found[1]) * Number(found[2]);
    } else if (qualities.has(part)) quality = part;
    else if (!steps.test(part) && part !== anySize) break;
    isVariant = true;
  }
  // The host's prefix may also come after them.
  if (isVariant && index < parts.length - 1 && isPrefixOf(parts[index] ?? '', host)) index++;
  const kind = [quality, size].filter((part) => part !== undefined).join('/');
  return { model: parts.slice(index).join('/'), kind: isVariant && kind !== '' ? kind : undefined, pixels };
}

/** `vertex_ai` is also the prefix of names of the host `vertex_ai-language-models`. */
function isPrefixOf(part: string, host: string): boolean {
  return part !== '' && (host === part || host.startsWith(`${part}-`) || host.startsWith(`${part}_`));
}
