/** Pictures that were made, each with what the model made of the prompt, and a way to keep it. */

import { countText } from '../../../../texts/number.ts';
import { useSpeech } from '../../../../words/use-words.tsx';
import { DownloadLink } from '../download-link.tsx';
import { useObjectUrl } from '../use-object-url.ts';
import { type MadePicture, ownPath } from './picture.ts';

export function PictureGrid({ pictures }: { readonly pictures: readonly MadePicture[] }) {
  return (
    <ul
      className={`grid gap-4 ${pictures.length > 1 ? 'grid-cols-[repeat(auto-fill,minmax(220px,1fr))]' : 'max-w-xl'}`}
    >
      {pictures.map((picture, place) => (
        <li key={place}>
          <PictureCard picture={picture} place={place} />
        </li>
      ))}
    </ul>
  );
}

function PictureCard({ picture, place }: { readonly picture: MadePicture; readonly place: number }) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.images;
  const held = useObjectUrl(picture.blob);
  const src = picture.blob === undefined ? ownPath(picture.url, location.origin) : held;
  const name = words.picture(countText(place + 1, tag));
  if (picture.blob === undefined && src === undefined) return <Elsewhere url={picture.url} />;
  return (
    <figure className="grid gap-2">
      {/* Its place is held by the frame, so that nothing moves when it is decoded. */}
      <span className="block overflow-hidden rounded-md border border-line bg-sunken">
        {src !== undefined && <img src={src} alt={picture.revisedPrompt || name} className="block h-auto w-full" />}
      </span>
      <figcaption className="flex items-start justify-between gap-3 text-xs text-quiet">
        <span className="min-w-0 break-words">{picture.revisedPrompt}</span>
        <DownloadLink href={src} name={`weir-${place + 1}.${picture.format}`} what={name} />
      </figcaption>
    </figure>
  );
}

function Elsewhere({ url }: { readonly url: string }) {
  const words = useSpeech().words.operations.images;
  return (
    <div className="grid gap-2 rounded-md border border-line bg-raised p-4">
      <p className="text-sm text-quiet">{words.elsewhere}</p>
      {/^https?:/.test(url) && (
        <a href={url} target="_blank" rel="noreferrer noopener" className="text-sm font-medium text-accent underline">
          {words.open}
        </a>
      )}
    </div>
  );
}
