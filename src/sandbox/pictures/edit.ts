/** Changes given pictures as a prompt asks, and nothing outside the mask: what may not change is copied byte for byte. */

import { drawScene } from './draw.ts';
import { tint } from './edits/effects.ts';
import { cutOut, fillIn } from './edits/fill-in.ts';
import { type Box, boundsOf, keepOutside, layOver, type Mask, maskFrom, wholeMask } from './edits/mask.ts';
import { type EditStep, readEdit } from './edits/read-edit.ts';
import { emptyPicture, type Picture } from './raster/picture.ts';
import { randomFrom } from './raster/random.ts';
import { resize, sizeWithin } from './raster/resize.ts';
import { describeContent, listed } from './scene/describe-scene.ts';
import type { Scene } from './scene/scene.ts';

export interface EditRequest {
  readonly prompt: string;
  readonly negativePrompt?: string | undefined;
  readonly images: readonly Picture[];
  /** As large as the first picture. */
  readonly mask?: Picture | undefined;
  readonly seed: number;
  readonly transparent: boolean;
}

export interface Edited {
  readonly picture: Picture;
  /** What was done, in words. */
  readonly description: string;
}

/** How strongly a scene shows over a picture whose every part may change. */
const blendShare = 0.6;
/** Pictures side by side share the width of the widest result. */
const rowWidthMax = 2048;

export function editPicture(request: EditRequest): Edited {
  const plan = readEdit(request.prompt, request.negativePrompt);
  const composed = compose(request, plan.overlaid || request.mask !== undefined);
  const base = composed.base;
  const mask = request.mask === undefined ? wholeMask(base.width, base.height) : maskFrom(request.mask);
  const box = boundsOf(mask);
  if (box === undefined) {
    return finish(base, ['changed nothing, because the mask is opaque everywhere']);
  }
  const masked = request.mask !== undefined;
  const said: string[] = [...composed.said];
  let picture = base;
  for (const above of composed.above) {
    const size = sizeWithin(above, box);
    const [left, top] = [box.left + (box.width - size.width) / 2, box.top + (box.height - size.height) / 2];
    picture = layOver(picture, resize(above, size.width, size.height), Math.floor(left), Math.floor(top));
  }
  const steps = stepsFor(plan.steps, request);
  for (const step of steps) {
    const done = applyStep(step, { picture, mask, box, masked, seed: request.seed });
    picture = done.picture;
    said.push(done.description);
  }
  return finish(keepOutside(base, picture, mask), said, masked);
}

/** Words alone that mean nothing do not cover pictures that were to be put together. */
function stepsFor(steps: readonly EditStep[], { images, transparent, mask }: EditRequest): EditStep[] {
  const kept = steps.filter((step) => images.length === 1 || step.kind !== 'draw' || step.scene.backdrop !== 'pattern');
  const clear = transparent && mask === undefined && !kept.some((step) => step.kind === 'remove-background');
  return clear ? [...kept, { kind: 'remove-background' }] : kept;
}

function finish(picture: Picture, said: readonly string[], masked = false): Edited {
  const done = listed(said.length === 0 ? ['changed nothing'] : said);
  return {
    picture,
    description: `Edited by the sandbox's rules, not by a model${masked ? ' and inside the mask only' : ''}: ${done}.`,
  };
}

interface Composed {
  readonly base: Picture;
  /** Pictures that lie on the first one, in order. */
  readonly above: readonly Picture[];
  readonly said: readonly string[];
}

function compose({ images }: EditRequest, overlaid: boolean): Composed {
  const [first = emptyPicture(1, 1), ...others] = images;
  if (others.length === 0) return { base: first, above: [], said: [] };
  if (overlaid) return { base: first, above: others, said: [`laid ${others.length} over the first picture`] };
  const breadth = images.reduce((sum, image) => sum + image.width / image.height, 0);
  const height = Math.max(1, Math.min(first.height, Math.floor(rowWidthMax / breadth)));
  const frames = images.map((image) =>
    resize(image, Math.max(1, Math.floor((image.width * height) / image.height)), height),
  );
  const base = emptyPicture(
    frames.reduce((sum, frame) => sum + frame.width, 0),
    height,
  );
  let left = 0;
  for (const frame of frames) {
    for (let y = 0; y < base.height; y += 1) {
      const row = frame.pixels.subarray(y * frame.width * 4, (y + 1) * frame.width * 4);
      base.pixels.set(row, (y * base.width + left) * 4);
    }
    left += frame.width;
  }
  return { base, above: [], said: [`put ${images.length} pictures side by side`] };
}

interface Work {
  readonly picture: Picture;
  readonly mask: Mask;
  readonly box: Box;
  readonly masked: boolean;
  readonly seed: number;
}

function applyStep(step: EditStep, work: Work): Edited {
  const { picture, masked } = work;
  // Several pictures of one request differ a little in how strongly they are changed; the first is as asked.
  const vary = work.seed === 0 ? 1 : randomFrom(`strength ${work.seed}`).between(0.75, 1.25);
  switch (step.kind) {
    case 'effect':
      return { picture: step.effect(picture, step.strength * vary), description: step.said };
    case 'tint':
      return {
        picture: tint(picture, step.colour.colour, step.strength * vary),
        description: `tinted it ${step.colour.name}`,
      };
    case 'remove':
      if (!masked) {
        return {
          picture,
          description: 'removed nothing, because rules cannot find a thing: send a mask that shows where it is',
        };
      }
      return { picture: fillIn(picture, work.mask), description: 'filled the masked area from its surroundings' };
    // With a mask the caller has shown where the background is, and nothing has to be guessed.
    case 'remove-background':
      return masked
        ? { picture: emptyPicture(picture.width, picture.height), description: 'made the masked area transparent' }
        : { picture: cutOut(picture), description: 'made the background at the edges transparent' };
    case 'replace-background': {
      if (masked) return drawInto({ kind: 'draw', scene: step.scene, added: false }, work);
      const { width, height } = picture;
      const behind = drawScene(step.scene, { width, height, seed: work.seed });
      const description = `replaced the background at the edges with ${describeContent(step.scene)}`;
      return { picture: layOver(behind, cutOut(picture), 0, 0), description };
    }
    case 'draw':
      return drawInto(step, work);
  }
}

function drawInto({ scene, added }: Extract<EditStep, { kind: 'draw' }>, work: Work): Edited {
  const { picture, box, masked, seed } = work;
  const items = scene.items.filter((item) => !item.implied);
  // In a hole of any shape things stand in its middle, not on a horizon of their own.
  const alone = items.length > 0 && masked;
  const wanted: Scene = added ? { ...scene, items, ...(alone ? { backdrop: 'plain' } : {}) } : scene;
  const drawn = drawScene(wanted, { width: box.width, height: box.height, seed, transparent: added });
  const said = added ? 'added' : masked ? 'drew' : 'blended in';
  return {
    picture: layOver(picture, drawn, box.left, box.top, added || masked ? 1 : blendShare),
    description: `${said} ${describeContent(wanted, added && items.length > 0)}`,
  };
}
