/** Edits images as a prompt asks. Nothing outside the mask changes: it is copied byte for byte. */

import { drawScene } from './draw.ts';
import { tint } from './edits/effects.ts';
import { cutOut, fillIn } from './edits/fill-in.ts';
import { type Box, boundsOf, keepOutside, layOver, type Mask, maskFrom, wholeMask } from './edits/mask.ts';
import { type EditStep, readEdit } from './edits/read-edit.ts';
import { type Bitmap, emptyBitmap } from './raster/bitmap.ts';
import { randomFrom } from './raster/random.ts';
import { resize, sizeWithin } from './raster/resize.ts';
import { describeContent, listed } from './scene/describe-scene.ts';
import type { Scene } from './scene/scene.ts';

export interface EditRequest {
  readonly prompt: string;
  readonly negativePrompt?: string | undefined;
  readonly images: readonly Bitmap[];
  /** As large as the first image. */
  readonly mask?: Bitmap | undefined;
  readonly seed: number;
  readonly transparent: boolean;
}

export interface Edited {
  readonly bitmap: Bitmap;
  readonly description: string;
}

/** The opacity of a scene that is drawn over an image without a mask. */
const blendShare = 0.6;
/** The width of all images side by side. */
const rowWidthMax = 2048;

export function editBitmap(request: EditRequest): Edited {
  const plan = readEdit(request.prompt, request.negativePrompt);
  const masked = request.mask !== undefined;
  const { base, above, done } = compose(request, plan.overlaid || masked);
  const mask = request.mask === undefined ? wholeMask(base.width, base.height) : maskFrom(request.mask);
  const box = boundsOf(mask);
  if (box === undefined) return finish(base, ['changed nothing, because the mask is opaque everywhere'], false);
  let bitmap = base;
  for (const image of above) {
    const { width, height } = sizeWithin(image, box);
    const [left, top] = [box.left + (box.width - width) / 2, box.top + (box.height - height) / 2];
    bitmap = layOver(bitmap, resize(image, width, height), Math.floor(left), Math.floor(top));
  }
  for (const step of stepsFor(plan.steps, request)) {
    const edited = applyStep(step, { bitmap, mask, box, masked, seed: request.seed });
    bitmap = edited.bitmap;
    done.push(edited.description);
  }
  return finish(keepOutside(base, bitmap, mask), done, masked);
}

/** Unknown words do not cover images that are put together. */
function stepsFor(steps: readonly EditStep[], { images, transparent, mask }: EditRequest): EditStep[] {
  const kept = steps.filter((step) => images.length === 1 || step.kind !== 'draw' || step.scene.backdrop !== 'pattern');
  const clear = transparent && mask === undefined && !kept.some((step) => step.kind === 'remove-background');
  return clear ? [...kept, { kind: 'remove-background' }] : kept;
}

function finish(bitmap: Bitmap, done: readonly string[], masked: boolean): Edited {
  const changes = listed(done.length === 0 ? ['changed nothing'] : done);
  const where = masked ? ' and inside the mask only' : '';
  return { bitmap, description: `Edited by the sandbox's rules, not by a model${where}: ${changes}.` };
}

interface Composed {
  readonly base: Bitmap;
  /** Images to lay over the first one, in order. */
  readonly above: readonly Bitmap[];
  readonly done: string[];
}

function compose({ images }: EditRequest, overlaid: boolean): Composed {
  const [first = emptyBitmap(1, 1), ...others] = images;
  if (others.length === 0) return { base: first, above: [], done: [] };
  if (overlaid) return { base: first, above: others, done: [`laid ${others.length} over the first image`] };
  const breadth = images.reduce((sum, image) => sum + image.width / image.height, 0);
  const height = Math.max(1, Math.min(first.height, Math.floor(rowWidthMax / breadth)));
  const frames = images.map((image) =>
    resize(image, Math.max(1, Math.floor((image.width * height) / image.height)), height),
  );
  const width = frames.reduce((sum, frame) => sum + frame.width, 0);
  let base = emptyBitmap(width, height);
  let left = 0;
  for (const frame of frames) {
    base = layOver(base, frame, left, 0);
    left += frame.width;
  }
  return { base, above: [], done: [`put ${images.length} images side by side`] };
}

interface Work {
  readonly bitmap: Bitmap;
  readonly mask: Mask;
  readonly box: Box;
  readonly masked: boolean;
  readonly seed: number;
}

function applyStep(step: EditStep, work: Work): Edited {
  const { bitmap, masked, mask, seed } = work;
  // Several images of one request differ a little in strength; the first has the strength that was asked for.
  const vary = seed === 0 ? 1 : randomFrom(`strength ${seed}`).between(0.75, 1.25);
  const done = (edited: Bitmap, description: string): Edited => ({ bitmap: edited, description });
  switch (step.kind) {
    case 'effect':
      return done(step.effect(bitmap, step.strength * vary), step.description);
    case 'tint':
      return done(tint(bitmap, step.color.color, step.strength * vary), `tinted it ${step.color.name}`);
    case 'remove':
      return masked
        ? done(fillIn(bitmap, mask), 'filled the masked area from its surroundings')
        : done(bitmap, 'removed nothing, because rules cannot find a thing: send a mask that shows where it is');
    // With a mask the caller has shown where the background is.
    case 'remove-background':
      return masked
        ? done(emptyBitmap(bitmap.width, bitmap.height), 'made the masked area transparent')
        : done(cutOut(bitmap), 'made the background at the edges transparent');
    case 'replace-background': {
      if (masked) return drawInto({ kind: 'draw', scene: step.scene, added: false }, work);
      const behind = drawScene(step.scene, { width: bitmap.width, height: bitmap.height, seed });
      const description = `replaced the background at the edges with ${describeContent(step.scene)}`;
      return done(layOver(behind, cutOut(bitmap), 0, 0), description);
    }
    case 'draw':
      return drawInto(step, work);
  }
}

function drawInto({ scene, added }: Extract<EditStep, { kind: 'draw' }>, work: Work): Edited {
  const { bitmap, box, masked, seed } = work;
  const items = scene.items.filter((item) => !item.implied);
  // In a mask of any shape things stand in its middle, without a horizon.
  const alone = items.length > 0 && masked;
  const wanted: Scene = added ? { ...scene, items, ...(alone ? { backdrop: 'plain' } : {}) } : scene;
  const drawn = drawScene(wanted, { width: box.width, height: box.height, seed, transparent: added });
  const verb = added ? 'added' : masked ? 'drew' : 'blended in';
  return {
    bitmap: layOver(bitmap, drawn, box.left, box.top, added || masked ? 1 : blendShare),
    description: `${verb} ${describeContent(wanted, added && items.length > 0)}`,
  };
}
