/**
 * Google Imagen predict API: instances in; predictions out, each an image in base64 or the reason for its absence.
 * https://ai.google.dev/gemini-api/docs/imagen (read 2026-11-16).
 */

import { defined, isObject } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { ImageReply, MadeImage, MakeImageRequest } from '../../images.ts';
import type { ProviderWire } from '../../wire.ts';
import { mediaTypeOf } from '../inline-images.ts';
import { refused } from '../provider-failure.ts';
import { nearestShape } from '../sizes.ts';
import { reportCount, reportUnsupportedOptions } from '../unsupported-options.ts';

const name = 'imagen-predict';
const inputsMax = 4;
const ratios = ['1:1', '3:4', '4:3', '9:16', '16:9'];
const outputFormats = ['png', 'jpeg'];

export const imagenPredict: ProviderWire<MakeImageRequest, ImageReply> = {
  operation: 'make-image',
  name,
  inputsMax,
  writeRequest: (request) => {
    const losses = new LossList();
    const { ratio, edge } = nearestShape(request.size, ratios, ['1K', '2K'], losses);
    reportCount(request.count, inputsMax, losses);
    const output = outputOptions(request);
    // A seed would need the image's watermark to be left out, which is not for a gateway to decide.
    const said = ['size', ...(output === undefined ? [] : (['outputFormat', 'outputCompression'] as const))] as const;
    reportUnsupportedOptions(request, name, said, losses);
    const tree = {
      instances: [{ prompt: request.prompt }],
      parameters: {
        sampleCount: Math.min(request.count, inputsMax),
        ...defined('aspectRatio', ratio),
        ...(edge === '2K' && { sampleImageSize: edge }),
        ...defined('outputOptions', output),
        includeRaiReason: true,
      },
    };
    return { value: { body: { kind: 'json', tree } }, losses: losses.all };
  },
  readReply: ({ tree }, _request, making) => {
    if (!isObject(tree)) throw new SyntaxError('The reply is no object.');
    const predictions = predictionsOf(tree);
    const images = predictions.flatMap((prediction) => imageOf(prediction) ?? []);
    const reasons = predictions.flatMap(({ raiFilteredReason: reason }) =>
      typeof reason === 'string' ? [reason] : [],
    );
    // Where the filter took every image the reply is an empty object.
    if (images.length === 0) throw refused(reasons[0] ?? 'all of them were filtered');
    const losses = new LossList();
    if (reasons.length > 0) losses.add(`${reasons.length} of the images`, reasons[0] ?? '');
    const value = { createdAtMs: making.nowMs, images, consumption: { images: images.length } };
    return { value, losses: losses.all };
  },
  measure: (reply) =>
    isObject(reply) ? { images: predictionsOf(reply).flatMap((one) => imageOf(one) ?? []).length } : {},
};

function outputOptions(request: MakeImageRequest): object | undefined {
  const { outputFormat, outputCompression } = request;
  if (outputFormat === undefined || !outputFormats.includes(outputFormat)) return undefined;
  return {
    mimeType: `image/${outputFormat}`,
    ...(outputFormat === 'jpeg' && defined('compressionQuality', outputCompression)),
  };
}

function predictionsOf(tree: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  return Array.isArray(tree['predictions']) ? tree['predictions'].filter(isObject) : [];
}

function imageOf(prediction: Readonly<Record<string, unknown>>): MadeImage | undefined {
  const { bytesBase64Encoded: data, mimeType, prompt } = prediction;
  if (typeof data !== 'string' || data === '') return undefined;
  const mediaType = mediaTypeOf(data, typeof mimeType === 'string' ? mimeType : 'image/png');
  const revised = typeof prompt === 'string' && prompt !== '' ? prompt : undefined;
  return { source: { kind: 'base64', data, mediaType }, ...defined('revisedPrompt', revised) };
}
