/** Stability AI: which fields each service of the stable-image API takes. https://platform.stability.ai/docs/api-reference (read 2026-11-16). */

export interface StabilityService {
  readonly models: RegExp;
  /** Below `/v2beta/stable-image`. */
  readonly place: string;
  /** The model is named in a field, since several share the URL. */
  readonly namesModel?: true;
  /** The fields of the caller's images, in their order. */
  readonly images: readonly string[];
  readonly mask?: true;
  readonly prompt?: true;
  readonly negativePrompt?: true;
  readonly seed?: true;
  readonly style?: true;
  readonly ratio?: true;
  readonly outputFormats: readonly string[];
  /** Fields that no client wire has; taken from the request where the caller writes them under this very name. */
  readonly own: readonly string[];
  /** Sent where the caller sets nothing else, because the service requires it. */
  readonly fixed?: Readonly<Record<string, string>>;
}

const allFormats = ['png', 'jpeg', 'webp'];
const painted = { prompt: true, negativePrompt: true, seed: true, style: true, outputFormats: allFormats } as const;
const plain = { images: ['image'], outputFormats: allFormats, own: [] } as const;

const ultra = /^(stable-image-)?ultra$/;
const stableDiffusion = /^sd3/;

/** From words alone. */
export const stabilityMaking: readonly StabilityService[] = [
  { ...painted, models: ultra, place: '/generate/ultra', ratio: true, images: [], own: [] },
  { ...painted, models: /^(stable-image-)?core$/, place: '/generate/core', ratio: true, images: [], own: [] },
  {
    ...painted,
    ...{ models: stableDiffusion, place: '/generate/sd3', namesModel: true, ratio: true, images: [] },
    ...{ outputFormats: ['png', 'jpeg'], own: ['cfg_scale'] },
  },
];

/** Of a model that is not known here, whose URL is its name. */
export const unknownMaking: StabilityService = {
  ...painted,
  ...{ models: /./, place: '', ratio: true, images: [], own: [] },
};

/** From images. A service that answers later (`creative`, `replace-background-and-relight`) is not among them. */
export const stabilityEditing: readonly StabilityService[] = [
  {
    ...painted,
    ...{ models: ultra, place: '/generate/ultra', ratio: true, images: ['image'] },
    ...{ own: ['strength'], fixed: { strength: '0.5' } },
  },
  {
    ...painted,
    ...{ models: stableDiffusion, place: '/generate/sd3', namesModel: true, images: ['image'] },
    ...{ outputFormats: ['png', 'jpeg'], own: ['strength', 'cfg_scale'] },
    fixed: { mode: 'image-to-image', strength: '0.5' },
  },
  { ...plain, ...painted, models: /^inpaint$/, place: '/edit/inpaint', mask: true, own: ['grow_mask'] },
  { ...plain, models: /^erase$/, place: '/edit/erase', mask: true, seed: true, own: ['grow_mask'] },
  {
    ...plain,
    ...{ models: /^outpaint$/, place: '/edit/outpaint', prompt: true, seed: true, style: true },
    own: ['left', 'right', 'up', 'down', 'creativity'],
  },
  {
    ...{ ...plain, ...painted, models: /^search-and-replace$/, place: '/edit/search-and-replace' },
    own: ['search_prompt', 'grow_mask'],
  },
  {
    ...{ ...plain, ...painted, models: /^search-and-recolor$/, place: '/edit/search-and-recolor' },
    own: ['select_prompt', 'grow_mask'],
  },
  { ...plain, models: /^remove-background$/, place: '/edit/remove-background', outputFormats: ['png', 'webp'] },
  { ...plain, ...painted, models: /^sketch$/, place: '/control/sketch', own: ['control_strength'] },
  { ...plain, ...painted, models: /^structure$/, place: '/control/structure', own: ['control_strength'] },
  { ...plain, ...painted, models: /^style$/, place: '/control/style', ratio: true, own: ['fidelity'] },
  {
    ...{ ...plain, ...painted, models: /^style-transfer$/, place: '/control/style-transfer' },
    images: ['init_image', 'style_image'],
    own: ['style_strength', 'composition_fidelity', 'change_strength'],
  },
  { ...plain, models: /^fast$/, place: '/upscale/fast' },
  {
    ...{ ...plain, models: /^conservative$/, place: '/upscale/conservative', prompt: true, negativePrompt: true },
    ...{ seed: true, own: ['creativity'] },
  },
];

export const unknownEditing: StabilityService = { ...plain, ...painted, models: /./, place: '', mask: true };

export const stabilityStyles: ReadonlySet<string> = new Set([
  ...['3d-model', 'analog-film', 'anime', 'cinematic', 'comic-book', 'digital-art', 'enhance', 'fantasy-art'],
  ...['isometric', 'line-art', 'low-poly', 'modeling-compound', 'neon-punk', 'origami', 'photographic', 'pixel-art'],
  'tile-texture',
]);
