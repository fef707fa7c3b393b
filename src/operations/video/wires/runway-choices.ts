/**
 * Runway video API: which ratios and durations each model takes; the service refuses everything else.
 * https://docs.dev.runwayml.com/api/ (read 2026-11-16).
 */

export interface RunwayChoices {
  readonly models: RegExp;
  readonly fromText: readonly string[];
  readonly fromImage: readonly string[];
  readonly seconds: readonly number[];
  /** Takes an image for the end. */
  readonly lastFrame: boolean;
  readonly seed: boolean;
  readonly negativePrompt: boolean;
  /** Takes several images that guide it, and a video beside them. */
  readonly references: boolean;
}

function from(least: number, most: number): number[] {
  return Array.from({ length: most - least + 1 }, (_, index) => least + index);
}

const twoWays = ['1280:720', '720:1280'];
const bothSizes = [...twoWays, '1920:1080', '1080:1920'];
const sixShapes = [...twoWays, '1104:832', '832:1104', '960:960', '1584:672'];
const small = ['864:496', '496:864', '752:560', '560:752', '640:640', '992:432'];
const medium = [...twoWays, '1112:834', '834:1112', '960:960', '1470:630'];
const large = ['1920:1080', '1080:1920', '1664:1248', '1248:1664', '1440:1440', '2206:946'];

const plain = { lastFrame: false, seed: false, negativePrompt: false, references: false };
const veo = { ...plain, lastFrame: true, negativePrompt: true };

/** The first row that fits a model counts. */
export const runwayChoices: readonly RunwayChoices[] = [
  { ...plain, models: /^gen4\.5/, fromText: twoWays, fromImage: sixShapes, seconds: from(2, 10), seed: true },
  { ...plain, models: /^gen4/, fromText: twoWays, fromImage: sixShapes, seconds: from(2, 10), seed: true },
  { ...plain, models: /^veo3$/, fromText: bothSizes, fromImage: bothSizes, seconds: [8] },
  { ...veo, models: /^veo3/, fromText: bothSizes, fromImage: bothSizes, seconds: [4, 6, 8] },
  {
    ...{ ...plain, models: /^seedance2_(fast|mini)/, lastFrame: true, references: true },
    ...{ fromText: [...medium, ...small], fromImage: [...medium, ...small], seconds: from(4, 15) },
  },
  {
    ...{ ...plain, models: /^seedance2/, lastFrame: true, references: true },
    ...{ fromText: [...medium, ...large, ...small], fromImage: [...medium, ...large, ...small], seconds: from(4, 15) },
  },
];

/** Of a model that is not known here. */
export const unknownRunwayModel: RunwayChoices = {
  ...{ models: /./, fromText: sixShapes, fromImage: sixShapes, seconds: from(2, 15) },
  ...{ lastFrame: true, seed: true, negativePrompt: true, references: false },
};
