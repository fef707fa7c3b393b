/** A file that goes along: a small picture where it is one, its name and size, and a way to take it off again. */

import { IconButton } from '../../../components/button.tsx';
import { Icon } from '../../../components/icon.tsx';
import { bytesText } from '../../../texts/number.ts';
import { useSpeech } from '../../../words/use-words.tsx';
import { dataUrl } from '../formats/write-values.ts';
import type { Attachment } from './conversation.ts';

/** Types that a browser draws without running anything. */
const drawn = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

export function AttachmentChip({ attachment, onRemove }: { readonly attachment: Attachment; onRemove?(): void }) {
  const { tag, words } = useSpeech();
  return (
    <span className="flex h-10 max-w-60 items-center gap-2 rounded-md border border-line bg-sunken pr-1 pl-1.5 text-xs">
      {drawn.test(attachment.mediaType) ? (
        <img src={dataUrl(attachment)} alt="" className="size-7 rounded-sm object-cover" />
      ) : (
        <Icon name="attach" className="text-quiet" />
      )}
      <span className="grid min-w-0 grow pr-1.5">
        <span className="truncate">{attachment.name}</span>
        <span className="text-quiet tabular-nums">{bytesText(attachment.sizeBytes, tag)}</span>
      </span>
      {onRemove !== undefined && (
        <IconButton
          icon="close"
          label={words.playground.composer.detach(attachment.name)}
          hideTip
          className="size-6"
          onClick={onRemove}
        />
      )}
    </span>
  );
}
