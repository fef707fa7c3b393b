/**
 * OpenAI image edits (`/v1/images/edits`): a form with files, or JSON with image URLs and file ids.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { EditImageRequest, GivenImage, ImageReply } from '../../images.ts';
import type { ClientWire, FormField, FormFile, WireBody } from '../../wire.ts';
import { type BodyFields, fieldsOf } from '../body-fields.ts';
import { checkImages, isImageField, readImages } from '../edit-images.ts';
import { writeAnswer } from '../image-events.ts';
import { checkOptions, closedWord, readOptions } from '../image-options.ts';
import type { EditImageWire } from '../image-wire.ts';
import { measure, readReply, suits } from '../images-reply.ts';
import { addressOf, filenameFor } from '../inline-images.ts';
import { ownExtras, takesHandOver, writeOptions } from './openai-images.ts';

const name = 'openai-image-edits';

export const openaiImageEditsClient: ClientWire<EditImageRequest, ImageReply> = {
  operation: 'edit-image',
  name,
  check: (body, bodyBytes, named) => {
    const fields = fieldsOf(body);
    fidelityOf(fields);
    return checkOptions(fields, bodyBytes, named, checkImages(fields));
  },
  readRequest: (body, named) => {
    const fields = fieldsOf(body);
    const { images, mask } = readImages(fields);
    const value: EditImageRequest = {
      ...readOptions(fields, named, name, (field) => isReadHere(fields, field)),
      images,
      ...defined('mask', mask),
      ...defined('inputFidelity', fidelityOf(fields)),
    };
    return { value, losses: [] };
  },
  writeReply: writeAnswer,
  suits,
};

function fidelityOf(fields: BodyFields): string | undefined {
  return closedWord(fields, 'input_fidelity', ['low', 'high']);
}

function isReadHere(fields: BodyFields, field: string): boolean {
  return field === 'input_fidelity' || isImageField(fields.kind, field);
}

export const openaiImageEditsProvider: EditImageWire = {
  operation: 'edit-image',
  takes: { kinds: ['file', 'url', 'file-id'], mask: true },
  name,
  writeRequest: (request, model) => {
    const losses = new LossList();
    losses.addForeign(request.extras, name);
    const images = request.mask === undefined ? request.images : [...request.images, request.mask];
    const isForm = images.every(({ kind }) => kind === 'bytes' || kind === 'file');
    const body = isForm ? writeForm(request, model, losses) : writeJson(request, model, losses);
    return { value: { body }, losses: losses.all };
  },
  passes: takesHandOver,
  readReply,
  measure,
};

function optionsOf(request: EditImageRequest, model: string): Tree {
  return {
    ...ownExtras(request.extras, name),
    model,
    prompt: request.prompt,
    ...writeOptions(request, model),
    ...defined('input_fidelity', request.inputFidelity),
  };
}

/** Files go out as they are opened, so an image is never in memory as a whole. */
function writeForm(request: EditImageRequest, model: string, losses: LossList): WireBody {
  const fields: FormField[] = [];
  for (const [field, value] of Object.entries(optionsOf(request, model))) {
    for (const one of [value].flat()) {
      if (typeof one === 'object' && one !== null && !isFormFile(one)) losses.add(field, 'does not fit into a form');
      else fields.push({ name: field, value: isFormFile(one) ? one : String(one) });
    }
  }
  const field = request.images.length > 1 ? 'image[]' : 'image';
  request.images.forEach((image, index) => {
    const file = fileOf(image, field, `image-${index + 1}`);
    if (file !== undefined) fields.push({ name: field, value: file });
  });
  const mask = request.mask === undefined ? undefined : fileOf(request.mask, 'mask', 'mask');
  if (mask !== undefined) fields.push({ name: 'mask', value: mask });
  return { kind: 'form', fields };
}

function isFormFile(value: unknown): value is FormFile {
  return isObject(value) && typeof value['open'] === 'function';
}

export function fileOf(image: GivenImage, field: string, stem: string): FormFile | undefined {
  if (image.kind === 'file') {
    const { file } = image;
    const filename = file.filename ?? filenameFor(stem, file.mediaType);
    return { field, filename, mediaType: file.mediaType, bytes: file.bytes, open: (piece) => file.open(piece) };
  }
  if (image.kind !== 'bytes') return undefined;
  const { bytes, mediaType } = image;
  return {
    field,
    filename: image.filename ?? filenameFor(stem, mediaType),
    mediaType,
    bytes: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}

function writeJson(request: EditImageRequest, model: string, losses: LossList): WireBody {
  const options = Object.entries(optionsOf(request, model)).filter(([field, value]) => {
    if (![value].flat().some(isFormFile)) return true;
    losses.add(field, 'is a file, which does not fit into JSON');
    return false;
  });
  const images = request.images.flatMap((image, index) => referenceTo(image, `images[${index}]`, losses) ?? []);
  const mask = request.mask === undefined ? undefined : referenceTo(request.mask, 'mask', losses);
  return { kind: 'json', tree: { ...Object.fromEntries(options), images, ...defined('mask', mask) } };
}

function referenceTo(image: GivenImage, field: string, losses: LossList): object | undefined {
  if (image.kind === 'file-id') return { file_id: image.id };
  const address = addressOf(image);
  if (address === undefined) losses.add(field, 'is a file, which does not fit into JSON');
  return address === undefined ? undefined : { image_url: address };
}
